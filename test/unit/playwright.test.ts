// Playwright without browsers: which version serves a client, and with which options browsers start.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { withoutUnknownEmulation } from '../../src/sessions/playwright/firefox-bidi.ts';
import { FirefoxAndWebKit } from '../../src/sessions/playwright/firefox-webkit.ts';
import {
  chromiumOptions,
  firefoxOptions,
  webkitOptions,
  withoutEffectInFirefox,
} from '../../src/sessions/playwright/options.ts';
import {
  loadPlaywright,
  minorOf,
  playwrightVersions,
  stealthVersions,
  versionForClient,
} from '../../src/sessions/playwright/versions.ts';
import { parseLaunch } from '../../src/base/schema/request/launch.ts';
import { refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const versions = suite('playwright versions');
const options = suite('playwright options');
const found = suite('playwright browsers');

const manifest: { dependencies: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));

versions('the table lists what package.json installs, newest first, at least fifteen versions', () => {
  const installed = Object.entries(manifest.dependencies)
    .filter(([name]) => name.startsWith('playwright-core'))
    .map(([name, version]) => [name, version.replace(/^npm:playwright-core@/, '')]);
  const listed = playwrightVersions.map(({ packageName, version }) => [packageName, version]);
  assert.equal(listed.toSorted(), installed.toSorted());
  assert.ok(listed.length >= 15);
  const minors = playwrightVersions.map(({ version }) => Number(minorOf(version).split('.')[1]));
  assert.equal(
    minors,
    minors.toSorted((a, b) => b - a),
  );
});

versions.peer('sockets');
versions('a client gets the version with its minor, regardless of patch and language', () => {
  const of = (userAgent: string) => versionForClient(userAgent).version;
  assert.is(of('Playwright/1.52.0 (x64; ubuntu 22.04) python/3.12'), '1.52.0');
  assert.is(of('Playwright/1.52.7 (arm64; macOS 14.0) node/20.1'), '1.52.0');
  assert.is(of('playwright/1.60 (x64)'), '1.60.0');
  assert.is(of('Playwright'), playwrightVersions[0]?.version);
});

versions('other versions and clients are rejected, with a list of the supported versions', () => {
  const { message: refused } = refusalOf(() => versionForClient('Playwright/1.20.2 (x64; debian 12) node/20.20'));
  assert.match(refused, 'Playwright 1.20 is not supported');
  for (const { version } of playwrightVersions) assert.match(refused, minorOf(version));
  assert.throws(() => versionForClient('Playwright/1.5'), 'not supported');
  for (const userAgent of [null, '', 'Mozilla/5.0']) {
    assert.throws(() => versionForClient(userAgent), /^Only playwright is allowed to work with this route/);
  }
});

versions('with stealth: package.json has the first two of the table, and only installed versions are used', () => {
  const installed = Object.entries(manifest.dependencies)
    .filter(([name]) => name.startsWith('patchright-core'))
    .map(([name, version]) => [name, version.replace(/^npm:patchright-core@/, '')]);
  const listed = stealthVersions.map(({ packageName, version }) => [packageName, version]);
  assert.equal(listed.slice(0, 2).toSorted(), installed.toSorted());
  assert.is(versionForClient('Playwright/1.62.0', true).packageName, 'patchright-core-1.62');
  assert.is(versionForClient('Playwright', true).packageName, 'patchright-core');
  assert.throws(
    () => versionForClient('Playwright/1.57.0', true),
    'Use one of 1.63, 1.62, or connectOverCDP to /stealth',
  );
});

versions('a version is not loaded before it is requested', async () => {
  await import('../../src/start/start.ts');
  const { cache } = createRequire(import.meta.url);
  const loaded = () =>
    new Set(
      Object.keys(cache).flatMap((path) => /node_modules\/((?:playwright|patchright)-core[^/]*)/.exec(path)?.[1] ?? []),
    );
  assert.equal([...loaded()], []);
  const version = versionForClient('Playwright/1.55.0');
  const library = await loadPlaywright(version);
  assert.is(library.chromium.name(), 'chromium');
  assert.equal([...loaded()], ['playwright-core-1.55']);
});

