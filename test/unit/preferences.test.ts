// The preferences of full browsers: written into new and existing profiles. The command lines of browsers: the switches
// that are always set, and those that a client may change.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { commandLineOf, type CommandLineOptions, valuesOf } from '../../src/browser/processes/flags.ts';
import { writePreferences } from '../../src/browser/processes/preferences.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { words } from '../support/words.ts';

const test = suite('preferences and switches of browsers');
let profile: string;

test.before.each(() => {
  profile = temporaryDirectory();
});

const place = (name = 'Default') => join(profile, name, 'Preferences');
const write = (allowFiles = false, args: string[] = []) =>
  writePreferences({ dataDirectory: profile, downloadDirectory: '/scratch/files', allowFiles, args });
const read = (name?: string) => JSON.parse(readFileSync(place(name), 'utf8'));

const download = { default_directory: '/scratch/files', prompt_for_download: false };
const savefile = { default_directory: '/scratch/files' };

test('a new profile saves files in the download directory and opens no internal browser pages', async () => {
  await write();
  const { policy, ...rest } = read();
  assert.equal(rest, { download, savefile, printing: { enabled: false } });
  assert.equal(
    policy.url_blocklist,
    words(`
    chrome://* chrome-untrusted://* devtools://* view-source:* filesystem:* file://*
  `),
  );
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

const line = (options: Partial<CommandLineOptions> = {}) =>
  commandLineOf({
    mode: 'shell',
    dataDirectory: '/data',
    proxyServer: 'socks5://127.0.0.1:1080',
    sandbox: true,
    clients: 'none',
    args: [],
    ignoreDefaultArgs: false,
    ...options,
  });

test.peer('network and switches');
test('no flag is passed twice', () => {
  for (const mode of ['shell', 'new', 'headful'] as const) {
    const names = line({ mode }).map((flag) => flag.split('=')[0]);
    assert.equal(names, [...new Set(names)]);
  }
});

test.peer('network and switches');
test("a single --disable-features merges our features with the caller's, without duplicates", () => {
  const flags = line({ args: ['--disable-features=Foo,Translate', '--disable-features=Bar'] });
  const lists = valuesOf('--disable-features', flags);
  assert.is(lists.length, 1);
  const features = lists[0]?.split(',') ?? [];
  for (const feature of ['Foo', 'Bar', 'Translate', 'LocalNetworkAccessChecks'])
    assert.ok(features.includes(feature), feature);
  assert.is(features.length, new Set(features).size);
});

test.peer('network and switches');
test('the component updater stays off when the caller passes flags', () => {
  assert.ok(line({ args: ['--lang=de'] }).includes('--disable-component-update'));
});

test('a value from the caller replaces the default', () => {
  assert.equal(valuesOf('--force-color-profile', line({ args: ['--force-color-profile=display-p3-d65'] })), [
    'display-p3-d65',
  ]);
});

test('ignoreDefaultArgs keeps the debugging pipe, the profile and the proxy', () => {
  const flags = line({ ignoreDefaultArgs: true, sandbox: false });
  for (const flag of [
    '--remote-debugging-pipe',
    '--user-data-dir=/data',
    '--no-sandbox',
    '--proxy-server=socks5://127.0.0.1:1080',
  ]) {
    assert.ok(flags.includes(flag), flag);
  }
  assert.not.ok(flags.includes('--mute-audio'));
  assert.not.ok(line({ ignoreDefaultArgs: ['--mute-audio'] }).includes('--mute-audio'));
});

test('pages always use the local proxy, even for loopback, regardless of the arguments', () => {
  const flags = line({ args: ['--proxy-server=http://proxy.example:8080', '--proxy-bypass-list=*'] });
  assert.equal(valuesOf('--proxy-server', flags), ['socks5://127.0.0.1:1080']);
  assert.equal(valuesOf('--proxy-bypass-list', flags), ['<-loopback>']);
});

test('headless and sandbox flags follow the options', () => {
  assert.ok(line({ mode: 'new' }).includes('--headless=new'));
  assert.not.ok(line({ mode: 'headful' }).some((flag) => flag.startsWith('--headless')));
  assert.ok(line({ sandbox: false }).includes('--no-sandbox'));
  assert.not.ok(line().includes('--no-sandbox'));
});
