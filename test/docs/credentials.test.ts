// The credential in samples: quoted correctly for each language, regardless of the characters in the token; shown and
// copied in the same form; and absent on a server that does not require one.
// @tier ci
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Browser, Page } from 'puppeteer-core';
import { readSample } from '../../src/web/docs/samples/credential.ts';
import { textWith } from '../../src/web/docs/samples/insertions.ts';
import { withCredentials } from '../../src/web/docs/samples/markdown.ts';
import { formOf, quoteToken } from '../../src/web/docs/samples/quote.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { copiedText, figuresOf } from '../support/checks/copied-sample.ts';
import { cannotRun, runText } from '../support/checks/doc-samples.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const test = suite('credentials in samples', { timeoutMs: 180_000 });

/** Every character that is special in a URL, a shell or a string; the second token cannot be in a header. */
const tokens = [
  `it's "quoted" a b&c=d;e $HOME \${PATH} $(id) \`id\` back\\slash\\n\\\\ 100%41+?#/@: {a} [b] <c> !d ~e *`,
  `ключ-ß-日本-😀 's "q" &c=d;e $HOME $(id) \`id\` back\\slash\\n\\\\ 100%41+?#/@: {a} [b] <c> !d ~e *`,
] as const;

const samples: Readonly<Record<string, string>> = {
  sh: 'curl --fail-with-body http://localhost:3000/active',
  js: "const response = await fetch('http://localhost:3000/active');\nif (!response.ok) throw new Error(await response.text());",
  python: `from urllib.request import Request, urlopen\n\nurlopen(Request("http://localhost:3000/active"), timeout=20)`,
  php: `<?php\n$call = curl_init('http://localhost:3000/active');\ncurl_setopt_array($call, [CURLOPT_HTTPHEADER => ['Accept: */*']]);\ncurl_exec($call);\nif (curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 204) exit(1);`,
  go: `package main\n\nimport (\n\t"log"\n\t"net/http"\n)\n\nfunc main() {\n\trequest, _ := http.NewRequest("GET", "http://localhost:3000/active", nil)\n\trequest.Header.Set("Accept", "*/*")\n\tresponse, err := http.DefaultClient.Do(request)\n\tif err != nil || response.StatusCode != 204 {\n\t\tlog.Fatal(err, response.Status)\n\t}\n}`,
  java: `import java.net.URI;\nimport java.net.http.*;\n\npublic class Sample {\n    public static void main(String[] args) throws Exception {\n        var request = HttpRequest.newBuilder(URI.create("http://localhost:3000/active"))\n            .header("Accept", "*/*")\n            .build();\n        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());\n        if (response.statusCode() != 204) throw new RuntimeException();\n    }\n}`,
};
/** Languages whose samples take seconds to start, so that they run with one token. */
const slow = new Set(['go', 'java']);

let directory: string;
let guarded: Service;
let open: Service;
let reader: Reader;
let browser: Browser;

test.before(async () => {
  await builtDocs();
  directory = temporaryDirectory();
  const file = join(directory, 'tokens');
  writeFileSync(file, `${tokens.join('\n')}\n`);
  guarded = await startService({ env: { TOKEN_FILE: file, TOKEN: 'first-token', SPARES: '0' } });
  open = await startService({ env: { SPARES: '0' } });
  reader = await startReader();
  browser = reader.browser;
});
test.after(async () => {
  await stopAll(reader, guarded, open);
  rmSync(directory, { recursive: true, force: true });
});

for (const [language, source] of Object.entries(samples)) {
  const reason = cannotRun(language);
  if (reason !== undefined) test.skip(`tokens in ${language}`, reason, { impossibleInCi: slow.has(language) });
  else {
    test(`all kinds of tokens work in ${language}`, async (signal) => {
      const sample = readSample(source, language);
      const run = (text: string) =>
        runText(language, text.replaceAll('http://localhost:3000', guarded.url), directory, signal);
      const without = await run(textWith(sample, undefined)).then(
        () => 'worked',
        () => 'failed',
      );
      assert.is(without, 'failed', 'the server requires a token');
      for (const token of slow.has(language) ? tokens.slice(0, 1) : tokens) {
        const text = textWith(sample, formOf(token), (quote) => quoteToken(token, quote));
        await run(text).catch((error: unknown) => {
          throw new Error(`${token}:\n${text}`, { cause: error });
        });
      }
    });
  }
}

test('all kinds of tokens work in WebSocket URLs', async (signal) => {
  const source = `const socket = new WebSocket('ws://localhost:3000/');\nawait new Promise((resolve, reject) => {\n  socket.onopen = resolve;\n  socket.onerror = reject;\n});\nsocket.close();`;
  const sample = readSample(source, 'js');
  for (const token of tokens) {
    const text = textWith(sample, formOf(token), (quote) => quoteToken(token, quote));
    await runText('js', text.replaceAll('ws://localhost:3000', guarded.url.replace('http', 'ws')), directory, signal);
  }
});