const egress = 'socks5://127.0.0.1:1080';
const surroundings = { proxyServer: egress, sandbox: true, scratchDirectory: '/scratch' };
const defaults = ['--disable-features=Theirs,Translate', '--enable-features=Wanted', '--mute-audio', '--no-first-run'];
const chromium = (launch: object) => chromiumOptions('new', parseLaunch(launch), defaults, surroundings);
const switches = (made: { args?: string[] }, name: string) =>
  (made.args ?? []).filter((arg) => arg.split('=')[0] === name);

options.peer('network and switches');
options('feature switches of Playwright, the server and the caller are merged, with each feature once', () => {
  const made = chromium({ args: ['--disable-features=Callers,Theirs', '--enable-features=More'] });
  assert.equal(switches(made, '--enable-features'), ['--enable-features=Wanted,More']);
  const [disabled = '', ...others] = switches(made, '--disable-features');
  assert.equal(others, []);
  const names = disabled.split('=')[1]?.split(',') ?? [];
  for (const name of ['Theirs', 'Translate', 'LocalNetworkAccessChecks', 'Callers']) {
    assert.is(names.filter((one) => one === name).length, 1, name);
  }
  // Chromium reads only the last occurrence of a switch, so Playwright's own must not be present as well.
  assert.equal(made.ignoreDefaultArgs, [defaults[0], defaults[1]]);
});

options('all traffic goes through the egress, regardless of what the caller requests', () => {
  const asked = ['--proxy-bypass-list=<-loopback>', '--proxy-server', '--host-resolver-rules', '--mute-audio'];
  const made = chromium({ ignoreDefaultArgs: asked, args: ['--proxy-bypass-list=*'] });
  assert.equal(made.proxy, { server: egress, bypass: '<-loopback>' });
  assert.equal(switches(made, '--proxy-bypass-list'), []);
  assert.ok(Array.isArray(made.ignoreDefaultArgs) && made.ignoreDefaultArgs.includes('--mute-audio'));
  assert.not.ok(made.ignoreDefaultArgs.some((arg) => arg.includes('proxy')));
  const bare = chromium({ ignoreDefaultArgs: true });
  assert.is(bare.ignoreDefaultArgs, true);
  assert.equal(switches(bare, '--proxy-server'), [`--proxy-server=${egress}`]);
  assert.equal(switches(bare, '--remote-debugging-pipe').length, 1);
});

options.peer('sockets');
options('headless: --headless=new for the full browser, and --headless=old is dropped', () => {
  assert.equal(switches(chromium({ args: ['--headless=old'] }), '--headless'), ['--headless=new']);
});

options.proves('launch.slowMo@playwright-webkit');
options('WebKit: headless, slowMo and proxy, but no switches', () => {
  const webkit = (launch: object) => webkitOptions(parseLaunch(launch), surroundings);
  const proxy = { server: egress };
  assert.equal(webkit({ args: ['--lang=de'] }), { headless: true, proxy, args: [] });
  assert.equal(webkit({ headless: false, slowMo: 5 }), { headless: false, slowMo: 5, proxy, args: [] });
});

