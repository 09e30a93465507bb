// BrowserQL: blockAds and blockConsentModals, on fresh pages, reconnectable browsers and sessions.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { quickStealth } from './quick-stealth.ts';

const { test, fixture } = bqlSuite('BrowserQL blocking', { env: quickStealth });

/** EasyList rules do not apply to pages on 127.0.0.1 or localhost. */
const news = (path: string) => `${fixture.site.url.replace('127.0.0.1', 'news.localhost')}${path}`;
const pathOf = (address: string) => new URL(address).pathname;
const requestedAds = () =>
  fixture.site.requests
    .filter(({ path }) => /^\/(pagead|banner_ads)\//.test(path))
    .map(({ path }) => path)
    .toSorted();

const ads = `mutation Ads($url: String!) { goto(url: $url) { status }
  seen: evaluate(content: "document.querySelector('#google_ads').offsetWidth + ' ' + document.documentElement.dataset.ad") { value }
  own: evaluate(content: "document.documentElement.dataset.mark") { value }`;

test.proves('blockAds@bql');
test('blockAds: ads are neither requested nor shown', async () => {
  const variables = { url: news('/ads') };
  const shown = await fixture.data(`${ads} }`, { variables });
  assert.equal([shown['seen'].value, requestedAds().length], ['100 ran', 3]);
  fixture.site.clear();
  const without = await fixture.data(`${ads} }`, { variables, query: { blockAds: true } });
  assert.equal([without['seen'].value, without['own'].value], ['0 undefined', 'by script']);
  assert.equal(requestedAds(), []);
  // Adding and removing rules in the document does not turn off blockAds.
  const ruled = await fixture.data(
    `mutation Ruled($url: String!) { reject(type: image) { enabled } off: reject(enabled: false) { enabled } goto(url: $url) { status } }`,
    { variables, query: { blockAds: true } },
  );
  assert.equal([ruled['goto'].status, requestedAds()], [200, []]);
});

test('blockAds: ads stay blocked after reconnecting', async () => {
  const variables = { url: news('/ads') };
  const keep = 'reconnect(timeout: 60000) { browserQLEndpoint } }';
  const first = await fixture.data(`mutation { goto(url: "SITE/small") { status } ${keep}`, {
    query: { blockAds: true },
  });
  const path = pathOf(first['reconnect'].browserQLEndpoint);
  const { own } = await fixture.data(`${ads} }`, { variables, path });
  assert.equal([own.value, requestedAds()], ['by script', []]);
});

const consentSteps =
  'how: evaluate(content: "document.documentElement.dataset.consent") { value } left: evaluate(content: "document.querySelectorAll(\'.dialog\').length") { value }';
const consentState = ({ how, left }: Record<string, { value: string | null }>) => [how?.value, left?.value];

test.proves('blockConsentModals@bql');
test('blockConsentModals: consent is declined before the next step', async () => {
  const document = `mutation { goto(url: "SITE/consent/onetrust") { status } ${consentSteps} }`;
  assert.equal(consentState(await fixture.data(document)), [null, '1']);
  assert.equal(consentState(await fixture.data(document, { query: { blockConsentModals: true } })), ['refused', '0']);
});

test.proves('blockConsentModals@bql-kept');
test('blockConsentModals works after reconnecting, whether or not the browser was started with it', async () => {
  const query = { blockConsentModals: true };
  const keep = 'reconnect(timeout: 60000) { browserQLEndpoint }';
  const first = await fixture.data(
    `mutation { goto(url: "SITE/consent/onetrust") { status } ${consentSteps} ${keep} }`,
    {
      query,
    },
  );
  assert.equal(consentState(first), ['refused', '0']);
  const path = pathOf(first['reconnect'].browserQLEndpoint);
  const second = await fixture.data(`mutation { goto(url: "SITE/consent/didomi") { status } ${consentSteps} }`, {
    path,
    query,
  });
  assert.equal(consentState(second)[0], 'refused');
  const plain = await fixture.data(`mutation { goto(url: "SITE/small") { status } ${keep} }`);
  const later = await fixture.data(`mutation { goto(url: "SITE/consent/onetrust") { status } ${consentSteps} }`, {
    path: pathOf(plain['reconnect'].browserQLEndpoint),
    query,
  });
  assert.equal(consentState(later), ['refused', '0']);
});

test.proves('blockConsentModals@bql-session');
test.needs('a full Chromium');
test('blockConsentModals works in a session, and in a window that a page opened', async () => {
  const query = { blockConsentModals: true };
  const { browserQL, stop } = (await fixture.post('/session', { ttl: 120_000, stealth: true })).json<{
    browserQL: string;
    stop: string;
  }>();
  const path = pathOf(browserQL);
  const inSession = await fixture.data(`mutation { goto(url: "SITE/consent/onetrust") { status } ${consentSteps} }`, {
    path,
    query,
  });
  assert.equal(consentState(inSession), ['refused', '0']);
  assert.is((await fixture.service.get(pathOf(stop), { method: 'DELETE' })).status, 204);
  const inWindow = await fixture.data(
    `mutation { goto(url: "SITE/small") { status }
      open: evaluate(content: "void window.open('/consent/onetrust')") { value }
      win: switchToWindow(newest: true, waitUntil: load, timeout: 30000) { success navigation { status } } ${consentSteps} }`,
    { query },
  );
  assert.equal([inWindow['win'].success, ...consentState(inWindow)], [true, 'refused', '0']);
});
