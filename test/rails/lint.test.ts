// oxlint finds nothing in this repository, and its rules, including our own, are in force: in a sample tree with our
// configuration, it finds only the marked lines.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { findsNothing, root, runTool, scratchTree } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('lint', { timeoutMs: 120_000 });

/** The sample tree. A rule named at the end of a line must find that line. */
const samples: Record<string, string> = {
  'src/browser/page/parameters.ts': `
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
  'src/browser/page/unused.ts': `
const unused = 1; // eslint(no-unused-vars)
export const used = 1;
`,
  'src/browser/page/runtime-names.ts': `
export const here = process.cwd(); // eslint(no-restricted-globals)
export const bytes = Buffer.from(''); // eslint(no-restricted-globals)
export const inDeno = Deno.version; // eslint(no-restricted-globals)
`,
  'src/base/runtime/runtime-names.ts': `
export const here = process.cwd();
`,
  'src/api/routes/http/elsewhere.ts': `
export async function notOnACallsWay(browser: { exited: Promise<void> }) {
  await browser.exited;
}
`,
  'src/api/routes/rest/unbounded.ts': `
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
  'src/api/routes/rest/bounded.ts': `
import { fetchSomething, loadPage, open, orAborted, orReleased, pause, startConsent } from './other.ts';
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
  await orReleased(open(url), signal, (late) => late.close());
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
  'src/browser/page/late-awaits.ts': `
import { orAborted, page, send, waiting } from './other.ts';
export async function late(call: any) {
  const one = send(); // browserd(late-await)
  await send();
  await one;
  const two = call ? send() : undefined; // browserd(late-await)
  for await (const part of call.parts) console.log(part);
  await orAborted(two, call.signal);
  const three = send().then(() => 3); // browserd(late-await)
  await Promise.all([three, send(await send())]);
  const { ready, free } = send(); // browserd(late-await)
  await send();
  await page.until(ready);
  const five = send(); // browserd(late-await)
  console.log(await send());
  await waiting.for('it', five.ready ?? Promise.resolve());
  const six = [1, 2].map(() => send()); // browserd(late-await)
  await send();
  await Promise.all(six);
  const seven = send(); // browserd(late-await)
  await send();
  await seven.catch(() => {});
  free();
}
`,
  'src/browser/page/early-awaits.ts': `
import { orAborted, send } from './other.ts';
export async function early(call: any) {
  const one = send();
  const two = send();
  await Promise.all([one, two]);
  const three = send();
  three.catch(() => {});
  await send();
  await three;
  const four = send();
  const both = Promise.all([four, send()]);
  await both;
  const five = await send();
  await send();
  await five.ready;
  const six = new Promise<void>((resolve) => call.on('end', () => resolve()));
  await send();
  await six;
  const deadline = send();
  await send();
  await orAborted(send(), deadline.signal);
  const list = send();
  await send();
  await Promise.all(list.map(() => send()));
  const inner = async () => {
    await send();
  };
  const seven = send();
  call.watch(inner);
  await seven;
}
`,
  'src/browser/page/wall-clock.ts': `
import { monthOf, now } from './other.ts';
export const startedAt = Date.now(); // browserd(wall-clock)
export const until = (limitMs: number) => Date.now() + limitMs; // browserd(wall-clock)
export const age = (facts: { startedOn: number }) => Date.now() - facts.startedOn; // browserd(wall-clock)
export const isOver = (end: number) => end <= new Date().getTime(); // browserd(wall-clock)
export const clock = (given: () => number = Date.now) => given; // browserd(wall-clock)
export class Watch {
  #from = +new Date(); // browserd(wall-clock)
  from = () => this.#from;
}
export const facts = { startedOn: Date.now(), startedAt: now(), expiresAt: Date.now() + 1_000, month: monthOf(Date.now()) };
export const at = new Date().toISOString();
export const given = new Date(0);
`,
  'src/control/accounts/accounts.ts': `
export const hasExpired = (end: number) => end <= Date.now();
`,
  'src/sessions/live/json.ts': `
export const value = JSON.parse(globalThis.name); // browserd(strangers-json)
export const named = globalThis.JSON['parse']('{}'); // browserd(strangers-json)
export const list = ['{}'].map(JSON.parse); // browserd(strangers-json)
const { parse } = JSON; // browserd(strangers-json)
export const body = (request: Request) => [parse, request.json()]; // browserd(strangers-json)
export const written = JSON.stringify(value);
`,
  'src/sessions/profiles/json.ts': `
export const value: unknown = JSON.parse(globalThis.name);
`,
  'src/api/routes/rest/idle-reason.ts': `
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

test('oxlint finds nothing in the repository', (signal) => findsNothing('oxlint', ['-f', 'unix'], signal));

test('each rule that we enable finds exactly the marked lines', async (signal) => {
  const ours = ['.oxlintrc.json', ...globSync('test/rails/lint/*.js', { cwd: root })];
  const files = Object.fromEntries(ours.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  using tree = scratchTree({ ...files, ...samples });
  const { output } = await runTool('oxlint', ['-f', 'json', 'src'], tree.path, signal);
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(output);
  const found = diagnostics.map(
    ({ code, message, filename, labels }) => `${filename}:${labels[0]?.span.line} ${code ?? message.split(' ')[0]}`,
  );
  const expected = Object.entries(samples).flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const [, rule] = / \/\/ (\S+)$/.exec(line) ?? [];
      return rule === undefined ? [] : [`${name}:${index + 1} ${rule}`];
    }),
  );
  assert.equal(found.toSorted(), expected.toSorted());
});
