// Clients' secrets stay out of the log, at every entry point: query values of URLs, and errors from their own code.
// The response to the client contains them in full.
import * as assert from 'uvu/assert';
import { send as sendDocument } from '../support/clients/bql.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { refused } from '../support/checks/expect.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startService, stopAll, type Service } from '../support/service.ts';
import { startSite, type Site } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('secrets in the log');
const canary = 'CANARY-4711';
const secret = `api_key=${canary}&q=${canary}#${canary}`;
let service: Service;
let site: Site;

test.before(async () => {
  site = await startSite();
  const env = { LOG_LEVEL: 'debug', TIMEOUT: '15000', ERROR_ALERT_URL: `${site.url}/status/200?alert` };
  service = await startService({ env });
});
test.after(() => stopAll(service, site));

/** Asserts that the log contains a line about this event and does not contain the canary. */
async function logged(event: string, before: number): Promise<void> {
  const lines = () => service.logs().slice(before);
  await until(`a line about ${event}`, () => lines().some((line) => line.event === event));
  for (const line of lines()) assert.not.match(JSON.stringify(line), new RegExp(canary));
}

/** URLs that fail, each for a different reason. */
const addresses = () => [
  `${site.refusingUrl}?${secret}`,
  `http://no-such-host.invalid/?${secret}`,
  `${site.url}/hang?${secret}`,
  `${site.url}/download?${secret}`,
  `file:///etc/?${secret}`,
  `http://127.0.0.1:${service.port}/?${secret}`,
  `nonsense://x/?${secret}`,
  `https://user:${canary}@no-such-host.invalid/`,
];

test('REST: URLs', async () => {
  for (const url of addresses()) {
    const before = service.logs().length;
    const reply = await service.post('/content', { url, gotoOptions: { timeout: 1_000 } });
    assert.ok(reply.status >= 400, `${url}: ${reply.status}`);
    await logged('request', before);
  }
  const before = service.logs().length;
  refused(await service.post('/content', { url: [`${site.url}/?${secret}`] }), 400);
  refused(await service.post('/content', { html: 'x', addScriptTag: [{ url: `${site.url}/none?${secret}` }] }), 400);
  await logged('request', before);
});

test('REST: errors thrown by functions and scripts', async () => {
  const thrown = `throw new Error('${canary} and more')`;
  for (const body of [
    { html: 'x', waitForFunction: { fn: `() => { ${thrown} }` } },
    { html: 'x', waitForFunction: { fn: `${canary} ${canary}` } },
  ]) {
    const before = service.logs().length;
    refused(await service.post('/content', body), 400, /CANARY|could not|cannot/);
    await logged('request', before);
  }
});

test.shows('leaked-secrets', 'function');
test('/function and /download: errors thrown by the code, and URLs that it opens', async () => {
  const headers = { 'content-type': 'application/javascript' };
  const codes = [
    `export default async () => { throw new Error('${canary}') }`,
    `export default async () => { throw '${canary}' }`,
    `export default async () => { throw Object.assign(new TypeError('${canary}'), { cause: new Error('${canary}') }) }`,
    `export default async ({ page }) => page.goto('${site.refusingUrl}?${secret}')`,
    `export default async ({ page }) => page.evaluate(() => { throw new Error('${canary}') })`,
    `syntax error ${canary}`,
  ];
  for (const [code, route] of [...codes.map((each) => [each, '/function']), [codes[0], '/download']] as const) {
    const before = service.logs().length;
    const reply = await service.post(route ?? '', code, { headers });
    assert.is(reply.status, 400, reply.text);
    await logged('request', before);
  }
  const told = await service.post('/function', `export default () => { throw new Error('${canary}') }`, { headers });
  refused(told, 400, canary);
  const line = service.logs().findLast(({ event }) => event === 'request');
  assert.match(String(line?.['reason']), /^text of the caller's code, \d+ characters$/);
});

test.shows('leaked-secrets', 'BrowserQL');
test('BrowserQL', async () => {
  for (const document of [
    ...addresses().map((url) => `mutation { goto(url: ${JSON.stringify(url)}, timeout: 1000) { status } }`),
    `mutation { evaluate(content: "throw new Error('${canary}')") { value } }`,
    `mutation { click(selector: "${site.url}?${secret}", timeout: 300) { x } }`,
    `mutation { goto(url: "${canary}`,
  ]) {
    const before = service.logs().length;
    const reply = await sendDocument(service, document);
    assert.match(reply.text, /"errors"/);
    await logged('request', before);
  }
});

test.shows('leaked-secrets', 'CDP');
test('CDP', async () => {
  const before = service.logs().length;
  const browser = await connect(service);
  const page = await browser.newPage();
  for (const url of addresses()) await page.goto(url, { timeout: 1_000 }).catch(() => undefined);
  await page.evaluate(`throw new Error('${canary}')`).catch(() => undefined);
  await browser.close().catch(() => undefined);
  const raw = await rawClient(socketUrl(service, '/chromium'));
  void raw.send('Target.createTarget', { url: `${site.refusingUrl}?${secret}` });
  void raw.send('Target.createTarget', { url: `file:///?${secret}` });
  await Promise.race([raw.send(canary, { [canary]: canary }), raw.closed]);
  raw.socket.close();
  await raw.closed;
  await logged('request', before);
});

test.shows('leaked-secrets', 'Playwright');
test('Playwright', async () => {
  const before = service.logs().length;
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  for (const url of addresses()) await page.goto(url, { timeout: 1_000 }).catch(() => undefined);
  await page.evaluate(`throw new Error('${canary}')`).catch(() => undefined);
  await browser.close().catch(() => undefined);
  await logged('request', before);
});

test('alerts do not contain the secrets either', async () => {
  const alerts = () => site.requests.filter(({ path, query }) => path === '/status/200' && query.has('alert'));
  await until('alerts', () => alerts().length > 5);
  for (const { query } of alerts()) assert.not.match(query.get('error') ?? '', new RegExp(canary));
});
