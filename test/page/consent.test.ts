// blockConsentModals: dialogs of known platforms are declined, and the result does not contain them.
import * as assert from 'uvu/assert';
import { isColor, readPdf, readPng } from '../support/checks/media.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('blockConsentModals');

const red = [255, 0, 0];
const at = (path: string) => `${fixture.site.url}${path}`;
/** Whether the dialog is visible. */
async function outcome(platform: string, fields: Record<string, unknown>): Promise<{ seen: boolean }> {
  const body = { url: at(`/consent/${platform}`), ...fields };
  const { bytes } = await fixture.post('/screenshot', body);
  return { seen: isColor(readPng(bytes).at(390, 290), red) };
}

test.proves('screenshot:blockConsentModals');
test('without it, the dialog is shown', async () => {
  assert.equal(await outcome('onetrust', {}), { seen: true });
});

for (const platform of ['onetrust', 'cookiebot', 'didomi', 'usercentrics', 'unknown']) {
  test.proves('screenshot:blockConsentModals');
  test(`screenshot: ${platform} is declined`, async () => {
    const answered = {
      waitForFunction: { fn: "document.documentElement.dataset.consent === 'refused'", timeout: 20_000 },
    };
    assert.equal(await outcome(platform, { blockConsentModals: true, ...answered }), { seen: false });
  });
}

test.proves('blockConsentModals@page');
test('pdf: works in the query as well', async () => {
  const { bytes } = await fixture.post('/pdf', { url: at('/consent/onetrust') }, { blockConsentModals: 'true' });
  const { pages } = await readPdf(bytes);
  assert.match(pages[0]?.text ?? '', 'The page itself');
  assert.not.match(pages[0]?.text ?? '', 'We value your privacy');
});

test.proves('pdf:blockConsentModals');
test('works with HTML in the request', async () => {
  const html = `<h1>Page</h1><div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk">We value your privacy
<button id="onetrust-reject-all-handler" onclick="this.parentNode.remove()">Reject all</button></div></div>`;
  const { bytes } = await fixture.post('/pdf', { html, blockConsentModals: true });
  const { pages } = await readPdf(bytes);
  assert.match(pages[0]?.text ?? '', 'Page');
  assert.not.match(pages[0]?.text ?? '', 'We value your privacy');
});

test('a page without a dialog is unchanged', async () => {
  const { text } = await fixture.post('/content', { url: at('/small') }, { blockConsentModals: 'true' });
  assert.match(text, '<p>Small page.</p>');
  assert.not.match(text, 'data-consent');
});

test('declines a dialog in a cross-site frame', async () => {
  const frame = fixture.site.otherUrl;
  const html = `<iframe src="${frame}/index.html?message_id=1" width="500" height="400" style="border:0;position:absolute;left:0;top:0"></iframe>`;
  const shot = async (fields: Record<string, unknown>) => {
    const { bytes } = await fixture.post('/screenshot', { html, ...fields });
    return isColor(readPng(bytes).at(390, 290), red);
  };
  assert.ok(await shot({}));
  assert.not.ok(await shot({ blockConsentModals: true }));
});

test('with JavaScript disabled, the request succeeds without waiting for a dialog', async () => {
  const body = { url: at('/consent/onetrust'), blockConsentModals: true, setJavaScriptEnabled: false };
  assert.is((await fixture.post('/screenshot', body)).status, 200);
});
