// /unblock: the five keys of its response, the browser it hands over, which obstacles it passes, and how it reports
// them.
// @tier ci
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { captchaPages } from '../bench/lab/captchas/pages.ts';
import { type CaptchaSite, startCaptchaSite } from '../bench/lab/captchas/site.ts';
import { type LabSite, startLabSite } from '../bench/lab/site.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import type { Reply } from '../support/clients/http.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { missing, placeOf } from '../support/programs.ts';
import { type CallOptions, startService, stopAll } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = fixtureSuite('unblock');
const withChromium = test.unless(missing('a full Chromium', 'a display'));
let captchas: CaptchaSite;
let lab: LabSite;

test.before(async () => {
  [captchas, lab] = await Promise.all([startCaptchaSite(), startLabSite()]);
});
test.after(async () => {
  await captchas?.close();
  await lab?.[Symbol.asyncDispose]();
});

interface UnblockResult {
  cookies: { name: string; value: string; session: boolean; size: number }[] | null;
  content: string | null;
  browserWSEndpoint: string | null;
  ttl: number;
  screenshot: string | null;
}

const at = (path: string) => `${fixture.site.url}${path}`;
const call = (body: object, options: CallOptions = {}): Promise<Reply> =>
  fixture.service.post('/unblock', body, options);

async function unblocked(body: object, options: CallOptions = {}): Promise<UnblockResult & { unblockHeader: string }> {
  const reply = succeeded(await call(body, options), 'application/json; charset=UTF-8');
  return { ...reply.json<UnblockResult>(), unblockHeader: reply.headers['x-unblock'] ?? '' };
}

const noSession = () =>
  until('all sessions to end', async () => (await sessionsOf(fixture.service)).length === 0, 30_000);

