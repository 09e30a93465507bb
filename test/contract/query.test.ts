// Query parameters, launch options and their legacy forms, through the real server.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { textOf } from '../support/site/markup.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const html = '<h1>hello</h1>';

const { test, service, site } = fixtureSuite('query and launch', {
  env: { ALLOW_GET: 'true', CONCURRENT: '4', SPARES: '0' },
});

const content = (query: Record<string, string> | string, body: unknown = { html }): Promise<Reply> =>
  service.post('/content', body, { query });
const launch = (options: unknown) => content({ launch: JSON.stringify(options) });

const wrong: Record<string, [query: string, mention: string]> = {
  'an unknown parameter': ['color=red', 'color'],
  'timeout that is not a number': ['timeout=abc', 'timeout'],
  'timeout without a value': ['timeout=', 'timeout'],
  'blockAds that is not a boolean': ['blockAds=2', 'blockAds'],
  'blockAds yes': ['blockAds=yes', 'blockAds'],
  'launch without a value': ['launch', 'launch'],
  'launch that is not JSON': ['launch=%7Bnot', 'Error parsing launch-options'],
  'launch that is a list': ['launch=%5B1%5D', 'Error parsing launch-options'],
  'trackingId of 33 characters': [`trackingId=${'x'.repeat(33)}`, 'must be less than 32 characters'],
  'trackingId with a blank': ['trackingId=a%20b', 'trackingId contains invalid characters'],
  'trackingId all': ['trackingId=all', 'trackingId cannot be the reserved word "all"'],
  'proxyCountry of three letters': ['proxyCountry=usa', 'proxyCountry'],
  'proxySticky maybe': ['proxySticky=maybe', 'proxySticky'],
};
for (const [name, [query, mention]] of Object.entries(wrong)) {
  test.peer('parameters and errors');
  test(`400: ${name}`, async () => {
    refused(await content(query), 400, mention);
  });
}

test('several invalid parameters are named in one response', async () => {
  refused(
    await content('timeout=abc&color=red&blockAds=7'),
    400,
    'timeout',
    'color',
    'blockAds',
    /^.*Query-parameter validation failed: /,
  );
});

test('every known parameter is accepted', async () => {
  const query = {
    token: 'x',
    timeout: '20000',
    trackingId: 'abc-1_2',
    ttl: '1000',
    keepalive: '1000',
    force: 'false',
    browserId: 'x',
    replay: 'false',
    record: 'false',
    solveCaptchas: 'false',
    humanlike: 'false',
    blockConsentModals: 'false',
    acceptInsecureCerts: 'true',
  };
  succeeded(await content(query));
});

test.differs('`1` and `0` are not valid flag values in a query', 'An empty list in place of an object returns a 400');
test('1 and 0 are accepted as flags, and an empty list as no launch options', async () => {
  succeeded(await content('blockAds=1&debug=0&acceptInsecureCerts=0&launch=%5B%5D'));
  refused(await content('acceptInsecureCerts=0', { url: `${site.secureUrl}/` }), 500);
  succeeded(await content('acceptInsecureCerts=1', { url: `${site.secureUrl}/` }));
});

test.proves('timeout@page');
test.peer('management and settings');
test('timeout stops a request; zero and the server default do not', async () => {
  const slow = { url: `${site.url}/slow?ms=400` };
  refused(await content({ timeout: '100' }, slow), 408, 'Request has timed out');
  succeeded(await content({ timeout: '0' }, slow));
  succeeded(await content({}, slow));
});

test.peer('management and settings');
test.differs('`TIMEOUT=-1` ends requests immediately');
test('TIMEOUT=-1 means no limit', async () => {
  await using endless = await startService({ env: { TIMEOUT: '-1', SPARES: '0' } });
  succeeded(await endless.post('/content', { html, waitForTimeout: 100 }));
  refused(await endless.post('/content', { html, waitForTimeout: 5_000 }, { query: { timeout: 100 } }), 408);
});

test('accepts launch as base64-encoded JSON', async () => {
  const insecure = btoa(JSON.stringify({ acceptInsecureCerts: true }));
  succeeded(await content({ launch: insecure }, { url: `${site.secureUrl}/` }));
});

const insecureForms: Record<string, string> = {
  'launch.acceptInsecureCerts': 'launch={"acceptInsecureCerts":true}',
  'launch.acceptInsecureCerts as a string': 'launch={"acceptInsecureCerts":"true"}',
  'launch.ignoreHTTPSErrors': 'launch={"ignoreHTTPSErrors":true}',
  ignoreHTTPSErrors: 'ignoreHTTPSErrors=true',
  'ignoreHTTPSErrors without a value': 'ignoreHTTPSErrors',
  acceptInsecureCerts: 'acceptInsecureCerts=true',
};
for (const [name, query] of Object.entries(insecureForms)) {
  test(`a self-signed page loads with ${name}`, async () => {
    succeeded(await content(query, { url: `${site.secureUrl}/` }));
  });
}

