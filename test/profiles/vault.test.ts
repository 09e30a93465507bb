// What stored profiles leave on disk, and what happens with wrong keys, damaged files and hostile uploads.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { handshake } from '../support/clients/clients.ts';
import { loginAt, profilesKey, upload } from '../support/clients/profiles.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService, stopAll } from '../support/service.ts';

const { test, service } = fixtureSuite('the vault of profiles', { env: { PROFILES_KEY: profilesKey } });
const word = 'a-word-that-nobody-may-read';
const state = loginAt({ url: 'http://shop.example' }, word);

const directory = () => service.env['PROFILES_DIR'] ?? '';

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const fileOf = (ending: string) => filesBelow(directory()).find((path) => path.endsWith(ending)) ?? '';

test.proves('PROFILES_KEY');
test('a server without a key returns a 501 that names the missing setting', async () => {
  await using bare = await startService({ env: { SPARES: '0' } });
  refused(await bare.get('/profiles'), 501, 'set PROFILES_KEY');
  refused(await upload(bare, 'x', state), 501, 'PROFILES_KEY');
  refused(await bare.post('/profile', { name: 'x' }), 501, 'PROFILES_KEY');
  refused(await bare.post('/content', { html: 'x' }, { query: { profile: 'x' } }), 501, 'PROFILES_KEY');
  assert.is((await handshake(bare, '/', { profile: 'x' })).status, 501);
});

test("files are encrypted, accessible only to the server's user, and contain no names", async () => {
  succeeded(await upload(service, 'name-of-profile', state));
  const files = filesBelow(directory());
  assert.is(files.length, 3, 'the lock, the profile and its state');
  for (const path of files) {
    const text = `${path} ${readFileSync(path, 'latin1')}`;
    for (const told of [word, 'name-of-profile', 'shop.example']) assert.not.match(text, told);
    assert.is(statSync(path).mode & 0o077, 0, path);
  }
  assert.not.match(service.output(), word);
});

test('responses never contain stored data', async () => {
  for (const path of ['/profiles', '/profile/name-of-profile']) {
    assert.not.match(succeeded(await service.get(path)).text, word);
  }
});

test.proves('GET/profiles?limit GET/profiles?offset');
test('lists are paginated, profiles can be renamed, and removed profiles leave no files behind', async () => {
  for (const name of ['b', 'c', 'd']) succeeded(await upload(service, name, state));
  const names = async (query: Record<string, number>) =>
    succeeded(await service.get('/profiles', { query }))
      .json<{ name: string }[]>()
      .map(({ name }) => name);
  assert.equal(await names({ limit: 2, offset: 1 }), ['c', 'd']);
  assert.equal(await names({ offset: 9 }), []);
  refused(await service.get('/profiles', { query: { limit: 1001 } }), 400, 'limit');
  refused(await service.post('/profile/b', { name: 'c' }, { method: 'PUT' }), 400, 'already');
  succeeded(await service.post('/profile/b', { name: 'b2' }, { method: 'PUT' }));
  refused(await service.get('/profile/b'), 404);
  assert.equal(await names({}), ['b2', 'c', 'd', 'name-of-profile']);
  const before = filesBelow(directory()).length;
  succeeded(await service.post('/profile/refresh', { name: 'c', state }));
  assert.is(filesBelow(directory()).length, before, 'the old state is removed');
  const gone = succeeded(await service.get('/profile/b2', { method: 'DELETE' })).json();
  assert.equal(gone, { success: true, message: 'The profile was removed.', name: 'b2' });
  assert.is(filesBelow(directory()).length, before - 2);
  refused(await service.get('/profile/b2', { method: 'DELETE' }), 404);
});

test('concurrent uploads under one name create one profile', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(service, 'race', state)));
  assert.equal(answers.map(({ status }) => status).toSorted(), [200, ...Array<number>(7).fill(400)]);
});

test('unsafe names are rejected', async () => {
  for (const name of ['../../x', '..', '.', 'a/b', 'a\\b', 'a b', 'a?b', 'a#b', '', 'x'.repeat(256), '\u0000']) {
    refused(await upload(service, name, state), 400, 'name');
    refused(await service.post('/profile', { name }), 400, 'name');
    refused(await service.post('/profile/c', { name }, { method: 'PUT' }), 400, 'name');
  }
  for (const path of ['/profile/..%2f..%2fvault.json', '/profile/vault.json', '/profile/__proto__']) {
    refused(await service.get(path), 404);
  }
});

