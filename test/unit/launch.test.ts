// Launch options: decoding, legacy query parameters, and what is rejected.
import * as assert from 'uvu/assert';
import { applyLegacyShim, checkLaunch, parseLaunch } from '../../src/base/schema/request/launch.ts';
import { hasCode, refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('launch');

const shim = (query: string) => applyLegacyShim(new URLSearchParams(query));
const decodeLaunch = (launch: string) => applyLegacyShim(new URLSearchParams({ launch })).launch;
const withLaunch = (query: string, launch: unknown) =>
  shim(`${query}&launch=${encodeURIComponent(JSON.stringify(launch))}`).launch;

test.peer('parameters and errors', 'legacy: headless true, false, shell', 'legacy: stealth true, false, alone');
test.peer('parameters and errors', 'legacy: slowMo', 'legacy: ignoreDefaultArgs true, false, a list');
test.peer('parameters and errors', 'legacy: ignoreHTTPSErrors is acceptInsecureCerts');
test('legacy parameters set launch options', () => {
  assert.is(shim('headless=true').launch.headless, true);
  assert.is(shim('headless=').launch.headless, true);
  assert.is(shim('headless=false').launch.headless, false);
  assert.is(shim('headless=0').launch.headless, false);
  assert.is(shim('stealth=0').launch.stealth, false);
  assert.is(shim('stealth=1').launch.stealth, true);
  assert.is(shim('ignoreHTTPSErrors=0').launch.acceptInsecureCerts, false);
  assert.is(shim('headless=shell').launch.headless, 'shell');
  assert.is(shim('stealth').launch.stealth, true);
  assert.is(shim('stealth=true').launch.stealth, true);
  assert.is(shim('stealth=false').launch.stealth, false);
  assert.is(shim('slowMo=100').launch.slowMo, 100);
  assert.is(shim('ignoreDefaultArgs=true').launch.ignoreDefaultArgs, true);
  assert.is(shim('ignoreDefaultArgs=--a').launch.ignoreDefaultArgs, true);
  assert.is(shim('ignoreDefaultArgs=false').launch.ignoreDefaultArgs, false);
  assert.equal(shim('ignoreDefaultArgs=--a,--b').launch.ignoreDefaultArgs, ['--a', '--b']);
  assert.is(shim('ignoreHTTPSErrors=true').launch.acceptInsecureCerts, true);
  assert.is(shim('acceptInsecureCerts').launch.acceptInsecureCerts, true);
  assert.is(shim('acceptInsecureCerts=false&ignoreHTTPSErrors').launch.acceptInsecureCerts, false);
});

test.peer('parameters and errors');
test('launch is merged with the legacy parameters, and wins over them', () => {
  const cases: [query: string, launch: Record<string, unknown>][] = [
    ['headless=true', { headless: false }],
    ['stealth', { stealth: false }],
    ['slowMo=100', { slowMo: 5 }],
    ['ignoreDefaultArgs=true', { ignoreDefaultArgs: ['--a'] }],
    ['ignoreHTTPSErrors=true', { acceptInsecureCerts: false }],
  ];
  for (const [query, launch] of cases) assert.equal(withLaunch(query, launch), { args: [], ...launch }, query);
  assert.equal(withLaunch('stealth', { slowMo: 5, args: ['--lang=de'] }), {
    stealth: true,
    slowMo: 5,
    args: ['--lang=de'],
  });
  assert.is(withLaunch('ignoreHTTPSErrors=true', { ignoreHTTPSErrors: false }).acceptInsecureCerts, false);
});

test.peer('parameters and errors');
test('switches in the query replace the args in launch', () => {
  assert.equal(shim('--lang=de&--mute-audio&--lang=fr').launch.args, ['--lang=de', '--mute-audio=', '--lang=fr']);
  assert.equal(withLaunch('--lang=de', { args: ['--window-size=1,1'] }).args, ['--lang=de']);
});

test.peer('parameters and errors');
test('other parameters are left alone', () => {
  const { params, launch } = shim('token=t&foo=1&timeout=5');
  assert.is(params.toString(), 'token=t&foo=1&timeout=5');
  assert.equal(launch, { args: [] });
  assert.is(shim('foo=1&headless=false&--lang=de&launch={}').params.toString(), 'foo=1');
});

test.peer('parameters and errors');
test('a launch that is not an object is ignored if there are legacy parameters', () => {
  for (const launch of ['5', '[]', 'null', 'nonsense!']) {
    assert.equal(shim(`stealth&launch=${launch}`).launch, { stealth: true, args: [] }, launch);
  }
});

test.peer('parameters and errors');
test('launch may be JSON, base64 or URL-safe base64', () => {
  const launch = { args: ['--user-agent=ü?>'], headless: false };
  const bytes = new TextEncoder().encode(JSON.stringify(launch));
  assert.equal(decodeLaunch(JSON.stringify(launch)), launch);
  assert.equal(decodeLaunch(Buffer.from(bytes).toString('base64')), launch);
  assert.equal(decodeLaunch(Buffer.from(bytes).toString('base64url')), launch);
});

test.peer('parameters and errors');
test('values inside launch are coerced', () => {
  assert.is(decodeLaunch('{"slowMo":"5","stealth":"true"}').slowMo, 5);
  assert.is(decodeLaunch('{"slowMo":"5","stealth":"true"}').stealth, true);
});

test('an empty list, as PHP encodes it, means no options', () => {
  assert.equal(decodeLaunch('[]'), decodeLaunch('{}'));
});

test.peer('parameters and errors');
test('rejects a launch that cannot be decoded', () => {
  for (const text of ['{"a":', 'nonsense', '5', '[1]', 'null', '', '%%%']) {
    const error = refusalOf(() => decodeLaunch(text));
    assert.is(error.code, 'invalid-launch', text);
    assert.match(error.message, /^Error parsing launch-options: /, text);
  }
});

test.peer('parameters and errors');
test('unknown keys are kept, malformed known keys are rejected', () => {
  assert.is(Reflect.get(decodeLaunch('{"handleSIGINT":false}'), 'handleSIGINT'), false);
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ headless: 'true' }, /"launch\.headless" must be true or false or "shell"/],
    [{ args: 'x' }, /"launch\.args" must be a list of strings/],
    [{ defaultViewport: { depth: 1 } }, /"launch\.defaultViewport\.depth" is not a known field/],
    [{ proxy: {} }, /"launch\.proxy\.server" is required/],
  ];
  for (const [launch, message] of cases) {
    const error = refusalOf(() => parseLaunch(launch));
    assert.is(error.code, 'invalid-launch');
    assert.match(error.message, message);
  }
});

