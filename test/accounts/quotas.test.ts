// What a token can use: concurrent requests, requests per minute, time limits, routes, units; when it expires; and that
// changes to the file take effect.
import * as assert from 'uvu/assert';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refused, succeeded } from '../support/checks/expect.ts';
import { postAsPage } from '../support/clients/dashboard.ts';
import { handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import type { Reply } from '../support/clients/http.ts';
import { providerUrl, startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { hashOf, tokenOf, type TokenRow } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const rows: TokenRow[] = [
  { name: 'two', concurrent: 2, queued: 1 },
  { name: 'none', concurrent: 0 },
  { name: 'slow', perMinute: 3 },
  { name: 'short', maxTimeoutMs: 5_000, maxReconnectMs: 2_000 },
  { name: 'paper', routes: ['/pdf', '/screenshot'] },
  { name: 'poor', unitsPerMonth: 2 },
  { name: 'proxied', unitsPerMonth: 2 },
  { name: 'past', expires: '2020-01-01T00:00:00Z' },
  { name: 'later', expires: '2999-01-01T00:00:00Z' },
  { name: 'revoked', revoked: true },
];
const { test, service, site, file } = fixtureSuite('quotas of tokens', {
  tokens: rows,
  env: async () => {
    provider = await startHttpProxy({ accepts: () => true });
    return {
      CONCURRENT: '8',
      QUEUED: '8',
      SPARES: '0',
      DOCS: 'token',
      RESIDENTIAL_PROXY_URL: providerUrl(provider, 'customer'),
    };
  },
});
let provider: TestProxy;

test.after(() => provider.close());

interface Told {
  plan: string;
  running: number;
  waiting: number;
  concurrent: number;
  maxTimeoutMs: number | null;
  units: { used: number | null; budget: number | null; resetsAt: string };
  expires: string | null;
}

const account = async (name: string) => succeeded(await service.get('/account', { token: tokenOf(name) })).json<Told>();
const content = (name: string, query: Record<string, string | number> = {}): Promise<Reply> =>
  service.post(
    '/content',
    { html: '<p>text' },
    { token: tokenOf(name), query, headers: { accept: '*/*, application/json' } },
  );
const open = (name: string) => rawClient(socketUrl(service, '/', { token: tokenOf(name) }));

test('concurrent and queued: excess requests get a 429 with the reason and numbers; other tokens are not affected', async () => {
  const clients = [await open('two'), await open('two')];
  const leaving = new AbortController();
  const waiting = service
    .post('/content', { html: '<p>' }, { token: tokenOf('two'), signal: leaving.signal })
    .catch(() => undefined);
  await until('the third request to wait', async () => (await account('two')).waiting === 1);
  const { running, concurrent } = await account('two');
  assert.equal([running, concurrent], [2, 2]);
  const reply = refused(await content('two'), 429, 'concurrent 2, queued 1');
  const { code, limit, running: ran, queued, reason } = reply.json<Record<string, unknown>>();
  assert.equal([code, limit, ran, queued, reason], ['quota', 2, 2, 1, 'quota']);
  assert.ok(Number(reply.headers['retry-after']) >= 1);
  succeeded(await content('later'));
  leaving.abort();
  await waiting;
  for (const { socket } of clients) socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
  await until('all requests to end', async () => (await account('two')).running === 0);
  refused(await content('none'), 429, 'concurrent 0');
});

test('perMinute: excess requests get a 429 that says when to retry', async () => {
  for (let call = 0; call < 3; call++) succeeded(await content('slow'));
  const reply = refused(await content('slow'), 429, '3 requests a minute (perMinute)');
  const seconds = Number(reply.headers['retry-after']);
  assert.ok(seconds > 30 && seconds <= 60, String(seconds));
  // Requests that start no browser are not counted.
  succeeded(await service.get('/account', { token: tokenOf('slow') }));
});

test("maxTimeoutMs and maxReconnectMs lower the server's limits", async () => {
  refused(await content('short', { timeout: 5_001 }), 400, 'at most 5000 milliseconds for this token');
  refused(await content('short', { timeout: 0 }), 400, 'got 0 (none)');
  succeeded(await content('short', { timeout: 5_000 }));
  assert.is((await account('short')).maxTimeoutMs, 5_000);
  refused(
    await service.post('/session', { processKeepAlive: 2_001 }, { token: tokenOf('short') }),
    400,
    'at most 2000 milliseconds',
  );
  const client = await open('short');
  const { result } = await client.send('Browserless.reconnect', { timeout: 600_000 });
  assert.is(result?.['error'], null);
  client.socket.close();
  await client.closed;
  // Without the limit it would stay for ten minutes.
  await until('the reconnectable browser to close', async () => (await account('short')).running === 0, 20_000);
});

test('routes: only those in the row are allowed, for HTTP and sockets, with every browser', async () => {
  const token = tokenOf('paper');
  for (const path of ['/pdf', '/chromium/pdf', '/screenshot'])
    succeeded(await service.post(path, { html: '<p>' }, { token }));
  refused(await service.post('/content', { html: '<p>' }, { token }), 401, 'does not include the route /content');
  refused(await service.post('/chromium/content', { html: '<p>' }, { token }), 401, 'the route /content');
  for (const path of ['/', '/chromium/bql', '/playwright/chromium', '/stealth']) {
    assert.is((await handshake(service, path, { token })).status, 401, path);
  }
  succeeded(await service.get('/account', { token }));
  refused(await service.get('/sessions', { token }), 401, 'the route /sessions');
});

test('units: a request costs one, a used-up budget returns a 402 with the numbers, and running sessions can finish', async () => {
  succeeded(await content('poor'));
  assert.equal([(await account('poor')).units.used, (await account('poor')).units.budget], [1, 2]);
  const client = await open('poor');
  const reply = refused(await content('poor'), 402, "This month's units are used up: 2 of 2");
  const { code, used, budget, resetsAt } = reply.json<Record<string, unknown>>();
  assert.equal([code, used, budget], ['units-exhausted', 2, 2]);
  assert.match(String(resetsAt), /^\d{4}-\d\d-01T00:00:00\.000Z$/);
  assert.is((await handshake(service, '/', { token: tokenOf('poor') })).status, 402);
  assert.is((await client.send('Browser.getVersion')).error, undefined);
  client.socket.close();
  await client.closed;
});

test('units: traffic through the residential proxy counts', async () => {
  const body = { url: `${site.url}/small` };
  const query = { proxy: 'residential' };
  succeeded(await service.post('/content', body, { token: tokenOf('proxied'), query }));
  // One for the page, one for the first, incomplete megabyte.
  await until('the traffic to be counted', async () => (await account('proxied')).units.used === 2);
  refused(await content('proxied'), 402);
  const { text } = await service.get('/metrics', { headers: { accept: 'text/plain' } });
  assert.match(text, /^browserd_account_units\{account="proxied"\} 2$/m);
  assert.match(text, /^browserd_account_running\{account="proxied"\} 0$/m);
});

test('expired and revoked tokens get a 401; only the expired one gets the reason', async () => {
  refused(await content('past'), 401, 'expired on 2020-01-01T00:00:00.000Z');
  refused(await content('revoked'), 401, 'Bad or missing authentication.');
  assert.is((await handshake(service, '/', { token: tokenOf('past') })).status, 401);
  assert.is((await account('later')).expires, '2999-01-01T00:00:00.000Z');
});

test.proves('TOKENS_FILE');
test('a change to the file takes effect within two seconds; an invalid file is reported and ignored', async () => {
  const begun = Date.now();
  file.write([...rows, { name: 'added', plan: 'free' }]);
  await until('the new token', async () => (await service.get('/account', { token: tokenOf('added') })).status === 200);
  assert.ok(Date.now() - begun < 2_000);
  assert.is((await account('added')).plan, 'free');
  for (const wrong of ['{', '{"tokens":[{"name":"x"}]}', '']) file.writeText(wrong);
  file.writeText('{"tokens":[{"name":"x"}]}');
  const kept = () => service.logs().filter(({ event }) => event === 'tokens.kept');
  await until('the warning', () => kept().some((line) => JSON.stringify(line).includes('tokenHash')));
  succeeded(await content('added'));
  file.write(rows);
  await until('the token to be removed', async () => (await content('added')).status === 401);
});

test('removing a token closes its sessions if its row says so', async () => {
  const both: TokenRow[] = [
    { name: 'ends', kill: true },
    { name: 'stays' },
    { name: 'soon', kill: true, expires: new Date(Date.now() + 3_000).toISOString() },
  ];
  file.write([...rows, ...both]);
  await until('the tokens', async () => (await service.get('/account', { token: tokenOf('stays') })).status === 200);
  const [ends, stays, soon] = [await open('ends'), await open('stays'), await open('soon')];
  file.write(rows.concat(both.slice(2)));
  const { code } = await ends.closed;
  assert.is(code, 4410);
  await soon.closed;
  assert.is((await stays.send('Browser.getVersion')).error, undefined);
  stays.socket.close();
  await stays.closed;
});

test.proves('UNITS_FILE');
test('monthly units survive a server restart, even after a kill', async () => {
  const unitsFile = join(service.baseDir, 'kept-units.jsonl');
  const month = new Date().toISOString().slice(0, 7);
  // A line truncated by a crash, one from another month, one of a token that is no longer in the file.
  const lines = [
    { month, units: { poor: 1 } },
    { month: '2020-01', units: { poor: 50 } },
    { month, units: { gone: 3 } },
  ];
  writeFileSync(unitsFile, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"month":"${month}","un`);
  const env = { TOKENS_FILE: file.path, UNITS_FILE: unitsFile, SPARES: '0' };
  const used = async (on: Service) =>
    succeeded(await on.get('/account', { token: tokenOf('poor') })).json<Told>().units.used;
  const first = await startService({ env });
  assert.is(await used(first), 1);
  succeeded(await first.post('/content', { html: '<p>' }, { token: tokenOf('poor') }));
  assert.is(await used(first), 2);
  await first.stop();
  const second = await startProcess({ env });
  assert.is(await used(second), 2);
  await second.end('SIGKILL');
  rmSync(second.baseDir, { recursive: true });
  const text = readFileSync(unitsFile, 'utf8');
  assert.match(text, '"gone":3');
  assert.not.match(text, '2020-01');
  await using third = await startService({ env });
  assert.is(await used(third), 2);
});

test('requests rejected by quotas and budgets are counted', async () => {
  const { text } = await service.get('/metrics', { headers: { accept: 'text/plain' } });
  for (const reason of ['quota', 'units'])
    assert.match(text, new RegExp(`^browserd_rejected_total\\{reason="${reason}"\\} [1-9]`, 'm'));
});

test('a documentation sign-in ends when its token is removed, even if the account has another one', async () => {
  const other = hashOf('another token');
  file.write([...rows, { name: 'reader', tokenHash: [hashOf(tokenOf('reader')), other] }]);
  await until('the token', async () => (await service.get('/account', { token: tokenOf('reader') })).status === 200);
  const body = String(new URLSearchParams({ token: tokenOf('reader') }));
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', body };
  const { status, headers } = await postAsPage(service, '/docs-sign-in', form);
  assert.is(status, 303);
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const read = async () => (await service.get('/docs-facts', { token: null, headers: { cookie } })).status;
  assert.is(await read(), 200);
  file.write([...rows, { name: 'reader', tokenHash: [other] }]);
  await until('the sign-in to end', async () => (await read()) === 401);
});

test('tokens from the file are never logged', async () => {
  await service.get(`/pressure?token=${tokenOf('later')}`);
  await service.get(`/sessions?token=${tokenOf('past')}`);
  assert.not.match(service.output(), /token-of-/);
});
