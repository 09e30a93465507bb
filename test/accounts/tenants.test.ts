// Two tenants on one server: what belongs to one does not exist for the other, at every entry point that accepts an id.
// The entry points come from the table of routes, so a new one fails here until it is covered.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { directRoutes, jobRoutes, socketRoutes } from '../../src/api/routes/table.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { handshake, type RawClient, rawClient, type SessionEntry, socketUrl } from '../support/clients/clients.ts';
import { type Reply, send } from '../support/clients/http.ts';
import { member, openPage } from '../support/clients/targets.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { processesMentioning } from '../support/processes.ts';
import type { CallOptions } from '../support/service.ts';
import { until } from '../support/until.ts';

const [ours, theirs] = [tokenOf('ours'), tokenOf('theirs')];
let client: RawClient;
/** What the first tenant owns, by kind of id. */
let owned: {
  browser: string;
  page: string;
  stored: string;
  recording: string;
  live: string;
  share: string;
  name: string;
};

const as = (token: string): CallOptions => ({ token });

const { test, service, site } = fixtureSuite('tenants apart', {
  timeoutMs: 120_000,
  tokens: [{ name: 'ours' }, { name: 'theirs' }, { name: 'plain', features: ['-liveURL', '-stealth'] }],
  env: { SPARES: '0', CONCURRENT: '20', PROFILES_KEY: 'a key for these tests' },
});
test.before(async () => {
  client = await rawClient(socketUrl(service, '/', { token: ours, trackingId: 'nightly', replay: true }));
  const { targetId: page, sessionId } = await openPage(client, `${site.url}/small`);
  await client.send('Browserless.reconnect', { timeout: 600_000 }, sessionId);
  const live = await client.send('Browserless.liveURL', {}, sessionId);
  const [browser] = await sessionsOf(ours);
  const stored = succeeded(await service.post('/session', { ttl: 600_000 }, as(ours))).json<{ id: string }>();
  await put('/session-files/:id/:name', browser?.id ?? '', ours);
  const recordings = async () =>
    succeeded(await service.get('/recordings', as(ours))).json<{ recordings: { id: string }[] }>().recordings;
  const [recording] = await until('the recording', async () => {
    const list = await recordings();
    return list.length > 0 && list;
  });
  const share = await service.post(`/recordings/${recording?.id}/share`, {}, as(ours));
  const profile = { name: 'owned-name', state: { cookies: [], origins: [] } };
  succeeded(await service.post('/profile/upload', profile, as(ours)));
  const secret = { value: 'word', origins: ['https://a.example'] };
  await service.post('/secret/owned-name', secret, { ...as(ours), method: 'PUT' });
  owned = {
    browser: browser?.id ?? '',
    page,
    stored: stored.id,
    recording: recording?.id ?? '',
    live: String(member(live.result, 'liveURLId')),
    share: succeeded(share).json<{ id: string }>().id,
    // The name of both a stored profile and a secret.
    name: 'owned-name',
  };
});

async function sessionsOf(token: string): Promise<SessionEntry[]> {
  const entries = succeeded(await service.get('/sessions', as(token))).json<SessionEntry[]>();
  return entries.filter(({ type }) => type === 'browser');
}

const put = async (path: string, id: string, token: string): Promise<Reply> =>
  send(`${service.url}${path.replace(':id', id).replace(':name', 'a.txt')}?token=${token}`, {
    method: 'PUT',
    body: 'a',
  });

/** The path of a route with the ids of the first tenant. */
function pathOf(route: string): string {
  const { browser, page, stored, recording, live, share, name } = owned;
  const id = route.startsWith('/recordings/')
    ? recording
    : route.startsWith('/session/')
      ? stored
      : route.startsWith('/devtools/page/')
        ? page
        : browser;
  const path = route
    .replace(/\{.*\}/, '')
    .replace(':id', id)
    .replace(':live', live)
    .replace(':share', share);
  return path.replace(':name', route.startsWith('/session-files/') ? 'a.txt' : name);
}

