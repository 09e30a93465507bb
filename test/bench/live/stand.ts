// Setup shared by the live view measurements: a server with one session and one page, the same setup on a bare
// browser, and the share of a core that each uses.
import { setTimeout as pause } from 'node:timers/promises';
import { rawClient, type RawClient, socketUrl } from '../../support/clients/clients.ts';
import { openPage, valueOf } from '../../support/clients/targets.ts';
import type { Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { cpuSeconds, processCpuSeconds } from '../measure.ts';

const viewport = { width: 1_280, height: 720, deviceScaleFactor: 1, mobile: false };

/** A 1280x720 page driven by a client. */
export interface DrivenPage {
  client: RawClient;
  sessionId: string;
  value(expression: string): Promise<unknown>;
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Opens a URL and waits until it is loaded. */
  go(url: string): Promise<void>;
  /** Replaces the document. */
  show(html: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects to an endpoint and opens a page. */
export async function drivePage(endpoint: string): Promise<DrivenPage> {
  const client = await rawClient(endpoint);
  const { sessionId, targetId } = await openPage(client, 'data:text/html,<p>bench');
  const send = async (method: string, params: object = {}) => {
    const { result, error } = await client.send(method, params, sessionId);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
  await send('Page.enable');
  await send('Emulation.setDeviceMetricsOverride', viewport);
  const value = (expression: string) => valueOf(client, expression, sessionId);
  return {
    client,
    sessionId,
    value,
    send,
    async go(url) {
      await send('Page.navigate', { url });
      await until('the page', () =>
        value(`document.readyState === 'complete' && location.href === ${JSON.stringify(url)}`),
      );
    },
    async show(html) {
      const { frameTree } = await send('Page.getFrameTree');
      const { frame } = frameTree as { frame: { id: string } }; // As the protocol defines it.
      await send('Page.setDocumentContent', { frameId: frame.id, html });
      await value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    },
    async close() {
      await client.send('Target.closeTarget', { targetId });
      client.socket.close();
      await client.closed;
    },
  };
}

/** Like `drivePage`, but through the server; `record=true` enables recording. */
export function drivenBy(service: Service, query: Record<string, string> = {}): Promise<DrivenPage> {
  return drivePage(socketUrl(service, '/chromium', query));
}

/** Creates a live view of the page and returns its link. */
export async function liveLink(page: DrivenPage, options: object = {}): Promise<string> {
  const { liveURL, error } = await page.send('Browserless.liveURL', options);
  if (typeof liveURL !== 'string') throw new Error(String(error));
  return liveURL;
}

/**
 * CPU use over a period, as a percentage of one core: of the browsers that a process has started, and of the process
 * alone.
 */
export interface Share {
  browser: number;
  server: number;
}

/** @param pid the server, or a bare browser: then `server` covers its whole tree and `browser` is 0 */
export async function shareOf(pid: number, seconds: number): Promise<Share> {
  const [tree, own, began] = [cpuSeconds(pid), processCpuSeconds(pid), performance.now()];
  await pause(seconds * 1_000);
  const took = (performance.now() - began) / 1_000;
  const server = processCpuSeconds(pid) - own;
  const percent = (used: number) => (100 * used) / took;
  return { browser: percent(cpuSeconds(pid) - tree - server), server: percent(server) };
}

/** Runs `act` at regular intervals while the work runs. */
export async function sampleDuring<T>(everyMs: number, act: () => void, work: Promise<T>): Promise<T> {
  const timer = setInterval(act, everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
