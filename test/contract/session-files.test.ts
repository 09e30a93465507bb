// Files of sessions over HTTP: list, get, put and remove them; names, tokens and bodies that are meant to do harm
// (compatibility.mdx#session-files).
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type Reply, send } from '../support/clients/http.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('session files over HTTP', { timeoutMs: 60_000 });
const megabyte = 2 ** 20;
let service: Service;

test.before(async () => {
  service = await startService({ env: { TOKEN: 'secret-token', MAX_SESSION_FILES_MB: '2' } });
});
test.after(() => stopAll(service));
test.after.each(async () => {
  await service.get('/kill/all');
  await until('no session', async () => (await sessionsOf(service)).length === 0, 30_000);
});

interface Entry {
  name: string;
  size: number;
  modifiedOn: number;
  path: string;
  url: string;
}

interface List {
  directory: string;
  files: Entry[];
}

interface Opened {
  client: RawClient;
  id: string;
}

/** A session of a CDP client. */
async function openSession(query = {}): Promise<Opened> {
  const before = new Set((await sessionsOf(service)).map(({ id }) => id));
  const client = await rawClient(socketUrl(service, '/', query));
  const entry = (await sessionsOf(service)).find(({ id }) => !before.has(id));
  return { client, id: entry?.id ?? '' };
}