test('malformed, private, and excess data is left out and counted', async () => {
  const cookie = { name: 'a', value: 'b', domain: 'shop.example', path: '/' };
  const cookies = [
    cookie,
    { ...cookie, name: 'x;y' },
    { ...cookie, value: 'x\ny' },
    { ...cookie, domain: 'a/b' },
    { ...cookie, domain: 7 },
    { ...cookie, sameSite: 'Sometimes' },
    { ...cookie, value: 'x'.repeat(5_000) },
    null,
    'text',
    { ...cookie, domain: '169.254.169.254' },
  ];
  const many = Array.from({ length: 60 }, (_, at) => ({
    origin: `https://s${at}.example`,
    localStorage: [{ name: 'a', value: 'b' }],
  }));
  const store = (records: number) => ({
    name: 's',
    records: Array.from({ length: records }, (_, key) => ({ key, value: 1 })),
  });
  const databases = Array.from({ length: 7 }, (_, at) => ({ name: `d${at}`, version: 1, stores: [] }));
  const full = {
    origin: 'https://first.example',
    indexedDB: [
      { name: 'd', version: 1, stores: [store(1_005), { name: 's', records: [] }, { name: 7, records: [] }, 'x'] },
      { name: 'e', version: 0, stores: [] },
      null,
      ...databases,
    ],
  };
  const origins = [
    full,
    { origin: 'file:///etc/passwd' },
    { origin: 'https://x.example/path' },
    { origin: 'data:text/html,x' },
    { origin: 'chrome://settings' },
    { origin: 5 },
    null,
    { origin: 'http://169.254.169.254' },
    { origin: `http://localhost:${service.port}` },
    { origin: `http://127.0.0.1:${service.port}` },
    ...many,
  ];
  const json: any = succeeded(await upload(service, 'counted', { cookies, origins })).json();
  const { id: _id, name, createdAt: _c, updatedAt: _u, lastUsedAt, ...counts } = json;
  assert.is(name, 'counted');
  assert.is(lastUsedAt, null);
  assert.equal(counts, {
    cookieCount: 1,
    originCount: 50,
    skippedMalformedCookies: 8,
    skippedPrivateCookies: 1,
    skippedMalformedOrigins: 6,
    skippedPrivateOrigins: 3,
    truncatedOrigins: 11,
    skippedMalformedIdbDatabases: 2,
    truncatedIdbDatabases: 3,
    skippedMalformedIdbStores: 3,
    truncatedIdbEntries: 5,
  });
});

test('a state larger than 2 MB is rejected', async () => {
  const localStorage = [{ name: 'big', value: 'x'.repeat(2_100_000) }];
  const big = { origins: [{ origin: 'https://shop.example', localStorage }] };
  refused(await upload(service, 'big', big), 400, '2097152 bytes');
  refused(await service.post('/profile/refresh', { name: 'c', state: big }), 400, '2097152 bytes');
  refused(await service.get('/profile/big'), 404);
});

test('prototype properties have no effect', async () => {
  const text = `{"name":"proto","state":{"__proto__":{"cookies":[{"name":"x"}]},"cookies":[{"__proto__":{"name":"a","value":"b","domain":"c.example"}}],"origins":[{"origin":"https://a.example","localStorage":[{"name":"__proto__","value":"x"}]}]}}`;
  const json: any = succeeded(await service.post('/profile/upload', text)).json();
  assert.is(json.skippedMalformedCookies, 1);
  assert.is(json.originCount, 1);
  assert.is(({} as { name?: string }).name, undefined);
});

test('a damaged file is reported, and only its profile is lost', async () => {
  succeeded(await upload(service, 'whole', state));
  const path = fileOf('.state');
  const bytes = readFileSync(path);
  const hit: string[] = [];
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(path, bytes);
  const all = succeeded(await service.get('/profiles')).json<{ name: string }[]>();
  for (const { name } of all) {
    const { status, text } = await service.post('/content', { html: 'x' }, { query: { profile: name } });
    if (status === 200) continue;
    assert.is(status, 500);
    assert.match(text, 'its file is damaged');
    hit.push(name);
  }
  assert.is(hit.length, 1);
  succeeded(await service.get(`/profile/${hit[0]}`, { method: 'DELETE' }));
  assert.not.match(service.output(), word);
});

test.proves('PROFILES_DIR');
test('a server with a different key cannot read anything and says so; the right key restores access', async () => {
  const env = { PROFILES_DIR: directory(), SPARES: '0' };
  const wrong = await startService({ env: { ...env, PROFILES_KEY: 'some other key of an operator' } });
  refused(await wrong.get('/profiles'), 501, 'PROFILES_KEY does not match the files in PROFILES_DIR');
  refused(await upload(wrong, 'x', state), 501, 'PROFILES_KEY does not match the files in PROFILES_DIR');
  await stopAll(wrong);
  const right = await startService({ env: { ...env, PROFILES_KEY: profilesKey } });
  assert.ok(succeeded(await right.get('/profiles')).json<unknown[]>().length > 2);
  writeFileSync(join(directory(), 'vault.json'), '{"version":1}');
  await stopAll(right);
  await using broken = await startService({ env: { ...env, PROFILES_KEY: profilesKey } });
  refused(await broken.get('/profiles'), 501, 'vault.json in PROFILES_DIR is damaged');
});
