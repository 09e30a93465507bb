// A stored secret, the steps that fill it in, and the certainty that an answer does not tell it.
import * as assert from 'uvu/assert';
import type { Service } from '../service.ts';

export const secretValue = 'correct horse & battery';

export function nowhere(text: string, where: string): void {
  for (const form of [secretValue, encodeURIComponent(secretValue), 'correct+horse', 'correct horse']) {
    assert.is(text.includes(form), false, `${where} tells the secret: ${text.slice(0, 500)}`);
  }
}

export function putSecret(service: Service, name: string, body: object, token?: string) {
  const sent = token === undefined ? {} : { token };
  return service.post(`/secret/${encodeURIComponent(name)}`, body, { method: 'PUT', ...sent });
}

/** The step that fills in the secret `shop`, or another. */
export function loadStep(selector = '#pass', ref = 'shop'): string {
  return `loadSecret(ref: ${JSON.stringify(ref)}, selector: ${JSON.stringify(selector)}) { ok error message }`;
}

/** Runs steps as one document; its answer does not tell the secret. */
export async function runSteps(
  service: Service,
  steps: string,
  { query = {}, path = '/chromium/bql', token }: { query?: Record<string, string>; path?: string; token?: string } = {},
  // Documents decide the shape of their answers.
): Promise<any> {
  const document = { query: `mutation { ${steps} }` };
  const reply = await service.post(path, document, { query, ...(token === undefined ? {} : { token }) });
  nowhere(reply.text, 'answer');
  return reply.json();
}
