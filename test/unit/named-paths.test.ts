// Which files of the server CDP clients may name: those of their session and of shared directories, no others.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { bytes, openSessionFiles, problemOf, temporaryDirectory } from '../support/open-session-files.ts';
import { suite } from '../support/suite.ts';

const test = suite('paths that clients name');
let root: string;
let shared: string;

test.before(() => {
  root = temporaryDirectory();
  shared = join(root, 'shared');
  mkdirSync(join(shared, 'inner'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(shared, 'common.txt'), 'common');
});
test.after(() => rmSync(root, { recursive: true }));

test('pages get files of the session by name or path, files of shared directories, and nothing else', async () => {
  await using session = await openSessionFiles(root, { sharedDirectories: [shared, join(root, 'not-there')] });
  const { files } = session;
  await files.put('mine.txt', bytes('mine'));
  const own = join(files.directory, 'mine.txt');
  assert.is(await files.pathOf('mine.txt'), own);
  assert.is(await files.pathOf(own), own);
  assert.is(await files.pathOf(join(shared, 'common.txt')), join(shared, 'common.txt'));
  symlinkSync(join(shared, 'common.txt'), join(shared, 'inner/alias.txt'));
  assert.is(await files.pathOf(join(shared, 'inner/alias.txt')), join(shared, 'common.txt'));
  symlinkSync(join(root, 'secret.txt'), join(shared, 'out.txt'));
  symlinkSync(root, join(shared, 'up'));
  symlinkSync(join(root, 'secret.txt'), join(files.directory, 'out.txt'));
  symlinkSync('/etc', join(files.directory, 'etc'));
  await using other = await openSessionFiles(root);
  await other.files.put('theirs.txt', bytes('theirs'));
  const refused = [
    '/etc/passwd',
    '/proc/self/environ',
    join(root, 'secret.txt'),
    `${shared}/../secret.txt`,
    `${files.directory}/../../secret.txt`,
    `${files.directory}/../files/mine.txt`,
    join(shared, 'out.txt'),
    join(shared, 'up/secret.txt'),
    join(files.directory, 'out.txt'),
    join(files.directory, 'etc/passwd'),
    join(other.files.directory, 'theirs.txt'),
    'theirs.txt',
    'missing.txt',
    '../secret.txt',
    'files/mine.txt',
    './mine.txt',
    '',
    '.',
    '..',
    `${own}\0`,
    `${own}/`,
    `${shared}-other/common.txt`,
    shared,
    files.directory,
    `file://${own}`,
    'C:\\secret.txt',
    `/${'x'.repeat(10_000)}`,
  ];
  for (const named of refused) {
    const { code, message } = await problemOf(files.pathOf(named));
    assert.is(code, 'forbidden-destination', named);
    assert.match(message, 'PUT /session-files/the-id/<name>', named);
    assert.match(message, 'SHARED_FILE_DIRS', named);
    assert.ok(message.length < 700, named);
  }
  // The text does not tell which files the server has.
  const [there, absent] = [join(root, 'secret.txt'), join(root, 'nowhere.txt')];
  const [first, second] = [await problemOf(files.pathOf(there)), await problemOf(files.pathOf(absent))];
  assert.is(first.message.replace(there, ''), second.message.replace(absent, ''));
});

test('downloads land in the session’s directory, whatever a client names, or in a shared one', async () => {
  await using session = await openSessionFiles(root, { sharedDirectories: [shared] });
  const { files } = session;
  assert.is(await files.downloadDirectory(shared), shared);
  assert.is(await files.downloadDirectory(`${shared}/inner/`), join(shared, 'inner'));
  symlinkSync('/tmp', join(shared, 'outside'));
  const elsewhere = ['/etc', root, `${shared}/..`, `${shared}/missing`, `${shared}/common.txt`, `${shared}/outside`];
  for (const named of [...elsewhere, '', 'inner', './files', `${shared}\0`, `${shared}-other`, files.directory]) {
    assert.is(await files.downloadDirectory(named), files.directory, named);
  }
  assert.not(existsSync(join(shared, 'missing')));
});
