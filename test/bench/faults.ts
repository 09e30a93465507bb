// Makes requests fail in four ways for the soak, and defines what the client must see for each.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { processTree, type ProcessInfo } from '../support/processes.ts';
import type { ServerProcess } from '../support/service.ts';
import type { Site } from '../support/site/site.ts';
import { until } from '../support/until.ts';

export const sabotages = ['client disconnects', 'page hangs', 'renderer killed', 'browser killed'] as const;
export type Sabotage = (typeof sabotages)[number];

/** What the client must see. A killed browser is invisible to it: the server retries the job in a different browser. */
export const expected: Record<Sabotage, string> = {
  'client disconnects': 'AbortError',
  'page hangs': '408',
  'renderer killed': '500 page-crashed',
  'browser killed': '200',
};

/**
 * A page that uses more memory than any other here, so that `killRenderer` finds its renderer. It never becomes ready.
 */
const greedyBytes = 160e6;
const greedyThresholdKb = 120_000;
const greedyBody = {
  html: `<script>window.kept = new Uint8Array(${greedyBytes}).fill(1)</script>`,
  waitForFunction: { fn: 'false', polling: 1_000 },
};

/** Makes one request fail and returns what its client saw; `round` varies the timing. */
export async function sabotage(how: Sabotage, round: number, service: ServerProcess, site: Site): Promise<string> {
  site.clear();
  switch (how) {
    case 'client disconnects':
      return leave(round, service, site);
    case 'page hangs':
      return String(
        (await service.post('/screenshot', { url: `${site.url}/hang` }, { query: { timeout: 700 } })).status,
      );
    case 'renderer killed':
      return killRenderer(service);
    case 'browser killed':
      return killBrowser(service, site);
  }
}

/** Disconnects immediately in even rounds, and while the page loads in odd rounds. */
async function leave(round: number, service: ServerProcess, site: Site): Promise<string> {
  const client = new AbortController();
  const call = service.post('/content', { url: `${site.url}/hang` }, { signal: client.signal });
  const seen = call.then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  if (round % 2 === 1) await Promise.race([site.waitForRequest('/hang'), seen]);
  client.abort();
  return seen;
}

async function killRenderer(service: ServerProcess): Promise<string> {
  const call = service.post('/content', greedyBody);
  let answered = false;
  const done = call.finally(() => (answered = true));
  const found = await until(
    "the greedy page's renderer",
    () =>
      answered || processTree(service.pid).find((one) => anonymousKb(one.pid) > greedyThresholdKb && isRenderer(one)),
    20_000,
  );
  if (typeof found === 'object') kill(found);
  const { status, text } = await done;
  return `${status} ${/"code":"([a-z-]+)"/.exec(text)?.[1] ?? text}`;
}

async function killBrowser(service: ServerProcess, site: Site): Promise<string> {
  const call = service.post('/content', { url: `${site.url}/slow?ms=400` });
  // The code below handles a rejection; until then, it must not be reported as unhandled.
  call.catch(() => undefined);
  await site.waitForRequest('/slow');
  for (const browser of browsersOf(service)) kill(browser);
  const { status, text } = await call;
  return status === 200 ? '200' : `${status} ${text}`;
}

/** Main processes of the server's browsers: its child processes with a profile directory. */
export function browsersOf(service: ServerProcess): ProcessInfo[] {
  return service.tree().filter(({ parent, command }) => parent === service.pid && command.includes('--user-data-dir='));
}

function isRenderer({ command }: ProcessInfo): boolean {
  return command.includes('--type=renderer');
}

/** Anonymous memory of the process (not backed by a file), in kB. */
function anonymousKb(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function kill({ pid }: ProcessInfo): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process exited between the check and the signal.
  }
}
