// Collects the URLs that the server puts into its responses, at every entry point that generates any.
import * as assert from 'uvu/assert';
import { rawClient, type SessionEntry, socketUrl } from './clients.ts';
import { succeeded } from '../checks/expect.ts';
import type { Reply } from './http.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

/** URLs by the names of their entry point and field. */
export type Addresses = Record<string, string>;

interface Kept {
  browserQLEndpoint: string;
  browserWSEndpoint: string;
  devtoolsFrontendUrl: string;
  webSocketDebuggerUrl: string;
}

const keep =
  'mutation { reconnect(timeout: 60000) { browserQLEndpoint browserWSEndpoint devtoolsFrontendUrl webSocketDebuggerUrl } }';

/** A click that downloads a file without a site. */
const download = `(() => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['text']));
  link.download = 'made.txt';
  link.click();
})()`;

/**
 * Queries every entry point once, with these headers on each request and handshake. Needs a server without sessions.
 */
export async function generatedAddresses(service: Service, headers: Record<string, string>): Promise<Addresses> {
  const get = async (path: string, method = 'GET'): Promise<Reply> =>
    succeeded(await service.get(path, { method, headers }));
  const bql = await service.post('/chromium/bql', { query: keep }, { headers });
  const kept = succeeded(bql).json<{ data: { reconnect: Kept } }>().data.reconnect;
  const id = kept.browserWSEndpoint.split('/').at(-1) ?? '';
  try {
    const json = { ...headers, 'content-type': 'application/json' };
    const made = succeeded(await service.post('/session', { ttl: 60_000 }, { headers: json })).json<Addresses>();
    const put = await service.get(`/session-files/${id}/put.txt`, { method: 'PUT', headers });
    const entries = (await get('/sessions')).json<(SessionEntry & Addresses)[]>();
    const own = entries.filter((entry) => entry.browserId === id);
    const page = own.find(({ type }) => type === 'page');
    const [target] = (await get('/json/list')).json<Addresses[]>();
    const info = (await get(`/reconnect/${id}`)).json<{ webSocketDebuggerUrl: string; pages: Addresses[] }>();
    const openApi = (await get('/openapi.json')).json<{ servers: { url: string }[] }>();
    const files = (await get(`/session-files/${id}`)).json<{ files: { url: string }[] }>();
    const found = {
      ...members('BrowserQL reconnect', { ...kept }),
      ...members('/json/version', (await get('/json/version')).json(), ['webSocketDebuggerUrl']),
      ...members('/json/new', (await get('/json/new', 'PUT')).json(), ['webSocketDebuggerUrl', 'devtoolsFrontendUrl']),
      ...members('/json/list', target, ['webSocketDebuggerUrl', 'devtoolsFrontendUrl']),
      ...members('/sessions', page, [
        'killURL',
        'initialConnectURL',
        'browserWSEndpoint',
        'webSocketDebuggerUrl',
        'devtoolsFrontendUrl',
      ]),
      ...members('/session', made, ['connect', 'stop', 'browserQL']),
      ...members('/reconnect', { ...info, pages: '' }, ['webSocketDebuggerUrl']),
      ...members('/reconnect pages', info.pages[0], ['browserWSEndpoint', 'webSocketDebuggerUrl']),
      ...members('put /session-files', put.json(), ['url']),
      ...members('/session-files', files.files[0], ['url']),
      ...members('/openapi.json', openApi.servers[0], ['url']),
      '/sitemap.xml': /<loc>([^<]+)<\/loc>/.exec((await get('/sitemap.xml')).text)?.[1] ?? '',
      '/robots.txt': /^Sitemap: (.*)$/m.exec((await get('/robots.txt')).text)?.[1] ?? '',
      ...(await fromSocket(service, id, headers)),
    };
    for (const [name, address] of Object.entries(found)) assert.ok(address, `${name} is missing`);
    return found;
  } finally {
    await service.get('/kill/all');
    await until(
      'all sessions to end',
      async () => (await service.get('/sessions')).json<object[]>().length === 0,
      30_000,
    );
  }
}

/** The URLs that a CDP client receives on its socket. */
async function fromSocket(service: Service, id: string, headers: Record<string, string>): Promise<Addresses> {
  const client = await rawClient(socketUrl(service, `/reconnect/${id}`), headers);
  const { result } = await client.send('Browserless.reconnect', { timeout: 60_000 });
  await client.send('Browserless.setDownloadEnabled', { enabled: true });
  const created = await client.send('Target.createTarget', { url: 'about:blank' });
  const { result: attached } = await client.send('Target.attachToTarget', {
    targetId: created.result?.['targetId'],
    flatten: true,
  });
  await client.send('Runtime.evaluate', { expression: download }, String(attached?.['sessionId']));
  const told = await until('the download to be reported', () =>
    client.events.find(({ method }) => method === 'Browserless.fileDownloaded'),
  );
  client.socket.close();
  await client.closed;
  return {
    'Browserless.reconnect': String(result?.['browserWSEndpoint']),
    'Browserless.fileDownloaded': String(told.params?.['url']),
  };
}

function members(where: string, answer: Addresses | undefined, names = Object.keys(answer ?? {})): Addresses {
  return Object.fromEntries(names.map((name) => [`${where} ${name}`, answer?.[name] ?? '']));
}

/** Asserts that each URL starts with this base URL, which has no trailing slash. */
export function leadThrough(addresses: Addresses, base: string): void {
  const socket = base.replace(/^http/, 'ws');
  const name = base.startsWith('https:') ? 'wss' : 'ws';
  const { origin, pathname } = new URL(base);
  const inspector = `${pathname.replace(/\/$/, '')}/devtools/inspector.html?${name}=${base.replace(/^https?:\/\//, '')}/devtools/page/`;
  const wrong = Object.entries(addresses).filter(([where, address]) => {
    if (where.endsWith('devtoolsFrontendUrl')) {
      const start = where.startsWith('BrowserQL') ? `${origin}${inspector}` : inspector;
      return !address.startsWith(start) || !/^\w+$/.test(address.slice(start.length));
    }
    return ![base, socket].some((start) => address === start || address.startsWith(`${start}/`));
  });
  assert.equal(wrong, [], `not under ${base}`);
}
