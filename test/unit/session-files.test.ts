// The files of a session without a browser: names, limits, which files count as downloads, what a directory contains.
// @runs newest
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { FileAccess } from '../../src/sessions/cdp/rules/verdict.ts';
import { filesBelow } from '../../src/base/runtime/files.ts';
import { sessionFileLimits } from '../../src/base/limits.ts';
import type { SessionFile } from '../../src/sessions/lifecycle/list-files.ts';
import type { SessionFiles } from '../../src/sessions/lifecycle/session-files.ts';
import { bytes, openSessionFiles } from '../support/open-session-files.ts';
import { problemOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('session files');
const megabyte = 2 ** 20;
const root = temporaryDirectory();

test.before(() => writeFileSync(join(root, 'secret.txt'), 'secret'));

async function textOf(files: SessionFiles, name: string): Promise<string> {
  return new Response((await files.read(name)).stream()).text();
}

test('puts, lists, reads, replaces and removes a file, in a directory that only the server user may enter', async () => {
  await using session = await openSessionFiles(root);
  const { files, parent } = session;
  // The interface that rules for CDP commands use.
  const access: FileAccess = files;
  assert.is(await access.downloadDirectory(undefined), files.directory);
  assert.is(statSync(files.directory).mode & 0o777, 0o700);
  assert.is((await files.put('b.txt', bytes('first'))).created, true);
  const { file, created } = await files.put('b.txt', bytes('second!'));
  assert.equal([created, file.size, file.path], [false, 7, join(files.directory, 'b.txt')]);
  assert.is(statSync(file.path).mode & 0o777, 0o600);
  await files.put('a b%2f.txt', []);
  const list = await files.list();
  assert.equal(
    list.map(({ name, size }) => [name, size]),
    [
      ['a b%2f.txt', 0],
      ['b.txt', 7],
    ],
  );
  assert.ok(list.every(({ modifiedOn }) => Math.abs(modifiedOn - Date.now()) < 60_000));
  assert.is(await textOf(files, 'b.txt'), 'second!');
  await files.remove('b.txt');
  assert.is((await problemOf(files.remove('b.txt'))).code, 'not-found');
  assert.equal(readdirSync(parent), ['files']);
});

const wrongNames = ['', '.', '..', 'a/b', '../a', '/etc/passwd', 'a\\b', '..\\a', 'a\0', 'a\nb', '\x7f', '\ud800', '/'];
for (const name of wrongNames) {
  test(`the name ${JSON.stringify(name)} is rejected`, async () => {
    await using session = await openSessionFiles(root);
    for (const work of [
      () => session.files.put(name, bytes('x')),
      () => session.files.read(name),
      () => session.files.remove(name),
    ]) {
      assert.is((await problemOf(work())).code, 'bad-request');
    }
    assert.equal(readdirSync(session.parent), ['files']);
  });
}

test('names have at most 200 bytes of UTF-8, and cannot be those of running downloads', async () => {
  await using session = await openSessionFiles(root);
  await session.files.put('é'.repeat(100), bytes('x'));
  assert.match((await problemOf(session.files.put(`${'é'.repeat(100)}a`, bytes('x')))).message, /200 bytes.*201/);
  assert.is((await problemOf(session.files.put('a.crdownload', bytes('x')))).code, 'bad-request');
});

test('links and directories are not files', async () => {
  await using session = await openSessionFiles(root);
  const { files } = session;
  symlinkSync(join(root, 'secret.txt'), join(files.directory, 'link.txt'));
  mkdirSync(join(files.directory, 'folder'));
  for (const name of ['link.txt', 'folder']) {
    assert.is((await problemOf(files.read(name))).code, 'not-found');
    assert.is((await problemOf(files.remove(name))).code, 'not-found');
    assert.is((await problemOf(files.pathOf(name))).code, 'forbidden-destination');
  }
  assert.equal(await files.list(), []);
  // A file replaces a link; the link's target stays.
  await files.put('link.txt', bytes('own'));
  assert.is(await textOf(files, 'link.txt'), 'own');
  assert.is(statSync(join(root, 'secret.txt')).size, 'secret'.length);
});

test('all files together stay within the limit, not counting what an upload replaces', async () => {
  await using session = await openSessionFiles(root, { maxBytes: 3 * megabyte });
  const { files, life, parent } = session;
  const chunk = new Uint8Array(megabyte);
  await files.put('a', [chunk, chunk]);
  await files.put('a', [chunk, chunk, chunk]);
  await files.put('a', [chunk, chunk], 2 * megabyte);
  for (const work of [
    () => files.put('b', [chunk, chunk]),
    () => files.put('b', [], 2 * megabyte),
    () => files.put('a', [chunk, chunk, chunk, chunk]),
  ]) {
    const { code, status, message } = await problemOf(work());
    assert.equal([code, status], ['session-files-full', 507]);
    assert.match(message, /3 MB.*MAX_SESSION_FILES_MB/);
  }
  // Two at a time share the remaining space.
  const half = [new Uint8Array(0.6 * megabyte)];
  const both = await Promise.allSettled([files.put('c', half), files.put('d', half)]);
  assert.equal(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.is(life.ending, false);
  assert.equal(readdirSync(parent), ['files']);
});

test('a session has at most 1,000 files', async () => {
  await using session = await openSessionFiles(root);
  for (let count = 0; count < sessionFileLimits.files; count++) {
    writeFileSync(join(session.files.directory, `${count}`), '');
  }
  const { code, message } = await problemOf(session.files.put('one-more', bytes('x')));
  assert.is(code, 'session-files-full');
  assert.match(message, /1000 files/);
  assert.is((await session.files.put('7', bytes('x'))).created, false);
  writeFileSync(join(session.files.directory, 'one-more'), '');
  assert.is((await session.life.ended)?.code, 'session-files-full');
});

test('an interrupted upload leaves nothing behind, and its own error is thrown', async () => {
  await using session = await openSessionFiles(root);
  const left = new Error('the client left');
  async function* broken() {
    yield new Uint8Array(1000);
    throw left;
  }
  const thrown = await session.files.put('a', broken()).catch((error: unknown) => error);
  assert.is(thrown, left);
  assert.equal(readdirSync(session.parent), ['files']);
  assert.equal(readdirSync(session.files.directory), []);
});

test('a session accepts 100 uploads at a time', async () => {
  await using session = await openSessionFiles(root);
  const { files, parent } = session;
  await files.put('a', bytes('x'));
  const end = new Error('enough');
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  async function* waiting() {
    yield new Uint8Array(1);
    await promise;
  }
  const uploads = Array.from({ length: sessionFileLimits.uploadsAtOnce }, () => files.put('a', waiting()));
  const all = Promise.allSettled(uploads);
  await until('all uploads to run', () => readdirSync(parent).length === 1 + sessionFileLimits.uploadsAtOnce);
  assert.equal((await problemOf(files.put('a', bytes('x')))).code, 'queue-full');
  reject(end);
  assert.ok((await all).every((each) => each.status === 'rejected' && each.reason === end));
  assert.equal(readdirSync(parent), ['files']);
  assert.is((await files.put('a', bytes('xy'))).file.size, 2);
});

test('an upload ends with its session', async () => {
  await using session = await openSessionFiles(root);
  const { files, life, parent } = session;
  async function* endless() {
    for (;;) {
      yield new Uint8Array(10);
      life.end(undefined);
    }
  }
  assert.is((await problemOf(files.put('a', endless()))).code, 'session-ended');
  assert.equal(readdirSync(parent), ['files']);
  assert.is((await problemOf(files.put('b', bytes('x')))).code, 'session-ended');
});

test('a download is reported when it is complete, an upload is not', async () => {
  await using session = await openSessionFiles(root);
  const { files } = session;
  const downloads: SessionFile[] = [];
  const stop = files.onDownloaded((file) => downloads.push(file));
  await files.put('mine.txt', bytes('mine'));
  const path = join(files.directory, 'report.csv');
  // As Chromium does: write the content under another name and an empty file under the final name, then replace that.
  writeFileSync(`${path}.crdownload`, 'a,b');
  writeFileSync(path, '');
  writeFileSync(join(files.directory, '.org.chromium.Chromium.a1b2c3'), 'a');
  await files.put('.hidden', bytes('mine'));
  writeFileSync(join(files.directory, 'seen.txt'), 'x');
  await until('the other file to be reported', () => downloads.length === 1);
  assert.equal(
    (await files.list()).map(({ name }) => name),
    ['.hidden', 'mine.txt', 'seen.txt'],
  );
  assert.is((await problemOf(files.read('report.csv'))).code, 'not-found');
  assert.is((await problemOf(files.read('report.csv.crdownload'))).code, 'not-found');
  assert.is((await problemOf(files.read('.org.chromium.Chromium.a1b2c3'))).code, 'not-found');
  assert.is(await textOf(files, '.hidden'), 'mine');
  renameSync(`${path}.crdownload`, path);
  await until('the download to be reported', () => downloads.length === 2);
  // Full browsers do not use the final name any earlier either.
  const unconfirmed = join(files.directory, 'Unconfirmed 4711.crdownload');
  writeFileSync(unconfirmed, 'content');
  writeFileSync(join(files.directory, 'late.txt'), '');
  assert.not((await files.list()).some(({ name }) => name === 'late.txt'));
  renameSync(unconfirmed, join(files.directory, 'late.txt'));
  await until('it to be reported', () => downloads.length === 3);
  assert.equal([downloads[2]?.name, downloads[2]?.size], ['late.txt', 7]);
  rmSync(join(files.directory, 'late.txt'));
  // An empty file may be complete even while another file is being downloaded.
  writeFileSync(join(files.directory, 'running.crdownload'), 'x');
  writeFileSync(join(files.directory, 'empty.txt'), '');
  await until('the empty file to be reported', () => downloads.length === 4);
  assert.equal([downloads[3]?.name, downloads[3]?.size], ['empty.txt', 0]);
  assert.equal([downloads[1]?.name, downloads[1]?.size, downloads[1]?.path], ['report.csv', 3, path]);
  // The same name again counts as another download.
  writeFileSync(`${path}.crdownload`, 'a,b,c');
  renameSync(`${path}.crdownload`, path);
  await until('the second download to be reported', () => downloads.length === 5);
  assert.is(downloads[4]?.size, 5);
  stop();
  writeFileSync(join(files.directory, 'unheard.txt'), 'x');
  await files.put('mine.txt', bytes('changed'));
  await until('all to be listed', async () => (await files.list()).length === 6);
  assert.is(downloads.length, 5);
});

test('files that are put are never mistaken for downloads, however often they are replaced', async () => {
  await using session = await openSessionFiles(root, { maxBytes: 2_000 });
  const { files, life } = session;
  const downloads: SessionFile[] = [];
  files.onDownloaded((file) => downloads.push(file));
  const names = ['a', 'b', 'c', '.d', '.e'];
  await Promise.all(
    names.map(async (name) => {
      for (let count = 0; count < 60; count++) {
        await files.put(name, bytes(`${count}`.repeat(50)));
        if (count % 20 === 19) await files.list();
      }
    }),
  );
  writeFileSync(join(files.directory, 'last.txt'), 'x');
  await until('the download to be reported', () => downloads.length > 0);
  assert.equal(
    downloads.map(({ name }) => name),
    ['last.txt'],
  );
  assert.is((await files.list()).length, 6);
  assert.is(life.ending, false);
});

test('a download that exceeds the limit ends the session while it is running', async () => {
  await using session = await openSessionFiles(root, { maxBytes: megabyte });
  const path = join(session.files.directory, 'large.crdownload');
  writeFileSync(path, new Uint8Array(megabyte / 2));
  await session.files.list();
  assert.is(session.life.ending, false);
  writeFileSync(path, new Uint8Array(megabyte / 2 + 1), { flag: 'a' });
  const reason = await session.life.ended;
  assert.is(reason?.code, 'session-files-full');
  assert.match(reason?.message ?? '', /MAX_SESSION_FILES_MB/);
});

test('lists files at all levels, but no links to files or directories', async () => {
  const inside = join(root, 'inside');
  mkdirSync(join(inside, 'a/b'), { recursive: true });
  for (const name of ['top.js', 'a/one.css', 'a/b/two.svg']) writeFileSync(join(inside, name), name);
  symlinkSync(join(root, 'secret.txt'), join(inside, 'secret.txt'));
  symlinkSync(root, join(inside, 'a/outside'));
  symlinkSync(inside, join(inside, 'again'));
  assert.equal((await filesBelow(inside)).toSorted(), ['a/b/two.svg', 'a/one.css', 'top.js']);
});

test('throws if the directory does not exist', async () => {
  const problem = await filesBelow(join(root, 'nowhere')).catch((error: unknown) => error);
  assert.is(problem instanceof Error && 'code' in problem && problem.code, 'ENOENT');
});