options.peer('network and switches');
options(
  'Firefox: the proxy in preferences too, preferences of the caller except the reserved ones, no Chromium switches',
  () => {
    const firefox = (launch: object) => firefoxOptions(parseLaunch(launch), surroundings);
    const args = ['--no-sandbox', '--lang=de', '--hide-scrollbars', '-kiosk'];
    const made = firefox({ firefoxUserPrefs: { 'dom.test': 1 }, args });
    assert.is(made.firefoxUserPrefs?.['network.proxy.socks_port'], 1080);
    assert.is(made.firefoxUserPrefs?.['network.proxy.allow_hijacking_localhost'], true);
    assert.is(made.firefoxUserPrefs?.['dom.test'], 1);
    assert.equal(made.args, ['--kiosk']);
    assert.is(made.firefoxUserPrefs?.['intl.accept_languages'], 'de');
    assert.equal(withoutEffectInFirefox(args), ['--no-sandbox', '--hide-scrollbars']);
    assert.throws(() => firefox({ args: ['-profile=/x'] }), 'is not allowed');
    for (const name of [
      'network.proxy.type',
      'network.trr.mode',
      'remote.log.level',
      'media.peerconnection.ice.proxy_only',
    ]) {
      assert.throws(() => firefox({ firefoxUserPrefs: { [name]: 0 } }), `"${name}" is not allowed`);
    }
  },
);

options('BiDi: an unknown emulation command is not an error, but any other one is', () => {
  const error = (message: string) =>
    JSON.stringify({ type: 'error', id: 7, error: 'unknown command', message, stacktrace: '' });
  assert.is(
    withoutUnknownEmulation(error('emulation.setMediaFeaturesOverride')),
    '{"type":"success","id":7,"result":{}}',
  );
  assert.is(withoutUnknownEmulation(error('browsingContext.fly')), undefined);
  assert.is(withoutUnknownEmulation('{"type":"success","id":7,"result":{"text":"unknown command"}}'), undefined);
});

function registry(...paths: string[]): string {
  const folder = temporaryDirectory();
  for (const path of paths) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
  }
  return folder;
}

const unset = { FIREFOX_PATH: undefined, WEBKIT_PATH: undefined };

found.peer('sockets');
found(
  'uses the requested Playwright build, otherwise the nearest older one, otherwise the nearest newer one',
  async () => {
    const folder = registry('webkit-2000/pw_run.sh', 'webkit-2100/pw_run.sh', 'webkit-2300/pw_run.sh');
    const browsers = new FirefoxAndWebKit(unset, folder);
    const build = async (revision: number) =>
      (await browsers.find('webkit', `/elsewhere/webkit-${revision}/pw_run.sh`)).path.slice(folder.length);
    assert.is(await build(2100), '/webkit-2100/pw_run.sh');
    assert.is(await build(2200), '/webkit-2100/pw_run.sh');
    assert.is(await build(1900), '/webkit-2000/pw_run.sh');
    assert.is(await browsers.version('webkit'), '2300');
  },
);

found('the Playwright build of Firefox is preferred over a stock one, and a configured path over both', async () => {
  const folder = registry('firefox-1490/firefox/firefox', 'stock/firefox');
  const build = join(folder, 'firefox-1490/firefox/firefox');
  const stock = join(folder, 'stock/firefox');
  assert.equal(await new FirefoxAndWebKit(unset, folder).find('firefox'), { path: build, patched: true });
  const set = new FirefoxAndWebKit({ ...unset, FIREFOX_PATH: stock }, folder);
  assert.equal(await set.find('firefox'), { path: stock, patched: false });
  const patched = new FirefoxAndWebKit({ ...unset, FIREFOX_PATH: build }, folder);
  assert.equal(await patched.find('firefox'), { path: build, patched: true });
});

found('reports what is missing and how to fix it', async () => {
  const folder = registry();
  const browsers = new FirefoxAndWebKit({ ...unset, FIREFOX_PATH: join(folder, 'none') }, folder);
  const messageOf = (name: 'firefox' | 'webkit') =>
    browsers.find(name).then(
      () => '',
      (error: Error) => error.message,
    );
  assert.match(await messageOf('webkit'), /WebKit is not installed on this server.*WEBKIT_PATH/);
  assert.match(await messageOf('firefox'), /FIREFOX_PATH names .*not an executable file/);
  assert.is(await browsers.version('webkit'), null);
});
