// Stores a secret, fills it in, and asserts that no response reveals it.
import * as assert from 'uvu/assert';
import type { Service } from '../service.ts';

export const secretValue = 'correct horse & battery';

export function nowhere(text: string, where: string): void {
  for (const form of [secretValue, encodeURIComponent(secretValue), 'correct+horse', 'correct horse']) {
    assert.is(text.includes(form), false, `${where} reveals the secret: ${text.slice(0, 500)}`);
  }
}

export function putSecret(service: Service, name: string, body: object, token?: string) {
  const sent = token === undefined ? {} : { token };
  return service.post(`/secret/${encodeURIComponent(name)}`, body, { method: 'PUT', ...sent });
}

/** The step that fills in a secret, by default `shop`. */
export function loadStep(selector = '#pass', ref = 'shop'): string {
  return `loadSecret(ref: ${JSON.stringify(ref)}, selector: ${JSON.stringify(selector)}) { ok error message }`;
}

/** Runs steps as one document; asserts that the response does not reveal the secret. */
export async function runSteps(
  service: Service,
  steps: string,
  { query = {}, path = '/chromium/bql', token }: { query?: Record<string, string>; path?: string; token?: string } = {},
  // Documents determine the shape of their responses.
): Promise<any> {
  const document = { query: `mutation { ${steps} }` };
  const reply = await service.post(path, document, { query, ...(token === undefined ? {} : { token }) });
  nowhere(reply.text, 'the response');
  return reply.json();
}
