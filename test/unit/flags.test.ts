/** Command lines of the browsers: the switches that are always set, and those that a client may change. */
import * as assert from 'uvu/assert';
import { commandLineOf, type CommandLineOptions, valuesOf } from '../../src/browser/processes/flags.ts';
import { suite } from '../support/suite.ts';

const test = suite('browser flags');

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