test('launch takes precedence over the legacy form', async () => {
  const query = 'ignoreHTTPSErrors=true&launch={"acceptInsecureCerts":false}';
  refused(await content(query, { url: `${site.secureUrl}/` }), 500);
});

test('legacy switches reach the browser and replace launch.args', async () => {
  const query = `--lang=fr-FR&--user-agent=from-the-query&launch=${JSON.stringify({ args: ['--user-agent=from-launch'] })}`;
  const reply = succeeded(await content(query, { url: `${site.url}/echo-headers` }));
  assert.match(reply.text, /from-the-query/);
});

test('launch.args reach the browser', async () => {
  const query = { launch: JSON.stringify({ args: ['--user-agent=from-launch'] }) };
  assert.match(succeeded(await content(query, { url: `${site.url}/echo-headers` })).text, /from-launch/);
});

test('launch.defaultViewport sizes the page, and 800 x 600 is the default', async () => {
  const size = async (query: Record<string, string>) =>
    textOf((await content(query, { url: `${site.url}/wide` })).text, 'size');
  assert.match(await size({}), /"w":800,"h":600/);
  const viewport = { defaultViewport: { width: 412, height: 321 } };
  assert.match(await size({ launch: JSON.stringify(viewport) }), /"w":412,"h":321/);
});

for (const headless of ['shell', 'true', 'false']) {
  test(`legacy headless=${headless} is accepted`, async () => {
    // The error names what the machine lacks (full Chromium, a display).
    const reply = await content({ headless });
    if (reply.status !== 200) assert.match(reply.text, /display|CHROM(E|IUM)_PATH/);
  });
}

const harmlessLaunch = {
  slowMo: 0,
  dumpio: false,
  devtools: false,
  waitForInitialPage: true,
  timeout: 10_000,
  headless: 'shell',
  somethingUnknown: { nested: true },
};
test('launch options without an effect are accepted', async () => succeeded(await launch(harmlessLaunch)));

const badLaunch: Record<string, unknown> = {
  'headless as a string': { headless: 'true' },
  'args that is a string': { args: '--lang=de' },
  'args with a number': { args: [1] },
  'defaultViewport without a number': { defaultViewport: { width: 'wide', height: 1 } },
  'defaultViewport with one side': { defaultViewport: { width: 800 } },
  'slowMo that is a string': { slowMo: 'fast' },
  'ignoreDefaultArgs that is a string': { ignoreDefaultArgs: 'some' },
  executablePath: { executablePath: '/bin/sh' },
  env: { env: { LD_PRELOAD: 'x' } },
};
for (const [name, options] of Object.entries(badLaunch)) {
  test(`400: launch with ${name}`, async () => {
    refused(await launch(options), 400, Object.keys(options as object)[0] ?? '');
  });
}

const dangerous = [
  '--renderer-cmd-prefix=/bin/sh',
  '--gpu-launcher=x',
  '--utility-cmd-prefix=x',
  '--browser-subprocess-path=/bin/sh',
  '--remote-debugging-port=9222',
  '--remote-debugging-pipe',
  '--remote-debugging-address=0.0.0.0',
  '--load-extension=/tmp/x',
  '-renderer-cmd-prefix=/bin/sh',
  ' --renderer-cmd-prefix=/bin/sh',
  '--RENDERER-CMD-PREFIX=/bin/sh',
  'file:///etc/passwd',
];
for (const arg of dangerous) {
  test(`400: launch argument ${arg}`, async () => {
    refused(await launch({ args: [arg] }), 400, 'not allowed');
    if (arg.startsWith('--')) {
      const [name = '', value = ''] = arg.split('=');
      refused(await content({ [name]: value }), 400, 'not allowed');
    }
  });
}

test('userDataDir is created and kept', async () => {
  const userDataDir = `${service.baseDir}/profiles/kept`;
  succeeded(await launch({ userDataDir }));
  const { existsSync } = await import('node:fs');
  assert.ok(existsSync(userDataDir));
  await until('the profile to be free', () => !existsSync(`${userDataDir}/SingletonLock`));
});

for (const [name, body] of Object.entries({
  'JSON text': JSON.stringify({ html }),
  base64: btoa(JSON.stringify({ html })),
})) {
  test.proves('ALLOW_GET');
  test.peer('parameters and errors');
  test(`ALLOW_GET: GET with the body as ${name}`, async () => {
    assert.match(succeeded(await service.get('/content', { query: { body } })).text, /hello/);
  });
}

test.peer('parameters and errors');
test('ALLOW_GET: returns 400 for a body that cannot be parsed', async () => {
  refused(await service.get('/content', { query: { body: '{not json' } }), 400, "Couldn't parse JSON body");
});
