// /unblock: the five keys of its response, the browser it hands over, which obstacles it passes, and how it reports
// them.
// @tier ci
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { captchaPages } from '../bench/lab/captchas/pages.ts';
import { type CaptchaSite, startCaptchaSite } from '../bench/lab/captchas/site.ts';
import { type LabSite, startLabSite } from '../bench/lab/site.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import type { Reply } from '../support/clients/http.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { missing, placeOf } from '../support/programs.ts';
import { type CallOptions, startService } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = fixtureSuite('unblock', { env: { SPARES: '0' } });
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
  const reply = succeeded(await call({ screenshot: false, ...body }, options), 'application/json; charset=UTF-8');
  return { ...reply.json<UnblockResult>(), unblockHeader: reply.headers['x-unblock'] ?? '' };
}

const noSession = () =>
  until('all sessions to end', async () => (await sessionsOf(fixture.service)).length === 0, 30_000);

test.proves('unblock:browserWSEndpoint unblock:ttl');
withChromium('returns all five keys; a client finds the page at browserWSEndpoint until ttl expires', async () => {
  const reply = succeeded(await call({ url: at('/set-cookie'), browserWSEndpoint: true, ttl: 3_000 }));
  const answer = reply.json<UnblockResult>();
  assert.equal(Object.keys(answer).toSorted(), ['browserWSEndpoint', 'content', 'cookies', 'screenshot', 'ttl']);
  assert.match(answer.content ?? '', /<html/);
  assert.equal(answer.cookies?.map(({ name }) => name).toSorted(), ['hidden', 'visited']);
  assert.ok(answer.cookies?.every(({ size, session }) => size > 0 && typeof session === 'boolean'));
  assert.equal([...Buffer.from(answer.screenshot ?? '', 'base64').subarray(0, 3)], [0xff, 0xd8, 0xff]);
  assert.is(answer.ttl, 3_000);
  assert.is(reply.headers['x-unblock'], 'state=clear, seen=(), tried=()');
  const path = new URL(answer.browserWSEndpoint ?? '').pathname;
  const browser = await connect(fixture.service, path, {}, { defaultViewport: null });
  const [page] = await browser.pages();
  assert.is(page?.url(), at('/set-cookie'));
  assert.equal(await page?.evaluate('[document.cookie, navigator.webdriver]'), ['visited=yes', false]);
  await browser.disconnect();
  await noSession();
  assert.is((await handshake(fixture.service, path)).status, 404);
});

test('ttl cannot be longer than 30 s, or zero', async () => {
  const body = { url: at('/small'), browserWSEndpoint: true };
  for (const ttl of [30_001, -1, 'soon']) namesField(await call({ ...body, ttl }), 'ttl');
  refused(await call({ ...body, ttl: 0 }), 400, 'ttl');
});

test.proves('unblock:waitForSelector.visible');
withChromium('waitForSelector: visible; ttl defaults to 30000', async () => {
  const waitForSelector = { selector: '#target', visible: true };
  const { content, ttl } = await unblocked({ url: at('/late'), waitForSelector, browserWSEndpoint: true });
  assert.match(content ?? '', 'class="late"');
  assert.is(ttl, 30_000);
  const [entry] = await sessionsOf(fixture.service);
  await fixture.service.get(`/kill/${entry?.id}`);
});

test.proves(
  'unblock:bestAttempt unblock:waitForEvent.event unblock:waitForEvent.timeout unblock:waitForFunction.fn unblock:waitForFunction.polling unblock:waitForFunction.timeout unblock:waitForTimeout',
  'unblock:waitForSelector.selector unblock:waitForSelector.hidden unblock:waitForSelector.timeout',
);
withChromium('waitForTimeout, waitForFunction, waitForSelector, waitForEvent, and bestAttempt', async () => {
  // The waits run in this order. The function runs after the timeout, and then adds elements one after the other.
  const fn = `() => {
  const { body } = document;
  if (body.dataset.late === undefined) {
    body.dataset.late = document.querySelector('.late') !== null;
    setTimeout(() => {
      body.insertAdjacentHTML('beforeend', '<i id="stays"></i><i id="leaves">x</i>');
      setTimeout(() => document.querySelector('#leaves').remove(), 300);
    }, 300);
  }
  return document.querySelector('#stays');
}`;
  const waitForEvent = { event: 'never', timeout: 200 };
  const { content } = await unblocked({
    url: at('/late'),
    waitForTimeout: 1_500,
    waitForFunction: { fn, polling: 50, timeout: 20_000 },
    waitForSelector: { selector: '#leaves', hidden: true, timeout: 20_000 },
    waitForEvent,
    bestAttempt: true,
  });
  assert.match(content ?? '', 'data-late="true"');
  assert.match(content ?? '', 'id="stays"');
  assert.not.match(content ?? '', 'id="leaves"');
  refused(await call({ url: at('/small'), waitForEvent }), 408, 'never');
});

test.proves(
  'unblock:gotoOptions.referer unblock:gotoOptions.referrerPolicy unblock:gotoOptions.timeout unblock:gotoOptions.waitUntil unblock:gotoOptions.waitUntil[]',
);
withChromium('gotoOptions: a navigation that times out is reported with its limit', async () => {
  const referer = 'https://from.test/page';
  const gotoOptions = { waitUntil: 'networkidle0', referer, referrerPolicy: 'unsafe-url', timeout: 1_500 };
  refused(await call({ url: at('/busy'), gotoOptions }), 408, 'networkidle0', '1500 ms', 'gotoOptions.timeout');
  assert.is((await fixture.site.waitForRequest('/busy')).headers['referer'], referer);
});