/** Names are per owner, so here the other tenant creates its own secret instead of getting a 404. */
const makesOwn = (method: string, path: string) => method === 'PUT' && path === '/secret/:name';
const withIds = directRoutes.filter(
  ({ auth, method, path }) => path.includes(':') && auth !== 'open' && !makesOwn(method, path),
);

test.shows('other-ids', 'HTTP', 'REST');
test('HTTP: every route with an id returns 404 to the other tenant, as for an unknown id', async () => {
  assert.ok(withIds.length >= 15);
  for (const { otherMethods = [], method, path } of withIds) {
    for (const each of [method, ...otherMethods]) {
      const json = each === 'POST' || path.startsWith('/profile/');
      const renamed = path.startsWith('/profile/') ? '{"name":"other"}' : 'a';
      const body = each === 'POST' ? '{}' : each === 'PUT' ? renamed : undefined;
      const call = (address: string) =>
        send(`${service.url}${address}?token=${theirs}`, {
          method: each,
          headers: json ? { 'content-type': 'application/json' } : {},
          ...(body === undefined ? {} : { body }),
        });
      const reply = refused(await call(pathOf(path)), 404);
      const shapeOf = ({ text }: Reply, id: string) => text.replaceAll(id, 'ID');
      const used = pathOf(path);
      const id = Object.values(owned).find((one) => used.includes(one)) ?? '';
      const other = id.replaceAll(/[\da-f](?=[\da-f]{0,3}$)/gi, '0');
      if (each !== 'PUT')
        assert.is(shapeOf(reply, id), shapeOf(await call(used.replace(id, other)), other), `${each} ${path}`);
    }
  }
});

test.shows('other-ids', 'CDP', 'Playwright', 'sessions');
test('sockets: every route with an id returns 404 to the other tenant', async () => {
  const routesWithIds = socketRoutes.filter(({ path }) => path.includes(':id'));
  assert.ok(routesWithIds.length >= 8);
  for (const { path } of routesWithIds) {
    const { status, text } = await handshake(service, pathOf(path), { token: theirs });
    assert.is(status, 404, `${path}: ${text}`);
  }
});

test.shows('other-ids', 'BrowserQL');
test('BrowserQL: every route with an id returns 404 to the other tenant', async () => {
  const routesWithIds = jobRoutes.filter(({ name }) => name.includes(':id'));
  assert.ok(routesWithIds.length >= 2);
  for (const { name, mounts = [] } of routesWithIds) {
    for (const { prefix } of mounts) {
      const path = pathOf(`${prefix}/${name}`);
      refused(await service.post(path, { query: 'mutation { title { title } }' }, as(theirs)), 404);
    }
  }
});

test("lists show only a tenant's own entries; the operator sees all except stored logins", async () => {
  const lists = async (token: string) => {
    const recordings = succeeded(await service.get('/recordings', as(token)));
    const pages = succeeded(await service.get('/json/list', as(token)));
    const profiles = succeeded(await service.get('/profiles', as(token)));
    const secrets = succeeded(await service.get('/secrets', as(token)));
    const stored = [profiles.json<[]>(), secrets.json<[]>()];
    return [await sessionsOf(token), recordings.json<{ recordings: [] }>().recordings, pages.json<[]>(), ...stored].map(
      ({ length }) => length > 0,
    );
  };
  assert.equal(await lists(ours), [true, true, true, true, true]);
  assert.equal(await lists(theirs), [false, false, false, false, false]);
  // Stored logins are visible only to their owner, not even to the operator.
  assert.equal(await lists('operator-token'), [true, true, true, false, false]);
});

