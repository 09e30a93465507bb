// A URL that leads to a PDF gets the same response from each engine: the headless shell downloads it, the full browser
// shows it in a viewer whose document is empty.
// @tier ci
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused } from '../support/checks/expect.ts';

const { test, fixture } = fixtureSuite('fields: PDF addresses', { timeoutMs: 120_000 });

const document = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF';
const pdf = (type = 'application/pdf', more = '') =>
  `/answer?type=${encodeURIComponent(type)}&body=${encodeURIComponent(document)}${more}`;
const page = (body: string) => `/answer?body=${encodeURIComponent(body)}`;
const attachment = '&header=Content-Disposition: attachment';

const files: Readonly<Record<string, string>> = {
  'a PDF': pdf(),
  'a PDF with an error status': pdf('Application/PDF; charset=x', '&status=404'),
  'a PDF as text': pdf('text/pdf'),
  'a redirect to a PDF': `/redirect?to=${encodeURIComponent(pdf())}`,
  'a PDF as attachment': pdf('application/pdf', attachment),
  'an archive': '/answer?type=application/zip&body=PK',
  'unknown data': '/answer?type=application/octet-stream&body=x',
  'a page as attachment': `/answer?body=x${attachment}`,
  'a script that navigates to a PDF': `/refresh?script&to=${encodeURIComponent(pdf())}`,
  'a frame that navigates its page to a PDF': page(
    `<iframe srcdoc="<script>parent.location.href = '${pdf()}'</script>"></iframe>`,
  ),
};

const pages: Readonly<Record<string, string>> = {
  'frames and embeds of PDFs': page(`<h1>Page</h1><iframe src="${pdf()}"></iframe><embed src="${pdf()}">`),
  'a script that navigates to an archive': page(
    '<h1>Page</h1><script>location.href = "/answer?type=application/zip&body=PK"</script>',
  ),
  'a script that navigates to an attached PDF': page(
    `<h1>Page</h1><script>location.href = "${pdf('application/pdf', attachment)}"</script>`,
  ),
};

const engines: Readonly<Record<string, Record<string, string>>> = {
  'the headless shell': {},
  'full Chromium': { launch: '{"headless":true}' },
  'a stealth browser': { stealth: 'true' },
};

for (const [engine, query] of Object.entries(engines)) {
  const needed = () => (engine === 'the headless shell' ? undefined : test.needs('a full Chromium'));
  needed();
  test(`${engine}: /content rejects what is not a page, and reads pages that show or offer it`, async () => {
    for (const [what, path] of Object.entries(files)) {
      const answer = await fixture.service.post('/content', { url: `${fixture.site.url}${path}` }, { query });
      assert.is(answer.status, 400, `${what}: ${answer.text.slice(0, 200)}`);
      refused(answer, 400, /is a download \(.*\), not a page\. Fetch it directly or with POST \/download\./);
    }
    for (const [what, path] of Object.entries(pages)) {
      const answer = await fixture.service.post('/content', { url: `${fixture.site.url}${path}` }, { query });
      assert.is(answer.status, 200, what);
      assert.match(answer.text, '<h1>Page</h1>', what);
    }
  });

  needed();
  test(`${engine}: all routes reject a PDF, also one that replaces the page later or while it is read`, async () => {
    const later = page(`<h1>Page</h1><script>setTimeout(() => (location.href = '${pdf()}'), 200)</script>`);
    const url = `${fixture.site.url}${later}`;
    const routes: Readonly<Record<string, Record<string, unknown>>> = {
      '/pdf': {},
      '/screenshot': {},
      '/markdown': {},
      '/scrape': { elements: [{ selector: 'h1' }] },
    };
    for (const [route, body] of Object.entries(routes)) {
      const at = await fixture.service.post(route, { url: `${fixture.site.url}${pdf()}`, ...body }, { query });
      refused(at, 400, 'is a download');
    }
    const waiting = { url, waitForTimeout: 1_500 };
    refused(await fixture.service.post('/screenshot', waiting, { query }), 400, 'is a download');
    const html = `<script>location.href = '${fixture.site.url}${pdf()}'</script>`;
    refused(await fixture.service.post('/content', { html, waitForTimeout: 1_500 }, { query }), 400, 'is a download');
    const best = await fixture.service.post('/content', { url, waitForTimeout: 4_000, bestAttempt: true }, { query });
    assert.match(best.text, '<html><head></head><body></body></html>');
    // A screenshot of a page that the viewer replaces at the same time must not hang.
    const refresh = { url: `${fixture.site.url}/refresh?to=${encodeURIComponent(pdf())}` };
    assert.ok([200, 400].includes((await fixture.service.post('/screenshot', refresh, { query })).status));
  });

  needed();
  test(`${engine}: BrowserQL rejects a PDF in goto, after a click and in the history`, async () => {
    const { url } = fixture.site;
    const list = `${url}${page(`<h1>Page</h1><a id="pdf" href="${pdf()}">PDF</a>`)}`;
    const run = async (query_: string) => {
      const sent = await fixture.service.post('/chromium/bql', { query: query_ }, { query });
      return sent.json<{ data: Record<string, unknown>; errors?: { message: string; path: string[] }[] }>();
    };
    const went = await run(`mutation { goto(url: ${JSON.stringify(`${url}${pdf()}`)}) { status } }`);
    assert.match(went.errors?.[0]?.message ?? '', 'is a download');
    const clicked = await run(`mutation {
      goto(url: ${JSON.stringify(list)}) { status }
      click(selector: "#pdf") { x }
      waitForNavigation(timeout: 10000) { status }
    }`);
    assert.equal(clicked.errors?.[0]?.path, ['waitForNavigation']);
    assert.match(clicked.errors?.[0]?.message ?? '', 'is a download');
    const back = await run(`mutation {
      goto(url: ${JSON.stringify(list)}) { status }
      other: goto(url: "${url}/small") { status }
      back { url }
      text(selector: "h1") { text }
    }`);
    assert.is(back.errors, undefined);
  });

  needed();
  test(`${engine}: the page can still see the browser's viewer`, async () => {
    const html = '<h1></h1><script>document.querySelector("h1").textContent = navigator.pdfViewerEnabled</script>';
    const { text } = await fixture.service.post('/content', { html }, { query });
    assert.match(text, `<h1>${engine !== 'the headless shell'}</h1>`);
  });
}

test.needs('a full Chromium');
test('/unblock rejects a PDF', async () => {
  for (const path of [pdf(), `/refresh?script&to=${encodeURIComponent(pdf())}`]) {
    const answer = await fixture.service.post('/unblock', { url: `${fixture.site.url}${path}`, content: true });
    refused(answer, 400, 'is a download');
  }
});
