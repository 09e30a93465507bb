// Calls each entry point of the server and reports what the client received and when, for tests of limits that must
// hold at every entry point, no matter what the browser does.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handshake, type Query } from './clients.ts';
import type { Service } from '../service.ts';
import { idleNow } from '../idle-clock.ts';

/** How a call ended: the status of its response (101 for a socket that opened) and its duration in milliseconds. */
export interface Ending {
  status: number;
  text: string;
  ms: number;
}

/** Makes a call at one entry point, with the test's query. */
export type EntryPoint = (service: Service, query: Query) => Promise<Ending>;

const html = '<h1>page</h1>';
const code = 'export default async ({ page }) => { await page.setContent("<p>x</p>"); return await page.title(); };';
const saving = `export default async ({ page }) => {
  await page.setContent('<a download="a.txt" href="data:text/plain,x">x</a>');
  await page.click('a');
};`;
const document = 'mutation { setContent: content(html: "<title>x</title>") { status } title { title } }';
const keeping = 'mutation { reconnect(timeout: 1) { browserQLEndpoint } }';
const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };

function rest(path: string, body: object): EntryPoint {
  return async (service, query) => {
    const began = idleNow();
    const { status, text } = await service.post(path, body, { query });
    return { status, text, ms: idleNow() - began };
  };
}

function socket(path: string, headers: Record<string, string> = {}): EntryPoint {
  return async (service, query) => {
    const began = idleNow();
    const { status, text } = await handshake(service, path, query, headers);
    return { status, text, ms: idleNow() - began };
  };
}

/** Creates a session whose browser receives the query's switches, then connects to it. */
async function session(service: Service, { launch, timeout = 0 }: Query): Promise<Ending> {
  const { args = [] }: { args?: string[] } = JSON.parse(String(launch ?? '{}'));
  const { id } = (await service.post('/session', { args })).json<{ id: string }>();
  const ending = await socket(`/session/connect/${id}`)(service, { timeout });
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  return ending;
}

/** Entry points at which the server itself talks to the browser before it responds. */
export const workingEntryPoints: Record<string, EntryPoint> = {
  '/content': rest('/content', { html }),
  '/screenshot': rest('/screenshot', { html }),
  '/export': rest('/export', { url: 'data:text/html,<h1>page</h1>' }),
  '/function': rest('/function', { code }),
  '/download': rest('/download', { code: saving }),
  '/chromium/bql': rest('/chromium/bql', { query: document }),
  'a document that keeps its browser alive': rest('/chromium/bql', { query: keeping }),
  'a CDP socket': socket('/'),
  'a BrowserQL socket': socket('/chromium/bql', { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }),
  'a session created with POST /session': session,
};

/** All entry points that use Chromium. */
export const chromiumEntryPoints: Record<string, EntryPoint> = {
  ...workingEntryPoints,
  '/pdf': rest('/pdf', { html }),
  '/markdown': rest('/markdown', { html, onlyMainContent: true }),
  '/scrape': rest('/scrape', { html, elements: [{ selector: 'h1' }] }),
  '/performance': rest('/performance', { url: 'https://example.com/' }),
  'a page created with PUT /json/new': async (service, query) => {
    const page = (await service.get('/json/new', { method: 'PUT' })).json<{ id: string }>();
    return socket(`/devtools/page/${page.id}`)(service, query);
  },
  'a Playwright socket': socket('/chromium/playwright', agent),
};

/** The entry point that uses Firefox. */
export const firefoxEntryPoint: EntryPoint = socket('/firefox/playwright', agent);

/** Writes a shell script into a directory and returns its path. */
export function writeProgram(directory: string, name: string, script: string): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Number of calls that run or wait in the queue. */
export async function running(service: Service): Promise<number> {
  const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number; queued: number } }>();
  return pressure.running + pressure.queued;
}
