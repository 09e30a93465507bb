// The preferences of full browsers: written into new and existing profiles.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { writePreferences } from '../../src/browser/processes/preferences.ts';
import { temporaryDirectory } from '../support/open-session-files.ts';
import { suite } from '../support/suite.ts';

const test = suite('preferences of full browsers');
let profile: string;

test.before.each(() => {
  profile = temporaryDirectory();
});
test.after.each(() => rmSync(profile, { recursive: true }));

const place = (name = 'Default') => join(profile, name, 'Preferences');
const write = (allowFiles = false, args: string[] = []) =>
  writePreferences({ dataDirectory: profile, downloadDirectory: '/scratch/files', allowFiles, args });
const read = (name?: string) => JSON.parse(readFileSync(place(name), 'utf8'));

const download = { default_directory: '/scratch/files', prompt_for_download: false };
const savefile = { default_directory: '/scratch/files' };

test('a new profile saves files in the download directory and opens no internal browser pages', async () => {
  await write();
  const { policy, ...rest } = read();
  assert.equal(rest, { download, savefile });
  assert.equal(policy.url_blocklist, [
    'chrome://*',
    'chrome-untrusted://*',
    'devtools://*',
    'view-source:*',
    'filesystem:*',
    'file://*',
  ]);
});

test('files may be opened if the server allows it', async () => {
  await write(true);
  assert.not.ok(read().policy.url_blocklist.includes('file://*'));
});

test('an existing profile keeps its other preferences and loses its own URL rules', async () => {
  mkdirSync(join(profile, 'Default'));
  const own = { default_directory: '/home/someone/Downloads', directory_upgrade: true };
  const policy = { url_allowlist: ['file://*'], other: 1 };
  writeFileSync(place(), JSON.stringify({ homepage: 'https://example.com/', download: own, policy }));
  await write();
  const written = read();
  assert.is(written.homepage, 'https://example.com/');
  assert.equal(written.download, { ...download, directory_upgrade: true });
  assert.equal(written.policy.url_allowlist, ['chrome://omnibox-popup.top-chrome']);
  assert.is(written.policy.other, 1);
});

test('the profile named by a switch gets the preferences', async () => {
  await write(false, ['--profile-directory=Profile 2']);
  assert.equal(read('Profile 2').download, download);
});

for (const text of ['', '{', 'null', '[1]', '"text"', '{"download":7,"policy":[]}']) {
  test(`preferences that contain ${text || 'nothing'} become an object`, async () => {
    mkdirSync(join(profile, 'Default'));
    writeFileSync(place(), text);
    await write();
    assert.equal(read().download, download);
  });
}
