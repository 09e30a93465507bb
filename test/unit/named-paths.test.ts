// Which of the server's files CDP clients may name: only those of their session and of shared directories.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { openBelow } from '../../src/base/runtime/held/below.ts';
import { bytes, openSessionFiles } from '../support/open-session-files.ts';
import { problemOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('paths that clients name');
const root = temporaryDirectory();
const shared = join(root, 'shared');

test.before(() => {
  mkdirSync(join(shared, 'inner'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(shared, 'common.txt'), 'common');
});

test('pages get session files by name or path, files in shared directories, and nothing else', async () => {
  await using session = await openSessionFiles(root, { sharedDirectories: [shared, join(root, 'not-there')] });
  const { files } = session;
  await files.put('mine.txt', bytes('mine'));
  const own = join(files.directory, 'mine.txt');
  assert.is(await files.pathOf('mine.txt'), own);
  assert.is(await files.pathOf(own), own);
  const copy = await files.pathOf(join(shared, 'common.txt'));
  assert.is(basename(copy), 'common.txt');
  assert.is(readFileSync(copy, 'utf8'), 'common');
  assert.ok(copy.startsWith(`${session.parent}/`) && !copy.startsWith(files.directory), copy);
  assert.is(Math.round(statSync(copy).mtimeMs), Math.round(statSync(join(shared, 'common.txt')).mtimeMs));
  symlinkSync(join(shared, 'common.txt'), join(shared, 'inner/alias.txt'));
  assert.is(await files.pathOf(join(shared, 'inner/alias.txt')), copy, 'one copy per file');
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
  // The message does not reveal which files the server has.
  const [there, absent] = [join(root, 'secret.txt'), join(root, 'nowhere.txt')];
  const [first, second] = [await problemOf(files.pathOf(there)), await problemOf(files.pathOf(absent))];
  assert.is(first.message.replace(there, ''), second.message.replace(absent, ''));
});

test('downloads go to the session directory, whatever path a client names, or to a shared one', async () => {
  await using session = await openSessionFiles(root, { sharedDirectories: [shared] });
  const { files } = session;
  for (const [named, place] of [
    [shared, shared],
    [`${shared}/inner/`, join(shared, 'inner')],
  ] as const) {
    assert.is(realpathSync(await files.downloadDirectory(named)), place);
  }
  assert.is(await files.downloadDirectory(shared), await files.downloadDirectory(`${shared}/`), 'opened once');
  symlinkSync('/tmp', join(shared, 'outside'));
  const elsewhere = ['/etc', root, `${shared}/..`, `${shared}/missing`, `${shared}/common.txt`, `${shared}/outside`];
  for (const named of [...elsewhere, '', 'inner', './files', `${shared}\0`, `${shared}-other`, files.directory]) {
    assert.is(await files.downloadDirectory(named), files.directory, named);
  }
  assert.not(existsSync(join(shared, 'missing')));
});

const heldPaths = process.platform === 'linux' ? undefined : 'paths are held open on Linux only';

test.shows('escaped-paths', 'CDP');
test.unless(heldPaths)('what a path refers to does not change after the check', async () => {
  const changing = join(root, 'changing');
  const place = join(changing, 'a/b');
  mkdirSync(place, { recursive: true });
  mkdirSync(join(root, 'outside/b'), { recursive: true });
  writeFileSync(join(root, 'outside/b/file.txt'), 'secret');
  const swaps = {
    'the file': join(place, 'file.txt'),
    'its directory': place,
    'the directory above': join(changing, 'a'),
  };
  for (const [kind, swapped] of Object.entries(swaps)) {
    writeFileSync(join(place, 'file.txt'), 'public');
    await using session = await openSessionFiles(root, { sharedDirectories: [changing] });
    const { files } = session;
    const input = await files.pathOf(join(place, 'file.txt'));
    const downloads = await files.downloadDirectory(place);
    const outside = swapped.replace(join(changing, 'a'), join(root, 'outside'));
    renameSync(swapped, `${swapped}-moved`);
    symlinkSync(outside, swapped);
    assert.is(readFileSync(input, 'utf8'), 'public', kind);
    writeFileSync(join(downloads, 'download.bin'), 'x');
    assert.not.ok(existsSync(join(root, 'outside/b/download.bin')), kind);
    // When it is named again, it is a link to a file outside.
    assert.is((await problemOf(files.pathOf(join(place, 'file.txt')))).code, 'forbidden-destination', kind);
    if (kind !== 'the file') assert.is(await files.downloadDirectory(place), files.directory, kind);
    rmSync(swapped);
    renameSync(`${swapped}-moved`, swapped);
    assert.ok(existsSync(join(place, 'download.bin')), 'it lands in the directory that was checked');
    rmSync(join(place, 'download.bin'));
  }
});

test.unless(heldPaths)('a path that becomes a link between the check and the opening is not opened', async () => {
  const changing = join(root, 'racing');
  const file = join(changing, 'a/file.txt');
  mkdirSync(join(changing, 'a'), { recursive: true });
  writeFileSync(file, 'public');
  assert.ok(await closed(openBelow(changing, file, 'file')));
  assert.ok(await closed(openBelow(changing, join(changing, 'a'), 'directory')));
  assert.ok(await closed(openBelow(changing, changing, 'directory')), 'the root itself');
  assert.not.ok(await closed(openBelow(changing, join(changing, 'a'), 'file')), 'a directory is not a file');
  assert.not.ok(await closed(openBelow(changing, file, 'directory')), 'a file is not a directory');
  const pipe = join(changing, 'pipe');
  execFileSync('mkfifo', [pipe]);
  assert.not.ok(await closed(openBelow(changing, pipe, 'file')), 'a pipe neither opens nor blocks');
  symlinkSync(join(root, 'secret.txt'), join(changing, 'a/link.txt'));
  assert.not.ok(await closed(openBelow(changing, join(changing, 'a/link.txt'), 'file')));
  symlinkSync(changing, join(changing, 'loop'));
  for (const path of ['loop/a/file.txt', 'loop/loop/a/file.txt'])
    assert.not.ok(await closed(openBelow(changing, join(changing, path), 'file')), path);
  for (const path of ['loop', 'loop/a']) {
    assert.not.ok(await closed(openBelow(changing, join(changing, path), 'directory')), path);
  }
});

test('copies of shared files share one limit, and are removed with the session', async () => {
  writeFileSync(join(shared, 'large.bin'), Buffer.alloc(600_000));
  writeFileSync(join(shared, 'second.bin'), Buffer.alloc(600_000));
  await using session = await openSessionFiles(root, { maxBytes: 2 ** 20, sharedDirectories: [shared] });
  const { files, parent } = session;
  const copies = await Promise.all([1, 2, 3].map(() => files.pathOf(join(shared, 'large.bin'))));
  assert.is(new Set(copies).size, 1, 'a file is copied once, however often it is named');
  const { code, message } = await problemOf(files.pathOf(join(shared, 'second.bin')));
  assert.is(code, 'session-files-full');
  assert.match(message, 'MAX_SESSION_FILES_MB');
  assert.is(readdirSync(parent).filter((name) => name.startsWith('shared-')).length, 1);
  assert.equal(await files.list(), [], 'copies are not session files');
});

async function closed(opening: ReturnType<typeof openBelow>): Promise<boolean> {
  const held = await opening;
  await held?.close();
  return held !== undefined;
}
