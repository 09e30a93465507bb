// Connects Playwright clients: the library in any installed version, and bare sockets that speak its protocol.
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { loadPlaywright, type PlaywrightVersion, versionForClient } from '../../../src/sessions/playwright/versions.ts';
import { type Query, socketUrl } from './clients.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

/** Generous: browsers start slowly on a loaded machine. */
const connectLimitMs = 120_000;

/** The installed Playwright of a minor version such as `1.65`. */
export function version(minor: string): PlaywrightVersion {
  return versionForClient(`Playwright/${minor}`);
}

/** Connects the library. @param path names the browser: `/firefox/playwright` connects with Playwright's `firefox` */
export async function connectPlaywright(
  service: Service,
  path = '/chromium/playwright',
  query: Query = {},
  client: PlaywrightVersion = version('1.65'),
): Promise<Browser> {
  const library = await loadPlaywright(client);
  const type = path.includes('firefox') ? library.firefox : path.includes('webkit') ? library.webkit : library.chromium;
  return type.connect(socketUrl(service, path, query), { timeout: connectLimitMs });
}

/** Resolves when the library has noticed that its browser is disconnected. */
export function disconnected(browser: Browser): Promise<void> {
  return browser.isConnected()
    ? new Promise((resolve) => browser.once('disconnected', () => resolve()))
    : Promise.resolve();
}

/** Whether a screenshot of the page yields a PNG that is not empty. */
export async function screenshotWorks(page: Page): Promise<boolean> {
  const picture = await page.screenshot();
  return picture.length > 1_000 && picture[0] === 0x89 && picture.subarray(1, 4).toString() === 'PNG';
}

export interface RawPlaywright {
  socket: WebSocket;
  /** Resolves with the close code and its reason. */
  closed: Promise<{ code: number; reason: string }>;
  /** Sends a call and resolves with its whole response. */
  call(
    guid: string,
    method: string,
    params: object,
  ): Promise<{ result?: unknown; error?: { error: { message: string } } }>;
}

/** Opens a bare socket and sends Playwright's `initialize`. */
export async function rawPlaywright(
  service: Service,
  path = '/chromium/playwright',
  query: Query = {},
): Promise<RawPlaywright> {
  const headers = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
  const socket = new WebSocket(socketUrl(service, path, query), { headers, perMessageDeflate: false });
  const waiting = new Map<number, (answer: object) => void>();
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  socket.on('message', (data) => {
    const message: { id?: number } = JSON.parse(data.toString());
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  let last = 0;
  const client: RawPlaywright = {
    socket,
    closed,
    call(guid, method, params) {
      const id = ++last;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, guid, method, params, metadata: { wallTime: Date.now() } }));
      });
    },
  };
  await client.call('', 'initialize', { sdkLanguage: 'javascript' });
  return client;
}

/** Runs a client that disconnects while its browser starts: as soon as a process with this switch exists. */
export async function leaveEarly(service: Service, path: string, browserSwitch: string): Promise<void> {
  const leaving = new AbortController();
  const answer = service.get(path, {
    headers: {
      'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
    signal: leaving.signal,
  });
  const outcome = answer.then(
    ({ status }) => `got status ${status}`,
    () => 'gone',
  );
  const browserStarts = () => service.leftovers().processes.some(({ command }) => command.includes(browserSwitch));
  await until('a browser to start', browserStarts, 60_000);
  leaving.abort();
  const how = await outcome;
  if (how !== 'gone') throw new Error(`the client did not disconnect early: ${how}`);
}