for (const path of ['/unblock', '/chromium/unblock', '/chrome/unblock']) {
  withChromium(`${path}: returns all five keys`, async () => {
    const reply = succeeded(await fixture.service.post(path, { url: at('/set-cookie') }));
    const answer = reply.json<UnblockResult>();
    assert.equal(Object.keys(answer).toSorted(), ['browserWSEndpoint', 'content', 'cookies', 'screenshot', 'ttl']);
    assert.match(answer.content ?? '', /<html/);
    assert.equal(answer.cookies?.map(({ name }) => name).toSorted(), ['hidden', 'visited']);
    assert.ok(answer.cookies?.every(({ size, session }) => size > 0 && typeof session === 'boolean'));
    assert.equal([...Buffer.from(answer.screenshot ?? '', 'base64').subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.equal([answer.browserWSEndpoint, answer.ttl], [null, 0]);
    assert.is(reply.headers['x-unblock'], 'state=clear, seen=(), tried=()');
    await noSession();
  });
}

test.proves('unblock:url unblock:cookies unblock:content unblock:screenshot');
withChromium('cookies, content, and screenshot are null if set to false', async () => {
  const none = { cookies: false, content: false, screenshot: false };
  const { cookies, content, screenshot } = await unblocked({ url: at('/small'), ...none });
  assert.equal([cookies, content, screenshot], [null, null, null]);
});

test.proves('unblock:browserWSEndpoint unblock:ttl');
withChromium('browserWSEndpoint: a client finds the page until ttl expires', async () => {
  const { browserWSEndpoint, ttl } = await unblocked({ url: at('/set-cookie'), browserWSEndpoint: true, ttl: 3_000 });
  assert.is(ttl, 3_000);
  const path = new URL(browserWSEndpoint ?? '').pathname;
  const browser = await connect(fixture.service, path, {}, { defaultViewport: null });
  const [page] = await browser.pages();
  assert.is(page?.url(), at('/set-cookie'));
  assert.equal(await page?.evaluate('[document.cookie, navigator.webdriver]'), ['visited=yes', false]);
  await browser.disconnect();
  await noSession();
  assert.is((await handshake(fixture.service, path)).status, 404);
});

withChromium(
  'ttl: defaults to 30000, cannot be longer or zero, and is listed as ignored without an endpoint',
  async () => {
    const longest = await unblocked({ url: at('/small'), browserWSEndpoint: true });
    assert.is(longest.ttl, 30_000);
    const browser = await connect(fixture.service, new URL(longest.browserWSEndpoint ?? '').pathname);
    const [entry] = await sessionsOf(fixture.service);
    await fixture.service.get(`/kill/${entry?.id}`);
    await browser.disconnect();
    for (const ttl of [30_001, -1, 'soon'])
      namesField(await call({ url: at('/small'), browserWSEndpoint: true, ttl }), 'ttl');
    refused(await call({ url: at('/small'), browserWSEndpoint: true, ttl: 0 }), 400, 'ttl');
    const reply = succeeded(await call({ url: at('/small'), ttl: 5_000 }));
    assert.is(reply.headers['x-ignored-parameters'], 'ttl');
    assert.is(reply.json<UnblockResult>().ttl, 0);
  },
);

const late = async (fields: object) => (await unblocked({ url: at('/late'), ...fields })).content ?? '';

test.proves(
  'unblock:waitForSelector.selector unblock:waitForSelector.hidden unblock:waitForSelector.visible unblock:waitForSelector.timeout',
);
withChromium('waitForSelector: present, visible, hidden', async () => {
  assert.match(await late({ waitForSelector: { selector: '.late' } }), 'class="late"');
  for (const selector of [
    { selector: '#target', visible: true },
    { selector: 'h1', hidden: true },
  ]) {
    assert.match(await late({ waitForSelector: selector }), 'class="late"');
  }
});

test.proves(
  'unblock:bestAttempt unblock:waitForEvent.event unblock:waitForEvent.timeout unblock:waitForFunction.fn unblock:waitForFunction.polling unblock:waitForFunction.timeout unblock:waitForTimeout',
);
withChromium('waitForFunction, waitForTimeout, waitForEvent, and bestAttempt', async () => {
  const fn = "() => document.querySelector('.late')";
  assert.match(await late({ waitForFunction: { fn, polling: 50, timeout: 5_000 } }), 'class="late"');
  assert.match(await late({ waitForTimeout: 1_500 }), 'class="late"');
  const event = { url: at('/small'), waitForEvent: { event: 'never', timeout: 200 } };
  refused(await call(event), 408, 'never');
  assert.match((await unblocked({ ...event, bestAttempt: true })).content ?? '', '<html');
});

test.proves(
  'unblock:gotoOptions.referer unblock:gotoOptions.referrerPolicy unblock:gotoOptions.timeout unblock:gotoOptions.waitUntil unblock:gotoOptions.waitUntil[]',
);
withChromium('gotoOptions: a navigation that times out is reported with its limit', async () => {
  const referer = 'https://from.test/page';
  const gotoOptions = { waitUntil: 'networkidle0', referer, referrerPolicy: 'unsafe-url' };
  await unblocked({ url: at('/small'), gotoOptions });
  assert.is((await fixture.site.waitForRequest('/small')).headers['referer'], referer);
  const busy = { url: at('/busy'), gotoOptions: { waitUntil: 'networkidle0', timeout: 1_500 } };
  refused(await call(busy), 408, 'networkidle0');
  refused(await call({ url: at('/hang'), gotoOptions: { timeout: 500 } }), 408, '500 ms', 'gotoOptions.timeout');
});

test.proves('unblock:authenticate.username unblock:authenticate.password unblock:ignoreHTTPSErrors');
withChromium('authenticate and ignoreHTTPSErrors', async () => {
  const authenticate = { username: 'user', password: 'pass' };
  assert.match((await unblocked({ url: at('/auth'), authenticate })).content ?? '', 'let in');
  const url = `${fixture.site.secureUrl}/small`;
  refused(await call({ url }), 500, 'certificate');
  assert.match((await unblocked({ url, ignoreHTTPSErrors: true })).content ?? '', '<html');
});

withChromium('a gate that admits ordinary browsers: passed', async () => {
  const { unblockHeader, content, cookies } = await unblocked({ url: lab.gateUrl('unblock') });
  assert.is(unblockHeader, 'state=passed, seen=("cf-mitigated"), tried=("wait")');
  assert.match(content ?? '', 'id="welcome"');
  assert.ok(cookies?.some(({ name }) => name === 'cf_clearance'));
});

withChromium('a site that denies access: denied, with its page', async () => {
  const { unblockHeader, content } = await unblocked({ url: at('/status/403') });
  assert.is(unblockHeader, 'state=denied, seen=("403"), tried=("wait")');
  assert.match(content ?? '', '<html');
});

const through = (query: Record<string, string | number> = {}): CallOptions => ({
  query: { externalProxyServer: captchas.proxy, ...query },
});
const trusting = (path: string, fields: object = {}) => ({
  url: captchas.url + path,
  ignoreHTTPSErrors: true,
  screenshot: false,
  ...fields,
});

withChromium('a blocking captcha with a test key: passed', async () => {
  const { unblockHeader, content } = await unblocked(trusting('/recaptcha-test-key?status=403'), through());
  assert.is(unblockHeader, 'state=passed, seen=("recaptcha"), tried=("captcha")');
  assert.match(content ?? '', 'g-recaptcha');
});

withChromium('an unsolved blocking captcha is reported; one that does not block the page is ignored', async () => {
  const { unblockHeader } = await unblocked(trusting('/recaptcha?status=429'), through());
  assert.is(unblockHeader, 'state=captcha:recaptcha, seen=("recaptcha"), tried=("captcha")');
  const beside = await unblocked(trusting('/recaptcha'), through());
  assert.is(beside.unblockHeader, 'state=clear, seen=(), tried=()');
});

withChromium('captchas that replace the page are reported regardless of its status', async () => {
  for (const [path, { type }] of Object.entries(captchaPages)) {
    if (type !== 'datadome' && type !== 'amazonWaf') continue;
    const { unblockHeader } = await unblocked(trusting(path), through());
    assert.is(unblockHeader, `state=captcha:${type}, seen=("${type}"), tried=("captcha")`);
  }
});

const [challenge = ''] = Object.entries(captchaPages).find(([, { html }]) => html.includes('_cf_chl_opt')) ?? [];

withChromium('a challenge that never ends: the response arrives before the time limit and says so', async () => {
  const began = idleNow();
  const { unblockHeader, content } = await unblocked(trusting(challenge), through({ timeout: 9_000 }));
  assert.is(unblockHeader, 'state=timeout, seen=("cloudflare"), tried=("captcha")');
  assert.match(content ?? '', 'Just a moment');
  assert.ok(idleNow() - began < 9_000);
});

withChromium('a challenge that never ends, after a slow browser start: the response is still in time', async () => {
  const directory = join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), `unblock-${process.pid}`);
  const program = placeOf('chromium') ?? placeOf('chrome') ?? '';
  const path = writeProgram(directory, 'browser', `sleep 5\nexec '${program}' "$@"`);
  const slow = await startService({ env: { CHROMIUM_PATH: path, SPARES: '0' } });
  try {
    const body = trusting(challenge, { content: false });
    const reply = succeeded(await slow.post('/unblock', body, through({ timeout: 15_000 })));
    assert.is(reply.headers['x-unblock'], 'state=timeout, seen=("cloudflare"), tried=("captcha")');
  } finally {
    await slow.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

test('errors name the invalid field; files and metadata addresses are rejected', async () => {
  namesField(await call({ url: at('/small'), nothing: 1 }), 'nothing');
  namesField(await call({}), 'url');
  namesField(await call({ url: at('/small'), screenshot: 'png' }), 'screenshot');
  refused(await call({ url: 'file:///etc/passwd' }), 403, 'file:');
  refused(await call({ url: 'http://169.254.169.254/' }), 403);
  refused(await call({ url: 'nonsense' }), 400, 'url');
});

withChromium('a client that disconnects or a killed browser leaves no session behind', async () => {
  const leaving = new AbortController();
  const left = call({ url: at('/hang') }, { signal: leaving.signal }).catch((error: unknown) => error);
  await fixture.site.waitForRequest('/hang');
  leaving.abort();
  await left;
  await noSession();
  const killed = call({ url: at('/never-load') });
  await fixture.site.waitForRequest('/never-load');
  const [entry] = await sessionsOf(fixture.service);
  await fixture.service.get(`/kill/${entry?.id}`);
  refused(await killed, 500, 'kill');
  await noSession();
});

withChromium('ALLOW_STEALTH=false disables it, and MAX_RECONNECT_TIME shortens ttl', async () => {
  const strict = await startService({ env: { ALLOW_STEALTH: 'false', SPARES: '0' } });
  const short = await startService({ env: { MAX_RECONNECT_TIME: '2000', SPARES: '0' } });
  try {
    refused(await strict.post('/unblock', { url: at('/small') }), 400, 'ALLOW_STEALTH');
    const reply = succeeded(await short.post('/unblock', { url: at('/small'), browserWSEndpoint: true }));
    assert.is(reply.json<UnblockResult>().ttl, 2_000);
  } finally {
    await stopAll(strict, short);
  }
});
