// Session files over HTTP: list, get, put and remove them, who can do so, how long they remain
// (compatibility.mdx#session-files).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { endAll, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import type { Reply } from '../support/clients/http.ts';
import { type FileEntry, fileNames, listFiles, openSession, putFile, token } from '../support/clients/session-files.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('session files over HTTP', {
  env: { SPARES: '0', TOKEN: token, MAX_SESSION_FILES_MB: '2' },
});
test.after.each(() => endAll(service));

const put = (id: string, name: string, body: string | Uint8Array, headers = {}) =>
  putFile(service, id, { name, body, headers });

test('a file can be uploaded, listed, downloaded, and removed', async () => {
  const { id } = await openSession(service);
  const { directory, files } = await listFiles(service, id);
  assert.ok(directory.startsWith(`${service.scratchDir}/`));
  assert.equal(files, []);
  const name = 'Grüße & <b>.html';
  const created = await put(id, name, '<script>alert(1)</script>', { 'content-type': 'text/html' });
  assert.is(created.status, 201);
  const entry = created.json<FileEntry>();
  assert.equal(Object.keys(entry).toSorted(), ['modifiedOn', 'name', 'path', 'size', 'url']);
  assert.equal([entry.name, entry.size, entry.path], [name, 25, join(directory, name)]);
  assert.is(entry.url, `${service.url}/session-files/${id}/${encodeURIComponent(name)}`);
  assert.is(readFileSync(entry.path, 'utf8'), '<script>alert(1)</script>');
  assert.equal((await listFiles(service, id)).files, [entry]);

  const reply = succeeded(await service.get(new URL(entry.url).pathname), 'application/octet-stream');
  assert.is(reply.text, '<script>alert(1)</script>');
  assert.is(reply.headers['content-length'], '25');
  assert.match(reply.headers['content-disposition'] ?? '', /^attachment; filename="/);
  assert.is(reply.headers['x-content-type-options'], 'nosniff');
  assert.is(reply.headers['content-security-policy'], 'sandbox');
  const head = await service.get(new URL(entry.url).pathname, { method: 'HEAD' });
  assert.equal([head.status, head.bytes.length, head.headers['content-length']], [200, 0, '25']);

  assert.is((await put(id, name, 'short')).status, 200);
  assert.is((await service.get(new URL(entry.url).pathname)).text, 'short');
  refused(await service.get(new URL(entry.url).pathname, { method: 'DELETE' }), 204);
  refused(await service.get(new URL(entry.url).pathname), 404, /no complete file/);
  refused(await service.get(new URL(entry.url).pathname, { method: 'DELETE' }), 404);
  assert.equal(await fileNames(service, id), []);
});

test('bytes of any type are returned unchanged; an empty file is allowed', async () => {
  const { id } = await openSession(service);
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  await put(id, 'random.json', bytes, { 'content-type': 'application/json' });
  assert.equal((await service.get(`/session-files/${id}/random.json`)).bytes, bytes);
  assert.is((await put(id, 'empty', '')).status, 201);
  assert.is((await service.get(`/session-files/${id}/empty`)).bytes.length, 0);
});

test("the server's token gives access to the files, unless a reconnectable browser has its own token", async () => {
  const { client, id } = await openSession(service);
  await put(id, 'a.txt', 'a');
  const ask = async (credential: string | null) => {
    const replies: Reply[] = [];
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/a.txt'],
      ['PUT', '/b.txt'],
      ['DELETE', '/b.txt'],
    ] as const) {
      replies.push(await service.get(`/session-files/${id}${path}`, { method, token: credential }));
    }
    return replies.map(({ status }) => status);
  };
  const none = [401, 401, 401, 401];
  const all = [200, 200, 201, 204];
  assert.equal(await ask(null), none);
  assert.equal(await ask('wrong'), none);
  assert.equal(await ask('secret-token'), all);
  // A client without a token does not learn which ids exist.
  assert.is((await service.get('/session-files/unknown', { token: null })).status, 401);
  await client.send('Browserless.reconnect', { timeout: 15_000, auth: 'only-mine' });
  assert.equal(await ask(null), none);
  assert.equal(await ask('secret-token'), none);
  assert.equal(await ask('only-mine'), all);
});

test('only complete ids of sessions with files are found', async () => {
  const { id } = await openSession(service, { trackingId: 'tracked' });
  for (const unknown of ['unknown', 'tracked', id.slice(0, 8), `${id}x`, id.toUpperCase()]) {
    refused(await service.get(`/session-files/${unknown}`), 404, /Couldn't locate session/);
    assert.is((await put(unknown, 'a.txt', 'a')).status, 404, unknown);
  }
  await service.get('/kill/all');
  refused(await service.get(`/session-files/${id}`), 404);
});

test('returns 400 for unknown parameters', async () => {
  const { id } = await openSession(service);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    refused(await service.get(`/session-files/${id}/a.txt`, { method, query: { color: 'red' } }), 400, 'color');
  }
});

test('files of a POST /session session exist before its first browser and remain after it', async () => {
  const { id } = succeeded(await service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
  assert.is((await put(id, 'before.txt', 'before')).status, 201);
  const client = await rawClient(socketUrl(service, `/session/connect/${id}`));
  const { result } = await client.send('Browserless.uploadFile', { name: 'during.txt', data: btoa('during') });
  assert.is(result?.['error'], null);
  const { directory } = await listFiles(service, id);
  assert.is(result?.['path'], join(directory, 'during.txt'));
  client.socket.close();
  const entry = async () => (await sessionsOf(service)).find((each) => each.id === id);
  await until('the browser to be gone', async () => (await entry())?.running === false);
  assert.equal(await fileNames(service, id), ['before.txt', 'during.txt']);
  refused(await service.get(`/session/${id}`, { method: 'DELETE' }), 204);
  assert.not(existsSync(directory));
  refused(await service.get(`/session-files/${id}`), 404);
});