test('tracking ids and /kill/all are per tenant', async () => {
  const query = { token: theirs, trackingId: 'nightly' };
  const other = await rawClient(socketUrl(service, '/', query));
  refused(
    await service.post('/content', { html: '<p>' }, { query: { ...query, timeout: 5_000 }, token: null }),
    400,
    'already exists',
  );
  assert.is((await sessionsOf(theirs)).length, 1);
  assert.is((await service.get('/kill/nightly', as(theirs))).status, 204);
  await other.closed;
  refused(await service.get('/kill/nightly', as(theirs)), 404);
  assert.is((await service.get('/kill/all', as(theirs))).status, 204);
  const left = await sessionsOf(ours);
  assert.equal(left.map(({ id }) => id).toSorted(), [owned.browser, owned.stored].toSorted());
});

test("launch.userDataDir: the same name is a separate profile per tenant, and other tenants' profiles cannot be named", async () => {
  const launch = (userDataDir: string) => JSON.stringify({ userDataDir });
  const visit = async (token: string, userDataDir: string) => {
    const body = { url: `${site.url}/profile`, html: undefined };
    return service.post('/content', body, { token, query: { launch: launch(userDataDir) } });
  };
  mkdirSync(join(service.baseDir, 'profiles'), { recursive: true });
  succeeded(await visit(ours, 'shop'));
  succeeded(await visit(theirs, 'shop'));
  assert.equal(
    readdirSync(service.dataDir)
      .filter((name) => name.startsWith('@'))
      .toSorted(),
    ['@ours', '@theirs'],
  );
  for (const path of [
    '../@ours/shop',
    join(service.dataDir, '@ours', 'shop'),
    join(service.baseDir, 'profiles', 'x'),
    '..',
    '.',
  ]) {
    refused(await visit(theirs, path), 400, 'launch.userDataDir');
  }
  succeeded(await visit('operator-token', '@ours/shop'));
  // A browser writes to its profile until it has exited.
  await until('the browsers to exit', () => processesMentioning(join(service.dataDir, '@')).length === 0);
  for (const name of ['@ours', '@theirs']) rmSync(join(service.dataDir, name), { recursive: true });
});

test('only the operator may use routes that report on the whole server', async () => {
  for (const path of ['/config', '/metrics', '/metrics/total']) {
    refused(await service.get(path, as(theirs)), 401, 'Only the operator');
    succeeded(await service.get(path, as('operator-token')));
  }
  const signIn = (token: string) =>
    send(`${service.url}/dashboard/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ token }),
    });
  refused(await signIn(theirs), 401, 'Only the operator');
  assert.is((await signIn('operator-token')).status, 204);
});

test("a token set by reconnect grants only what its owner's plan includes", async () => {
  const kept = await rawClient(socketUrl(service, '/', { token: tokenOf('plain') }));
  const { sessionId } = await openPage(kept, `${site.url}/small`);
  await kept.send('Browserless.reconnect', { timeout: 60_000, auth: 'plain-word' }, sessionId);
  const [browser] = await sessionsOf(tokenOf('plain'));
  const live = await service.post(`/browser/${browser?.id}/live`, {}, as('plain-word'));
  refused(live, 401, 'does not include live views');
  refused(await service.post('/profile', { name: 'x', stealth: true }, as(tokenOf('plain'))), 401, 'stealth browsers');
  kept.socket.close();
  await kept.closed;
});

test('a browser with a token set by reconnect accepts only clients that present it', async () => {
  const kept = await rawClient(socketUrl(service, '/', { token: ours }));
  const { sessionId } = await openPage(kept, `${site.url}/small`);
  const { result } = await kept.send('Browserless.reconnect', { timeout: 60_000, auth: 'shared-word' }, sessionId);
  const path = new URL(String(result?.['browserWSEndpoint'])).pathname;
  assert.is((await handshake(service, path, { token: theirs })).status, 404);
  assert.is((await handshake(service, path, { token: ours })).status, 401);
  assert.is((await handshake(service, path, { token: 'wrong' })).status, 401);
  // A client that has the token can connect; what it runs belongs to the owner.
  const guest = await rawClient(socketUrl(service, path, { token: 'shared-word' }));
  guest.socket.close();
  kept.socket.close();
  await Promise.all([guest.closed, kept.closed]);
});
