// oxlint finds nothing in this repository; and its rules, also our own rule, are in force: in a sample tree with our
// configuration it finds the marked lines and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { findsNothing, root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('lint', { timeoutMs: 120_000 });

/** The sample tree. A rule named at the end of a line must find that line. */
const samples: Record<string, string> = {
  'src/page/parameters.ts': `
export function four(a: number, b: number, c: number, d: number): number {
  return a + b + c + d;
}
export function five(a: number, b: number, c: number, d: number, e: number): number { // eslint(max-params)
  return a + b + c + d + e;
}
export class Five {
  readonly sum: number;
  constructor(a: number, b: number, c: number, d: number, e: number) { // eslint(max-params)
    this.sum = a + b + c + d + e;
  }
}
`,
  'src/page/unused.ts': `
const unused = 1; // eslint(no-unused-vars)
export const used = 1;
`,
  'src/page/runtime-names.ts': `
export const here = process.cwd(); // eslint(no-restricted-globals)
export const bytes = Buffer.from(''); // eslint(no-restricted-globals)
export const inDeno = Deno.version; // eslint(no-restricted-globals)
`,
  'src/runtime/runtime-names.ts': `
export const here = process.cwd();
`,
  'src/routes/http/elsewhere.ts': `
export async function notOnACallsWay(browser: { exited: Promise<void> }) {
  await browser.exited;
}
`,
  'src/routes/rest/unbounded.ts': `
import { fetchSomething, open, orAborted } from './other.ts';
const alias = (url: string) => fetchSomething(url);
async function gives(url: string) {
  return fetchSomething(url);
}
class Client {
  #load(url: string) {
    return fetchSomething(url);
  }
  async load(url: string) {
    await this.#load(url); // browserd(raced-await)
  }
}
export async function handle(call: any, browser: any, url: string) {
  await fetchSomething(url); // browserd(raced-await)
  await browser.process.exited; // browserd(raced-await)
  await browser.close().catch(() => {}); // browserd(raced-await)
  await call.services.pool.version(); // browserd(raced-await)
  await fetchSomething(call.body.url); // browserd(raced-await)
  await new Promise(() => {}); // browserd(raced-await)
  await alias(url); // browserd(raced-await)
  await gives(url); // browserd(raced-await)
  await import(url); // browserd(raced-await)
  await Promise.all([orAborted(open(url), call.signal), fetchSomething(url)]); // browserd(raced-await)
  await Promise.all([1, 2].map((at) => fetchSomething(at))); // browserd(raced-await)
  await Promise.race([browser.gone, fetchSomething(url)]); // browserd(raced-await)
  const text = url ? await fetchSomething(url) : undefined; // browserd(raced-await)
  await call.waiting.for('a thing', fetchSomething(url)); // browserd(raced-await)
  await call.tracing.span('act', {}, () => fetchSomething(url)); // browserd(raced-await)
  await call.span.within(() => fetchSomething(url)); // browserd(raced-await)
  const later = fetchSomething(url);
  await later; // browserd(raced-await)
  for await (const part of browser.parts) console.log(part); // browserd(raced-await)
  await orAborted(open(await fetchSomething(url)), call.signal); // browserd(raced-await)
  return [text, new Client()];
}
`,
  'src/routes/rest/bounded.ts': `
import { fetchSomething, loadPage, open, orAborted, orGivenBack, pause, startConsent } from './other.ts';
const alias = (url: string, signal: AbortSignal) => orAborted(fetchSomething(url), signal);
async function gives(url: string, signal: AbortSignal) {
  const found = await orAborted(fetchSomething(url), signal);
  return found ?? { url };
}
class Client {
  async #load(url: string, { clock }: any) {
    await alias(url, clock.signal);
    return url;
  }
  async load(url: string, call: any) {
    await this.#load(url, call);
  }
}
export async function handle(call: any, page: any, url: string) {
  const { signal } = call.clock;
  await orAborted(fetchSomething(url), signal);
  await orGivenBack(open(url), signal, (late) => late.close());
  await pause(10, signal);
  await import('./other.ts');
  await call.waiting.for('a thing', orAborted(fetchSomething(url), signal));
  await call.tracing.span('act', {}, () => orAborted(fetchSomething(url), signal));
  await call.span.within(() => loadPage(call));
  await loadPage(call);
  await call.page.until(fetchSomething(url));
  await page.sleep(1);
  await open({ url, signal });
  await open({ url, ends: call.clock });
  await open({ ...call.clock });
  await alias(url, signal);
  await Promise.all([orAborted(open(url), signal), page.sleep(1)]);
  await Promise.all([1, 2].map((at) => orAborted(fetchSomething(at), signal)));
  await Promise.race([page.sleep(1), fetchSomething(url)]);
  const consent = url ? await startConsent(page) : undefined;
  await consent?.settled();
  const loading = loadPage(call);
  loading.catch(() => {});
  await loading.then(() => {});
  for await (const part of page.parts(signal)) console.log(part);
  // oxlint-disable-next-line browserd/raced-await -- a reason stands here
  await fetchSomething(url);
  return [await gives(url, signal), new Client()];
}
`,
  'src/routes/rest/idle-reason.ts': `
export const one = 1;
// oxlint-disable-next-line eslint/max-params -- there is nothing to excuse here // Unused
export const two = 2;
`,
};

interface Diagnostic {
  code?: string;
  message: string;
  filename: string;
  labels: { span: { line: number } }[];
}

test('nothing is found', (signal) => findsNothing('oxlint', ['-f', 'unix'], signal));

test('each rule that we chose finds what is wrong, where it is wrong', async (signal) => {
  const ours = ['.oxlintrc.json', 'test/rails/lint/raced-await.js'];
  const files = Object.fromEntries(ours.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  using tree = scratchTree({ ...files, ...samples });
  const { output } = await runTool('oxlint', ['-f', 'json', 'src'], tree.path, signal);
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(output);
  const found = diagnostics.map(
    ({ code, message, filename, labels }) => `${filename}:${labels[0]?.span.line} ${code ?? message.split(' ')[0]}`,
  );
  const wanted = Object.entries(samples).flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const [, rule] = / \/\/ (\S+)$/.exec(line) ?? [];
      return rule === undefined ? [] : [`${name}:${index + 1} ${rule}`];
    }),
  );
  assert.equal(found.toSorted(), wanted.toSorted());
});
