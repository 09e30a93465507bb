// Profiles named by clients, at every endpoint that accepts launch options: only under directories that the operator
// allows, one browser per profile at a time, and nothing left behind after a refusal.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { connect, handshake, noSessions, type Query, sessionsOf } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('profiles', { timeoutMs: 60_000 });
let service: Service;
let site: Site;
let allowed: string;

test.before(async () => {
  site = await startSite();
  service = await startService({ env: { SPARES: '0', CONCURRENT: '3' } });
  allowed = join(service.baseDir, 'profiles');
  mkdirSync(allowed);
});
test.before.each(() => noSessions(service));
test.after(async () => {
  // Directories kept on purpose are not leftovers of the server.
  for (const name of readdirSync(service.dataDir)) rmSync(join(service.dataDir, name), { recursive: true });
  await stopAll(service, site);
});

const launchQuery = (userDataDir: string): Query => ({ launch: JSON.stringify({ userDataDir }), timeout: 20_000 });

/** Status and text of each endpoint's response to a query. */
const endpoints: Record<string, (query: Query) => Promise<Pick<Reply, 'status' | 'text'>>> = {
  '/content': (query) => service.post('/content', { html: 'x' }, { query }),
  '/function': (query) => service.post('/function', { code: 'export default async () => ({})' }, { query }),
  '/performance': (query) => service.post('/performance', { url: site.url }, { query }),
  '/chromium/bql': (query) =>
    service.post('/chromium/bql', { query: 'mutation { goto(url: "about:blank") { status } }' }, { query }),
  'WebSocket /': (query) => handshake(service, '/', query),
  'WebSocket /chromium/bql': (query) =>
    handshake(service, '/chromium/bql', query, { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }),
};

/** Names of all entries in the server's directories. */
const entries = () => [service.dataDir, service.scratchDir].flatMap((directory) => readdirSync(directory)).toSorted();

test.differs('`userDataDir` may be any directory');
test('a profile outside the allowed directories is rejected by every endpoint and leaves nothing behind', async () => {
  const file = join(service.dataDir, 'a-file');
  writeFileSync(file, '');
  symlinkSync('/etc', join(service.dataDir, 'link'));
  mkdirSync(join(service.dataDir, 'browserless-data-dir-of-others'));
  const before = entries();
  for (const directory of [
    '/proc/x',
    '/sys/x',
    '/etc',
    '/nowhere',
    '../outside',
    'a/../../outside',
    '.',
    ' ',
    `${service.dataDir}`,
    `${service.dataDir}-more/x`,
    `${service.dataDir}/../x`,
    'link/x',
    'a-file',
    'a-file/x',
    'browserless-data-dir-of-others',
    'browserless-data-dir-of-others/Default',
    'x'.repeat(300),
    `${'x/'.repeat(300)}y`,
    'nul\0',
    'line\nbreak',
  ]) {
    for (const [name, ask] of Object.entries(endpoints)) {
      const reply = await ask(launchQuery(directory));
      assert.is(reply.status, 400, `${name} ${JSON.stringify(directory)}: ${reply.text}`);
      assert.match(reply.text, 'DATA_DIR');
      assert.match(reply.text, 'USER_DATA_DIRS');
    }
  }
  for (const [name, ask] of Object.entries(endpoints)) {
    assert.is((await ask({ '--user-data-dir': '/proc/x' })).status, 400, name);
  }
  assert.equal(entries(), before);
  assert.equal(await sessionsOf(service), []);
});

test.proves('USER_DATA_DIRS');
test('profiles given by name are created in DATA_DIR, by path in allowed directories, and both are kept', async () => {
  for (const [requested, path] of [
    ['team/shop', join(service.dataDir, 'team/shop')],
    [join(service.dataDir, 'by-path'), join(service.dataDir, 'by-path')],
    [join(allowed, 'new/one'), join(allowed, 'new/one')],
  ] as const) {
    const browser = await connect(service, '/', { launch: JSON.stringify({ userDataDir: requested }) });
    const [entry] = await sessionsOf(service);
    assert.is(entry?.userDataDir, path);
    assert.is(entry?.isTempDataDir, false);
    await browser.close();
    await noSessions(service);
    assert.ok(existsSync(path), path);
  }
});

test('a browser waits for its profile until the previous browser has released it', async () => {
  const query = { launch: JSON.stringify({ userDataDir: 'turns' }) };
  const url = `${site.url}/cookies`;
  const expires = Math.floor(Date.now() / 1_000) + 3_600;
  const first = await connect(service, '/', query);
  const cookie = { name: 'turn', value: 'first', expires, domain: '127.0.0.1' };
  await first.setCookie({ ...cookie, path: '/', secure: false, httpOnly: false });
  const second = service.post('/content', { url }, { query });
  await until('the second to have its slot', async () => (await sessionsOf(service)).length === 2);
  await first.close();
  assert.match(succeeded(await second).text, /turn=first/);
});

test('waiting for a profile ends at the time limit, with the reason', async () => {
  const query = { launch: JSON.stringify({ userDataDir: 'taken' }) };
  const holder = await connect(service, '/', query);
  refused(
    await service.post('/content', { html: 'x' }, { query: { ...query, timeout: 300 } }),
    408,
    'is using the profile',
  );
  const reply = await handshake(service, '/', { ...query, timeout: 300 });
  assert.is(reply.status, 408);
  assert.match(reply.text, 'is using the profile');
  await holder.close();
  succeeded(await service.post('/content', { html: 'x' }, { query }));
});

test('endpoints that do not support custom profiles reject them with the reason', async () => {
  const headers = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
  const playwright = await handshake(service, '/chromium/playwright', launchQuery('shop'), headers);
  assert.is(playwright.status, 400);
  assert.match(playwright.text, 'no effect on Playwright sockets');
  refused(await service.post('/session', { args: ['--user-data-dir=shop'] }), 400, 'a session has its own');
  const { id } = succeeded(await service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
  const session = await handshake(service, `/session/connect/${id}`, launchQuery('shop'));
  assert.is(session.status, 400);
  assert.match(session.text, 'a session has its own');
  await service.get(`/session/${id}`, { method: 'DELETE' });
});