test.proves('unblock:authenticate.username unblock:authenticate.password unblock:ignoreHTTPSErrors');
withChromium('authenticate and ignoreHTTPSErrors', async () => {
  const body = { url: `${fixture.site.secureUrl}/auth`, authenticate: { username: 'user', password: 'pass' } };
  refused(await call(body), 500, 'certificate');
  assert.match((await unblocked({ ...body, ignoreHTTPSErrors: true })).content ?? '', 'let in');
});

withChromium('a gate that admits ordinary browsers: passed', async () => {
  const { unblockHeader, content, cookies } = await unblocked({ url: lab.gateUrl('unblock') });
  assert.is(unblockHeader, 'state=passed, seen=("cf-mitigated"), tried=("wait")');
  assert.match(content ?? '', 'id="welcome"');
  assert.ok(cookies?.some(({ name }) => name === 'cf_clearance'));
});

withChromium('a challenge that the page passes while it is still loading is reported', async () => {
  let documents = 0;
  const mark = { 'cf-mitigated': 'challenge' };
  const site = createServer(({ url }, response) => {
    const isFirst = url === '/' && documents++ === 0;
    response.writeHead(200, { 'content-type': 'text/html', ...(isFirst ? mark : {}) });
    response.end(isFirst ? '<script>location.reload()</script>' : '<p>welcome');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { unblockHeader, content } = await unblocked({
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`,
  });
  site.closeAllConnections();
  site.close();
  assert.match(content ?? '', 'welcome');
  assert.is(unblockHeader, 'state=passed, seen=("cf-mitigated"), tried=("wait")');
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

withChromium('an unsolved blocking captcha is reported', async () => {
  const { unblockHeader } = await unblocked(trusting('/recaptcha?status=429'), through({ timeout: 20_000 }));
  assert.is(unblockHeader, 'state=captcha:recaptcha, seen=("recaptcha"), tried=("captcha")');
});

test.proves('unblock:url unblock:cookies unblock:content unblock:screenshot');
withChromium('a captcha beside the page is ignored; fields set to false are null, and ttl is ignored', async () => {
  const body = trusting('/recaptcha', { cookies: false, content: false, ttl: 5_000 });
  const reply = succeeded(await call(body, through()));
  assert.is(reply.headers['x-unblock'], 'state=clear, seen=(), tried=()');
  const nothing = { cookies: null, content: null, screenshot: null, browserWSEndpoint: null, ttl: 0 };
  assert.equal(reply.json<UnblockResult>(), nothing);
  assert.is(reply.headers['x-ignored-parameters'], 'ttl');
});

withChromium('captchas that replace the page are reported regardless of its status', async () => {
  for (const [path, { type }] of Object.entries(captchaPages)) {
    if (type !== 'datadome' && type !== 'amazonWaf') continue;
    const { unblockHeader } = await unblocked(trusting(path), through({ timeout: 20_000 }));
    assert.is(unblockHeader, `state=captcha:${type}, seen=("${type}"), tried=("captcha")`);
  }
});

const [challenge = ''] = Object.entries(captchaPages).find(([, { html }]) => html.includes('_cf_chl_opt')) ?? [];

withChromium(
  'a challenge that never ends, after a slow browser start: the response is in time and says so',
  async () => {
    const program = placeOf('chromium') ?? placeOf('chrome') ?? '';
    const path = writeProgram(temporaryDirectory(), 'browser', `sleep 5\nexec '${program}' "$@"`);
    await using slow = await startService({ env: { CHROMIUM_PATH: path, SPARES: '0', MAX_RECONNECT_TIME: '2000' } });
    const began = idleNow();
    const body = trusting(challenge, { browserWSEndpoint: true });
    const reply = succeeded(await slow.post('/unblock', body, through({ timeout: 20_000 })));
    assert.ok(idleNow() - began < 20_000);
    assert.is(reply.headers['x-unblock'], 'state=timeout, seen=("cloudflare"), tried=("captcha")');
    const { content, ttl } = reply.json<UnblockResult>();
    assert.match(content ?? '', 'Just a moment');
    assert.is(ttl, 2_000, 'MAX_RECONNECT_TIME shortens it');
  },
);

test('errors name the invalid field; files and metadata addresses are rejected', async () => {
  namesField(await call({ url: at('/small'), nothing: 1 }), 'nothing');
  namesField(await call({}), 'url');
  namesField(await call({ url: at('/small'), screenshot: 'png' }), 'screenshot');
  refused(await call({ url: 'file:///etc/passwd' }), 403, 'file:');
  refused(await call({ url: 'http://169.254.169.254/' }), 403);
  refused(await call({ url: 'nonsense' }), 400, 'url');
  for (const prefix of ['/chromium', '/chrome']) namesField(await fixture.service.post(`${prefix}/unblock`, {}), 'url');
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

test('ALLOW_STEALTH=false disables it', async () => {
  await using strict = await startService({ env: { ALLOW_STEALTH: 'false', SPARES: '0' } });
  refused(await strict.post('/unblock', { url: at('/small') }), 400, 'ALLOW_STEALTH');
});
