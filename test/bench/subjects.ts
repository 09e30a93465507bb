// Starts the two contenders: the real server over HTTP, and the baseline in a separate process.
import { fork } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { processTree } from '../support/processes.ts';
import { startProcess } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Job, type Outcome, proofOf, type Route, runSeries, selectors, type Series } from './work.ts';

export interface Contender {
  name: 'server' | 'floor';
  /** The root of the measured process tree. */
  pid: number;
  run(series: Series): Promise<Outcome>;
  stop(): Promise<void>;
}

export function bodyFor(route: Route, url: string): object {
  return route === 'scrape' ? { url, elements: selectors.map((selector) => ({ selector })) } : { url };
}

/** Starts the real server with default settings except its address and directories. */
export async function startServer(env: Record<string, string> = {}): Promise<Contender> {
  const service = await startProcess({ env });
  const agent = new Agent({ keepAlive: true });
  const job = async (route: Route, url: string): Promise<Job> => {
    const began = performance.now();
    const { status, bytes } = await post(agent, `${service.url}/${route}`, JSON.stringify(bodyFor(route, url)));
    const answeredMs = performance.now() - began;
    if (status !== 200) throw new Error(`${route} returned ${status}: ${new TextDecoder().decode(bytes)}`);
    return { answeredMs, proof: proofOf(route, bytes) };
  };
  return {
    name: 'server',
    pid: service.pid,
    run: (series) => runSeries(series, () => job(series.route, series.url)),
    async stop() {
      agent.destroy();
      await service.stop();
    },
  };
}

/** Sends a plain POST on a keep-alive connection; `fetch` would add a millisecond that is not the server's. */
export function post(agent: Agent, url: string, body: string): Promise<{ status: number; bytes: Uint8Array }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; bytes: Uint8Array }>();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const call = request(url, { agent, method: 'POST', headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}

interface FloorMessage {
  ready?: true;
  outcome?: Outcome;
  error?: string;
}

/** A browser as a server runs it: executable, environment variables, and the nice values of both processes. */
export interface Browser {
  path: string;
  env: Record<string, string>;
  niceness: { script: number; browser: number };
}

/** Reads from /proc which browser the server has started, so that the baseline runs the same one. */
export async function browserOf(server: Contender): Promise<Browser> {
  const found = await until('the server to start its browser', () =>
    processTree(server.pid).find(
      ({ parent, command }) => parent === server.pid && command.includes('--user-data-dir='),
    ),
  );
  const variables = readFileSync(`/proc/${found.pid}/environ`, 'utf8').split('\0');
  const wanted = variables.filter((line) => /^(LD_LIBRARY_PATH|FONTCONFIG_\w+)=/.test(line));
  const env = wanted.map((line): [string, string] => [
    line.slice(0, line.indexOf('=')),
    line.slice(line.indexOf('=') + 1),
  ]);
  return {
    path: readlinkSync(`/proc/${found.pid}/exe`),
    env: Object.fromEntries(env),
    niceness: { script: getPriority(server.pid), browser: getPriority(found.pid) },
  };
}

/**
 * Starts the baseline on a browser, in a separate process so that its cost can be measured separately.
 * @param evenPriority gives its processes the server's nice values: fair when other processes load the machine and
 * would slow down the server's browsers, which run at a lower priority, more than the baseline's
 */
export async function startBaseline(browser: Browser, evenPriority: boolean): Promise<Contender> {
  const env = { ...process.env, ...browser.env };
  const niceness = evenPriority ? browser.niceness : { script: 0, browser: 0 };
  const order = JSON.stringify({ executable: browser.path, niceness });
  const child = fork(join(import.meta.dirname, 'floor.ts'), [order], { env, stdio: 'inherit' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const answer = (): Promise<FloorMessage> =>
    Promise.race([
      new Promise<FloorMessage>((resolve) => child.once('message', (message: FloorMessage) => resolve(message))),
      exited.then(() => Promise.reject(new Error('the baseline exited'))),
    ]);
  await answer();
  return {
    name: 'floor',
    pid: child.pid ?? 0,
    async run(series) {
      child.send(series);
      const { outcome, error } = await answer();
      if (outcome === undefined) throw new Error(`the baseline failed: ${error}`);
      return outcome;
    },
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