const authorization = 'Bearer secret-token';
const put = (id: string, name: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  send(`${service.url}/session-files/${id}/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { authorization, ...headers },
    body,
  });
const listOf = async (id: string) => succeeded(await service.get(`/session-files/${id}`)).json<List>();
const namesOf = async (id: string) => (await listOf(id)).files.map(({ name }) => name);
/** Entries beside the directory of files: what an upload that broke off may have left. */
const beside = ({ directory }: List) => readdirSync(dirname(directory)).filter((name) => name.startsWith('put-'));
/** Files of the scratch directory that the server has open. */
const openFiles = () =>
  readdirSync(`/proc/${service.pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${service.pid}/fd/${fd}`).startsWith(service.scratchDir);
    } catch {
      return false; // Closed meanwhile.
    }
  });

/** Sends a path as it is written: URL and fetch would resolve `..` in it. */
function rawPath(method: string, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = httpRequest(
    { host: '127.0.0.1', port: service.port, method, path, headers: { authorization }, agent: false },
    (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    },
  );
  request.on('error', reject);
  request.end(method === 'PUT' ? 'attack' : undefined);
  return promise;
}

test('a file is put, listed, answered and removed', async () => {
  const { id } = await openSession();
  const { directory, files } = await listOf(id);
  assert.ok(directory.startsWith(`${service.scratchDir}/`));
  assert.equal(files, []);
  const name = 'Grüße & <b>.html';
  const created = await put(id, name, '<script>alert(1)</script>', { 'content-type': 'text/html' });
  assert.is(created.status, 201);
  const entry = created.json<Entry>();
  assert.equal(Object.keys(entry).toSorted(), ['modifiedOn', 'name', 'path', 'size', 'url']);
  assert.equal([entry.name, entry.size, entry.path], [name, 25, join(directory, name)]);
  assert.is(entry.url, `${service.url}/session-files/${id}/${encodeURIComponent(name)}`);
  assert.is(readFileSync(entry.path, 'utf8'), '<script>alert(1)</script>');
  assert.equal((await listOf(id)).files, [entry]);

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
  assert.equal(await namesOf(id), []);
});

test('bytes of any type come back as they were; an empty file is a file', async () => {
  const { id } = await openSession();
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  await put(id, 'random.json', bytes, { 'content-type': 'application/json' });
  assert.equal((await service.get(`/session-files/${id}/random.json`)).bytes, bytes);
  assert.is((await put(id, 'empty', '')).status, 201);
  assert.is((await service.get(`/session-files/${id}/empty`)).bytes.length, 0);
});

test('the server’s token opens the files, that of a kept browser in its place', async () => {
  const { client, id } = await openSession();
  await put(id, 'a.txt', 'a');
  const ask = async (token: string | null) => {
    const replies: Reply[] = [];
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/a.txt'],
      ['PUT', '/b.txt'],
      ['DELETE', '/b.txt'],
    ] as const) {
      replies.push(await service.get(`/session-files/${id}${path}`, { method, token }));
    }
    return replies.map(({ status }) => status);
  };
  const none = [401, 401, 401, 401];
  const all = [200, 200, 201, 204];
  assert.equal(await ask(null), none);
  assert.equal(await ask('wrong'), none);
  assert.equal(await ask('secret-token'), all);
  // Who has no token does not learn which ids there are.
  assert.is((await service.get('/session-files/unknown', { token: null })).status, 401);
  await client.send('Browserless.reconnect', { timeout: 15_000, auth: 'only-mine' });
  assert.equal(await ask(null), none);
  assert.equal(await ask('secret-token'), none);
  assert.equal(await ask('only-mine'), all);
});

test('only whole ids of sessions with files are known', async () => {
  const { id } = await openSession({ trackingId: 'tracked' });
  for (const unknown of ['unknown', 'tracked', id.slice(0, 8), `${id}x`, id.toUpperCase()]) {
    refused(await service.get(`/session-files/${unknown}`), 404, /Couldn't locate session/);
    assert.is((await put(unknown, 'a.txt', 'a')).status, 404, unknown);
  }
  await service.get('/kill/all');
  refused(await service.get(`/session-files/${id}`), 404);
});

test('no spelling of a name leads out of the directory', async () => {
  const victim = await openSession();
  await put(victim.id, 'theirs.txt', 'theirs');
  const { id } = await openSession();
  const { directory } = await listOf(id);
  const up = `${'..%2f'.repeat(directory.split('/').length)}etc%2fpasswd`;
  const names = [
    '..',
    '%2e%2e',
    '..%2f..%2fx',
    '%2e%2e%2fx',
    '..%5cx',
    '%5c..%5cx',
    '%2fetc%2fpasswd',
    encodeURIComponent(directory),
    up,
    `..%2f..%2f${victim.id}%2ftheirs.txt`,
    'a%00',
    'a%00.txt',
    '%0a',
    'a%0d%0aX-Injected:%20yes',
    '%7f',
    '.',
    '%2e',
    'x'.repeat(201),
    '%ff',
    '%zz',
    'x.crdownload',
  ];
  for (const name of names) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      // Every HTTP client takes a dot out of a path: what stays is the list.
      if (method === 'GET' && ['.', '%2e'].includes(name)) continue;
      const status = await rawPath(method, `/session-files/${id}/${name}`);
      assert.ok([400, 404].includes(status), `${method} ${name}: ${status}`);
    }
  }
  // Escaped once more, it is a name like any other.
  assert.is(await rawPath('PUT', `/session-files/${id}/..%252f..%252fx`), 201);
  for (const path of ['/../../x', '/a/../b', '/a/b', '//etc/passwd', '/%2e%2e/x']) {
    const status = await rawPath('GET', `/session-files/${id}${path}`);
    assert.ok([400, 404].includes(status), `${path}: ${status}`);
  }
  assert.equal(readdirSync(directory), ['..%2f..%2fx']);
  assert.equal(await namesOf(victim.id), ['theirs.txt']);
  assert.not.match(service.output(), /"code":"internal"/);
});

test('a body above the limit is refused, and nothing of it stays', async () => {
  const { id } = await openSession();
  refused(await put(id, 'large.bin', new Uint8Array(2 * megabyte + 1)), 507, 'MAX_SESSION_FILES_MB');
  // One that announces a size is refused before it is sent.
  const announced = await new Promise<string>((resolve, reject) => {
    const socket = connectSocket(service.port, '127.0.0.1');
    socket.on('data', (chunk) => resolve(chunk.toString()));
    socket.on('error', reject);
    socket.write(
      `PUT /session-files/${id}/large.bin HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Length: ${10 ** 12}\r\n\r\nx`,
    );
  });
  assert.match(announced, /^HTTP\/1\.1 507 /);
  // One that does not is refused when it has grown too large.
  const response = await fetch(`${service.url}/session-files/${id}/large.bin`, {
    method: 'PUT',
    headers: { authorization },
    body: new Blob([new Uint8Array(3 * megabyte)]).stream(),
    duplex: 'half',
  });
  assert.is(response.status, 507);
  await response.body?.cancel();
  assert.equal(await namesOf(id), []);
  const list = await listOf(id);
  await until('nothing to be left', () => beside(list).length === 0 && openFiles().length === 0);
  // The limit is for all files together.
  assert.is((await put(id, 'one', new Uint8Array(megabyte))).status, 201);
  assert.is((await put(id, 'two', new Uint8Array(megabyte))).status, 201);
  refused(await put(id, 'three', 'x'), 507);
  assert.is((await put(id, 'two', new Uint8Array(megabyte))).status, 200);
  assert.is((await openSession()).client.socket.readyState, 1);
});

/** Sends the head of a PUT and half of its body. */
async function halfPut(id: string, query = '') {
  const socket = connectSocket(service.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => {});
  socket.write(
    `PUT /session-files/${id}/half.bin${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`,
  );
  const list = await listOf(id);
  await until('the upload to begin', () => beside(list).length === 1);
  return { socket, list, answer: () => text };
}

test('what a client that leaves, or is too slow, had sent is removed', async () => {
  const { id } = await openSession();
  const left = await halfPut(id);
  left.socket.destroy();
  await until('nothing to be left', () => beside(left.list).length === 0 && openFiles().length === 0);
  const slow = await halfPut(id, '?timeout=500');
  await until('an answer', () => slow.answer() !== '');
  assert.match(slow.answer(), /^HTTP\/1\.1 408 /);
  await until('nothing to be left', () => beside(slow.list).length === 0 && openFiles().length === 0);
  slow.socket.destroy();
  assert.equal(await namesOf(id), []);
});

test('an upload ends with its session, and everything goes with it', async () => {
  const { id } = await openSession();
  await put(id, 'a.txt', 'a');
  const upload = await halfPut(id);
  await service.get(`/kill/${id}`);
  upload.socket.write('x'.repeat(100_000));
  await until('an answer', () => upload.answer() !== '');
  assert.match(upload.answer(), /^HTTP\/1\.1 410 /);
  upload.socket.destroy();
  await until('the directory to be gone', () => !existsSync(dirname(upload.list.directory)));
});

test('clients that leave while a file is sent to them leave nothing open', async () => {
  const { id } = await openSession();
  await put(id, 'two.bin', new Uint8Array(2 * megabyte));
  for (let count = 0; count < 20; count++) {
    const leave = new AbortController();
    const response = await fetch(`${service.url}/session-files/${id}/two.bin`, {
      headers: { authorization },
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
    await service.get(`/session-files/${id}/two.bin`, { method: 'HEAD' });
  }
  await until('no file to be open', () => openFiles().length === 0);
});

test('many uploads at once are all there', async () => {
  const { id } = await openSession();
  const names = Array.from({ length: 60 }, (_, index) => `file-${index}.txt`);
  const replies = await Promise.all(names.map((name) => put(id, name, name)));
  assert.ok(replies.every(({ status }) => status === 201));
  assert.equal(await namesOf(id), names.toSorted());
  const same = await Promise.all(names.map((name) => put(id, 'same.txt', name)));
  assert.ok(same.every(({ status }) => [200, 201].includes(status)));
  assert.ok(names.includes((await service.get(`/session-files/${id}/same.txt`)).text));
});

test('unknown parameters are refused', async () => {
  const { id } = await openSession();
  for (const method of ['GET', 'PUT', 'DELETE']) {
    refused(await service.get(`/session-files/${id}/a.txt`, { method, query: { color: 'red' } }), 400, 'color');
  }
});

test('files of POST /session are there before its first browser and stay after it', async () => {
  const { id } = succeeded(await service.post('/session', { ttl: 60_000 })).json<{ id: string }>();
  assert.is((await put(id, 'before.txt', 'before')).status, 201);
  const client = await rawClient(socketUrl(service, `/session/connect/${id}`));
  const { result } = await client.send('Browserless.uploadFile', { name: 'during.txt', data: btoa('during') });
  assert.is(result?.['error'], null);
  const { directory } = await listOf(id);
  assert.is(result?.['path'], join(directory, 'during.txt'));
  client.socket.close();
  const entry = async () => (await sessionsOf(service)).find((each) => each.id === id);
  await until('the browser to be gone', async () => (await entry())?.running === false);
  assert.equal(await namesOf(id), ['before.txt', 'during.txt']);
  refused(await service.get(`/session/${id}`, { method: 'DELETE' }), 204);
  assert.not(existsSync(directory));
  refused(await service.get(`/session-files/${id}`), 404);
});