test('dangerous switches are rejected in every spelling', () => {
  for (const arg of [
    ...words(`
    -renderer-cmd-prefix=x --Renderer-Cmd-Prefix=x --utility-cmd-prefix --ppapi-plugin-launcher=x
    --browser-subprocess-path=/bin/sh --remote-debugging-port=9222 --remote-debugging-address=0.0.0.0
    --remote-debugging-pipe --load-extension=/x --disable-extensions-except=/x --log-file=/x
    --crash-dumps-dir=/x --enable-logging=/tmp/x --no-proxy-server --proxy-pac-url=data:x
    /renderer-cmd-prefix=x file:///etc/passwd --
  `),
    '--renderer-cmd-prefix=sh -c x',
    '--renderer-cmd-prefix sh',
    '  --gpu-launcher=x',
    '-- gpu-launcher=x',
    '--lang=de\0',
  ]) {
    const error = refusalOf(() => parseLaunch({ args: ['--lang=de', arg] }));
    assert.is(error.code, 'invalid-launch', arg);
    assert.match(error.message, /^The launch argument ".*" is not allowed: .+\.$/, arg);
  }
  assert.throws(() => shim('--renderer-cmd-prefix=sh'), hasCode('invalid-launch'));
});

test.peer('management and settings', "a client's environment does not appear in /sessions");
test.differs('`executablePath` and `env` are used');
test('executablePath and env are rejected by name', () => {
  for (const name of ['executablePath', 'env']) {
    assert.throws(() => parseLaunch({ [name]: 'x' }), new RegExp(`"${name}" is not allowed`));
  }
});

test('ordinary switches pass', () => {
  const args = ['--window-size=800,600', '--lang=de', '--enable-logging=stderr', '--disable-web-security'];
  assert.equal(parseLaunch({ args }).args, args);
  assert.equal(parseLaunch({ args: ['-incognito', ''] }).args, ['--incognito'], 'a single dash works too');
});

test('switches that the server controls are dropped and reported once', () => {
  const args = ['--no-sandbox', '--lang=de', '--no-sandbox', '-single-process', '--disk-cache-dir=/x'];
  const { launch, ignored } = checkLaunch({ args });
  assert.equal(launch.args, ['--lang=de']);
  assert.equal(ignored, ['--no-sandbox', '--single-process', '--disk-cache-dir']);
});

test('an unknown switch is rejected, with the closest known name', () => {
  assert.throws(() => parseLaunch({ args: ['--windowsize=1,1'] }), /it is unknown.*--window-size/);
  assert.throws(() => parseLaunch({ args: ['--x'] }), /ALLOWED_LAUNCH_ARGS/);
  for (const arg of ['--js-flags=--allow-natives-syntax', '--disable-features=A B', '--force-device-scale-factor=x']) {
    assert.throws(() => parseLaunch({ args: [arg] }), /is not allowed/);
  }
});

test('the operator can allow more switches, but * does not allow dangerous ones', () => {
  const checked = (arg: string, allowed: string[]) => checkLaunch({ args: [arg] }, allowed).launch.args;
  assert.equal(checked('--x=1', ['x']), ['--x=1']);
  assert.equal(checked('--x=1', ['*']), ['--x=1']);
  assert.equal(checked('--host-rules=MAP a b', ['host-rules']), ['--host-rules=MAP a b']);
  for (const arg of [
    '--host-rules=MAP a b',
    '--renderer-cmd-prefix=sh',
    '--new-cmd-prefix=sh',
    '--new-log-file=/x',
    '--load-extension=/x',
  ]) {
    assert.throws(() => checked(arg, ['*']), hasCode('invalid-launch'), arg);
  }
  assert.equal(checked('--no-sandbox', ['*']), [], 'the server still decides');
});

test('--user-data-dir sets the option userDataDir', () => {
  const launch = parseLaunch({ args: ['--lang=de', '--user-data-dir=/data/me'] });
  assert.equal(launch, { args: ['--lang=de'], userDataDir: '/data/me' });
  assert.is(parseLaunch({ userDataDir: '/a', args: ['--user-data-dir=/b'] }).userDataDir, '/a');
});