test('a sample without a credential has no trace of one', () => {
  const [bare, sent] = [undefined, 'header'].map((form) =>
    textWith(
      readSample("fetch('http://localhost:3000/pdf?token=YOUR_TOKEN&timeout=9', { method: 'POST' })", 'js'),
      form === 'header' ? form : undefined,
    ),
  );
  assert.is(bare, "fetch('http://localhost:3000/pdf?timeout=9', { method: 'POST' })");
  assert.is(
    sent,
    "fetch('http://localhost:3000/pdf?timeout=9', { headers: { Authorization: 'Bearer YOUR_TOKEN' }, method: 'POST' })",
  );
  const computed = readSample('connect(`${address}?token=YOUR_TOKEN&x=1`)', 'js');
  assert.is(textWith(computed, undefined), 'connect(`${address}?x=1`)');
  assert.is(textWith(computed, 'query'), 'connect(`${address}?token=YOUR_TOKEN&x=1`)');
});

/** What a page's Copy buttons copy, for every visible sample. */
async function copied(page: Page): Promise<string[]> {
  const texts = await page.evaluate(`(async () => {
    const texts = [];
    navigator.clipboard.writeText = async (text) => void texts.push(text);
    for (const button of document.querySelectorAll('figure.code [data-copy]')) button.click();
    return JSON.stringify(texts);
  })()`);
  return JSON.parse(String(texts));
}

const pages = ['/', '/enterprise/quick-start', '/rest-apis/intro', '/browserql/using-the-ide/using-api-calls'];

for (const token of [undefined, 'first-token', 'ключ']) {
  test(`the copied text is the text that is shown: ${token ?? 'no token'}`, async () => {
    const docs = await builtDocs();
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const service = token === undefined ? open : guarded;
    await page.goto(`${service.url}/search`);
    await page.evaluate(`localStorage.setItem('docs-api-token', ${JSON.stringify(token ?? '')})`);
    for (const path of pages) {
      await page.goto(`${service.url}${path}`);
      await page.waitForFunction(`document.documentElement.dataset.ready !== undefined`);
      const texts = await copied(page);
      const expected = figuresOf(docs, path).map((figure) => copiedText(figure, { origin: service.url, token }));
      assert.equal(texts, expected, path);
      const shown = await page.evaluate(
        `JSON.stringify([...document.querySelectorAll('figure.code code')].filter((code) => code.checkVisibility()).map((code) => code.innerText))`,
      );
      for (const text of JSON.parse(String(shown))) assert.ok(texts.includes(text), text);
      if (token === undefined) assert.not.match(String(shown), 'YOUR_TOKEN');
    }
    await context.close();
  });
}

test('Save and Remove change the samples on the page; what the server requires stays in them', async () => {
  const page = await (await browser.createBrowserContext()).newPage();
  const state = () => page.evaluate('document.documentElement.dataset.credential');
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`${open.url}/enterprise/quick-start`);
  await page.waitForFunction(`document.documentElement.dataset.ready !== undefined`);
  const save = (token: string) =>
    page.evaluate(
      `(() => { const form = document.querySelector('[data-token-box]'); form.querySelector('input').value = ${JSON.stringify(token)}; form.requestSubmit(); })()`,
    );
  assert.is(await state(), undefined);
  await save('my token');
  assert.is(await state(), 'header');
  assert.ok((await copied(page)).some((text) => text.includes("-H 'Authorization: Bearer my token'")));
  await save('ключ');
  assert.is(await state(), 'query');
  assert.ok((await copied(page)).some((text) => text.includes('?token=%D0%BA')));
  await save('');
  assert.is(await state(), undefined);
  assert.not.ok((await copied(page)).some((text) => /token=|Authorization/.test(text)));
  await page.goto(`${guarded.url}/enterprise/quick-start`);
  assert.is(await state(), 'header');
  assert.ok((await copied(page)).some((text) => text.includes('Bearer YOUR_TOKEN')));
});

test('samples open the playground, or example.com after the reader switches', async () => {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.goto(`${open.url}/rest-apis/pdf-api`);
  await page.waitForFunction(`document.documentElement.dataset.ready !== undefined`);
  const first = async () => (await copied(page))[0] ?? '';
  assert.match(await first(), 'http://playground.localhost/');
  await page.evaluate(`document.querySelector('[data-switch-target]').click()`);
  assert.match(await first(), 'https://example.com/');
  assert.match(String(await page.evaluate(`document.querySelector('[data-run]').dataset.run`)), 'https://example.com/');
  await page.evaluate(`document.querySelector('[data-switch-target]').click()`);
  assert.match(await first(), 'http://playground.localhost/');
});

test('Markdown contains the credential if the server requires one', async () => {
  const docs = await builtDocs();
  const path = '/enterprise/quick-start.md';
  const plain = (await open.get(path)).text;
  assert.is(plain, builtText(docs, path));
  for (const block of plain.match(/^```\w+\n[^]*?^```$/gm) ?? []) assert.not.match(block, 'YOUR_TOKEN');
  const filled = (await guarded.get(path, { token: null })).text;
  assert.match(filled, "-H 'Authorization: Bearer YOUR_TOKEN'");
  assert.is(filled, withCredentials(plain));
  assert.not.match(filled, 'first-token');
});
