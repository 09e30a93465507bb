// Opens every entry point through which a client speaks the Chrome DevTools Protocol, each with a page to attack from.
import { succeeded } from '../checks/expect.ts';
import type { Service } from '../service.ts';
import { type Query, type RawClient, rawClient, sessionsOf, socketUrl } from './clients.ts';
import { connectPlaywright } from './playwright.ts';

interface Answer {
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** Sends a command and resolves with its response, even when that is an error. */
export type Send = (method: string, params?: object) => Promise<Answer>;

export interface AttackPage {
  send: Send;
  /** Evaluates an expression, waits for a promise, and resolves with the value. */
  evaluate(expression: string): Promise<unknown>;
}

/** What an attacker controls at an entry point. */
interface Foothold {
  /** Sends on the connection: to the whole browser, or to the page at page endpoints. */
  send: Send;
  page: AttackPage;
  /** The bare connection; undefined behind Playwright's protocol. */
  client: RawClient | undefined;
  leave(): Promise<void>;
}

export interface EntryPoint {
  name: string;
  enter(service: Service): Promise<Foothold>;
}

/** The query parameters of a full browser. */
export const fullBrowser: Query = { launch: JSON.stringify({ headless: 'new' }) };

function attackPage(send: Send): AttackPage {
  return {
    send,
    async evaluate(expression) {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, error } = await send('Runtime.evaluate', params);
      if (error) throw new Error(`${expression.slice(0, 100)}: ${error.message}`);
      const value = result?.['result'] as { value?: unknown } | undefined; // As the protocol defines it.
      return value?.value;
    },
  };
}

/** Opens a page and attaches to it. */
export async function openAttackPage(
  client: RawClient,
  { url = 'about:blank', browserContextId }: { url?: string; browserContextId?: string } = {},
): Promise<AttackPage & { sessionId: string; targetId: string }> {
  const context = browserContextId === undefined ? {} : { browserContextId };
  const created = await client.send('Target.createTarget', { url, ...context });
  const targetId = String(created.result?.['targetId']);
  const attached = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  return { ...attackPage((method, params) => client.send(method, params, sessionId)), sessionId, targetId };
}

async function leave(...clients: RawClient[]): Promise<void> {
  for (const { socket } of clients) socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
}

async function standIn(client: RawClient, ...others: RawClient[]): Promise<Foothold> {
  const page = await openAttackPage(client);
  return { send: client.send, page, client, leave: () => leave(client, ...others) };
}

const direct = (path: string, query: Query = {}) => ({
  name: `${path}${query === fullBrowser ? ' (full browser)' : ''}`,
  enter: async (service: Service) => standIn(await rawClient(socketUrl(service, path, query))),
});

async function sessionOf(service: Service): Promise<string> {
  return (await sessionsOf(service)).find(({ numbConnected }) => numbConnected > 0)?.id ?? '';
}

const second = (path: string) => ({
  name: path,
  async enter(service: Service) {
    const first = await rawClient(socketUrl(service, '/'));
    return standIn(await rawClient(socketUrl(service, `${path}/${await sessionOf(service)}`)), first);
  },
});

/** The path of a URL that the server returned. */
const pathOf = (address: unknown) => new URL(String(address)).pathname;

/**
 * The entry points to the shell and to stored sessions; `/session/connect` has a full browser where one is installed.
 */
export const entryPoints: readonly EntryPoint[] = [
  direct('/'),
  direct('/chromium'),
  second('/devtools/browser'),
  second('/function/connect'),
  {
    name: '/devtools/page',
    async enter(service) {
      const first = await rawClient(socketUrl(service, '/'));
      const { result } = await first.send('Browserless.pageId');
      const client = await rawClient(socketUrl(service, `/devtools/page/${String(result?.['pageId'])}`));
      return { send: client.send, page: attackPage(client.send), client, leave: () => leave(client, first) };
    },
  },
  {
    name: '/session/connect',
    async enter(service) {
      const { id } = succeeded(await service.post('/session', {})).json<{ id: string }>();
      const foothold = await standIn(await rawClient(socketUrl(service, `/session/connect/${id}`)));
      const remove = () => service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
      return { ...foothold, leave: () => foothold.leave().then(async () => void (await remove())) };
    },
  },
  {
    name: '/reconnect',
    async enter(service) {
      const first = await rawClient(socketUrl(service, '/'));
      const { result } = await first.send('Browserless.reconnect', { timeout: 60_000 });
      await leave(first);
      return standIn(await rawClient(socketUrl(service, pathOf(result?.['browserWSEndpoint']))));
    },
  },
  {
    name: 'a browser that BrowserQL hands over',
    async enter(service) {
      const query = 'mutation { reconnect(timeout: 60000) { browserWSEndpoint } }';
      const reply = succeeded(await service.post('/chromium/bql', { query }));
      const { data } = reply.json<{ data: { reconnect: { browserWSEndpoint: string } } }>();
      return standIn(await rawClient(socketUrl(service, pathOf(data.reconnect.browserWSEndpoint))));
    },
  },
  {
    name: 'a CDPSession of Playwright',
    async enter(service) {
      const browser = await connectPlaywright(service);
      const context = await browser.newContext();
      const session = await context.newCDPSession(await context.newPage());
      const whole = await browser.newBrowserCDPSession();
      const sender =
        (cdp: typeof session): Send =>
        (method, params = {}) =>
          // Methods that the library does not know are sent too.
          Promise.resolve(Reflect.apply(cdp.send, cdp, [method, params])).then(
            (result) => ({ result }),
            (error: Error) => ({ error: { message: error.message } }),
          );
      return {
        send: sender(whole),
        page: attackPage(sender(session)),
        client: undefined,
        leave: () => browser.close(),
      };
    },
  },
];

/** The entry point to a full browser. */
export const fullBrowserEntryPoint: EntryPoint = direct('/', fullBrowser);
