// Session files over HTTP, with malicious names, bodies and clients.
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { dirname } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { endAll } from '../support/clients/clients.ts';
import {
  authorization,
  type FileList,
  fileNames,
  listFiles,
  openSession,
  putFile,
  token,
} from '../support/clients/session-files.ts';
import { refused } from '../support/checks/expect.ts';
import { until } from '../support/until.ts';

const megabyte = 2 ** 20;

const { test, service } = fixtureSuite('attacks on session files', {
  env: { SPARES: '0', TOKEN: token, MAX_SESSION_FILES_MB: '2' },
});
test.after.each(() => endAll(service));

const put = (id: string, name: string, body: string | Uint8Array, headers = {}) =>
  putFile(service, id, { name, body, headers });
/** Entries next to the directory of files, which an interrupted upload may have left. */
const beside = ({ directory }: FileList) => readdirSync(dirname(directory)).filter((name) => name.startsWith('put-'));
/** Files in the scratch directory that the server, in this process or its own, has open. */
const openFiles = () =>
  [process.pid, ...service.tree().map(({ pid }) => pid)].flatMap((pid) => {
    try {
      const files = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      // Chromium's shared memory is in deleted files.
      return files.filter((file) => file.startsWith(service.scratchDir) && !file.includes('.org.chromium.'));
    } catch {
      return []; // Closed or ended in the meantime.
    }
  });

/** Sends a path unchanged: URL and fetch would resolve `..` in it. */
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

test.shows('escaped-paths', 'sessions');
test('no spelling of a name escapes the directory', async () => {
  const victim = await openSession(service);
  await put(victim.id, 'theirs.txt', 'theirs');
  const { id } = await openSession(service);
  const { directory } = await listFiles(service, id);
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
      // Every HTTP client removes a dot segment from a path, which leaves the path of the list.
      if (method === 'GET' && ['.', '%2e'].includes(name)) continue;
      const status = await rawPath(method, `/session-files/${id}/${name}`);
      assert.ok([400, 404].includes(status), `${method} ${name}: ${status}`);
    }
  }
  // Escaped twice, it is an ordinary name.
  assert.is(await rawPath('PUT', `/session-files/${id}/..%252f..%252fx`), 201);
  for (const path of ['/../../x', '/a/../b', '/a/b', '//etc/passwd', '/%2e%2e/x']) {
    const status = await rawPath('GET', `/session-files/${id}${path}`);
    assert.ok([400, 404].includes(status), `${path}: ${status}`);
  }
  assert.equal(readdirSync(directory), ['..%2f..%2fx']);
  assert.equal(await fileNames(service, victim.id), ['theirs.txt']);
  assert.not.match(service.output(), /"code":"internal"/);
});

test('a body over the limit is rejected and leaves nothing behind', async () => {
  const { id } = await openSession(service);
  refused(await put(id, 'large.bin', new Uint8Array(2 * megabyte + 1)), 507, 'MAX_SESSION_FILES_MB');
  // An upload that announces its size is rejected before it is sent.
  const announced = await new Promise<string>((resolve, reject) => {
    const socket = connectSocket(service.port, '127.0.0.1');
    socket.on('data', (chunk) => resolve(chunk.toString()));
    socket.on('error', reject);
    socket.write(
      `PUT /session-files/${id}/large.bin HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Length: ${10 ** 12}\r\n\r\nx`,
    );
  });
  assert.match(announced, /^HTTP\/1\.1 507 /);
  // An upload that does not is rejected once it has grown too large.
  const response = await fetch(`${service.url}/session-files/${id}/large.bin`, {
    method: 'PUT',
    headers: { authorization },
    body: new Blob([new Uint8Array(3 * megabyte)]).stream(),
    duplex: 'half',
  });
  assert.is(response.status, 507);
  await response.body?.cancel();
  assert.equal(await fileNames(service, id), []);
  const list = await listFiles(service, id);
  await until('everything to be cleaned up', () => beside(list).length === 0 && openFiles().length === 0);
  // The limit applies to all files together.
  assert.is((await put(id, 'one', new Uint8Array(megabyte))).status, 201);
  assert.is((await put(id, 'two', new Uint8Array(megabyte))).status, 201);
  refused(await put(id, 'three', 'x'), 507);
  assert.is((await put(id, 'two', new Uint8Array(megabyte))).status, 200);
  assert.is((await openSession(service)).client.socket.readyState, 1);
});

/** Sends the headers of a PUT and half of its body. */
async function halfPut(id: string, query = '') {
  const socket = connectSocket(service.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => {});
  socket.write(
    `PUT /session-files/${id}/half.bin${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(100_000)}`,
  );
  const list = await listFiles(service, id);
  await until('the upload to start', () => beside(list).length === 1);
  return { socket, list, answer: () => text };
}

test.proves('PUT/session-files/:id/:name?timeout');
test('a partial upload is removed if the client disconnects or is too slow', async () => {
  const { id } = await openSession(service);
  const left = await halfPut(id);
  left.socket.destroy();
  await until('everything to be cleaned up', () => beside(left.list).length === 0 && openFiles().length === 0);
  const slow = await halfPut(id, '?timeout=500');
  await until('a response', () => slow.answer() !== '');
  assert.match(slow.answer(), /^HTTP\/1\.1 408 /);
  await until('everything to be cleaned up', () => beside(slow.list).length === 0 && openFiles().length === 0);
  slow.socket.destroy();
  assert.equal(await fileNames(service, id), []);
});

test('an upload stops when its session is killed, and all files are removed', async () => {
  const { id } = await openSession(service);
  await put(id, 'a.txt', 'a');
  const upload = await halfPut(id);
  await service.get(`/kill/${id}`);
  upload.socket.write('x'.repeat(100_000));
  await until('a response', () => upload.answer() !== '');
  assert.match(upload.answer(), /^HTTP\/1\.1 410 /);
  upload.socket.destroy();
  await until('the directory to be gone', () => !existsSync(dirname(upload.list.directory)));
});

test('clients that disconnect during a download leave no files open', async () => {
  const { id } = await openSession(service);
  await put(id, 'two.bin', new Uint8Array(2 * megabyte));
  for (let count = 0; count < 5; count++) {
    const leave = new AbortController();
    const response = await fetch(`${service.url}/session-files/${id}/two.bin`, {
      headers: { authorization },
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
    await service.get(`/session-files/${id}/two.bin`, { method: 'HEAD' });
  }
  await until('all files to be closed', () => openFiles().length === 0);
});

test('many concurrent uploads all succeed', async () => {
  const { id } = await openSession(service);
  const names = Array.from({ length: 20 }, (_, index) => `file-${index}.txt`);
  const replies = await Promise.all(names.map((name) => put(id, name, name)));
  assert.ok(replies.every(({ status }) => status === 201));
  assert.equal(await fileNames(service, id), names.toSorted());
  const same = await Promise.all(names.map((name) => put(id, 'same.txt', name)));
  assert.ok(same.every(({ status }) => [200, 201].includes(status)));
  assert.ok(names.includes((await service.get(`/session-files/${id}/same.txt`)).text));
});
