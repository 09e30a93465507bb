// Files in live views: the person supplies the files a page asks for and receives its downloads, and nobody else
// receives or supplies any.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused } from '../support/checks/expect.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { socketOf, watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const maxBytes = 100_000;
let client: RawClient;
let sessionId: string;

const { test, service, site } = fixtureSuite('files in live views', {
  env: { TOKEN: 'live-token', TIMEOUT: '0', LIVE_UPLOAD_BYTES: String(maxBytes), SPARES: '0' },
});
test.before(async () => {
  client = await rawClient(socketUrl(service, '/chromium'));
  ({ sessionId } = await openPage(client, `${site.url}/live/files`));
});

async function newLink(options: object = {}): Promise<string> {
  const { result } = await client.send('Browserless.liveURL', { resizable: false, ...options }, sessionId);
  return String(result?.['liveURL']);
}

/** The base URL of a link's files. */
const baseOf = (link: string) => socketOf(link).replace(/^ws/, 'http');
const value = (expression: string) => valueOf(client, expression, sessionId);
const put = (address: string, body: string, headers: Record<string, string> = {}) =>
  send(address, { method: 'PUT', body, headers });
const deliver = (address: string, headers: Record<string, string> = {}) => send(address, { method: 'POST', headers });

/** Clicks a file input and waits for the page's request for files. */
async function requestFiles(
  viewer: Awaited<ReturnType<typeof watchLive>>,
  y: number,
): Promise<{ upload: string; multiple: boolean; accept: string }> {
  const before = viewer.messages.filter(({ t }) => t === 'files').length;
  viewer.click(60, y);
  await until('the request', () => viewer.messages.filter(({ t }) => t === 'files').length > before);
  return viewer.waitForMessage('files');
}

test('a page gets the files that the person uploads, and only those that it requests', async () => {
  const link = await newLink();
  const viewer = await watchLive(link);
  const one = await requestFiles(viewer, 35);
  assert.equal([one.multiple, one.accept], [false, '.txt']);
  const at = `${baseOf(link)}/${one.upload}`;
  refused(await deliver(at), 400, /No file has been uploaded/);
  const first = await put(`${at}/notes%20%C3%A9.txt`, 'my notes');
  assert.is(first.status, 204, first.text);
  refused(await put(`${at}/second.txt`, 'x'), 400, /accepts only one file/);
  assert.is((await deliver(at)).status, 204);
  await until('the file', async () => (await value('one.files.length')) === 1);
  assert.is(await value('one.files[0].name'), 'notes é.txt');
  assert.is(await value('one.files[0].text()'), 'my notes');
  refused(await put(`${at}/late.txt`, 'x'), 404, /no longer/);
  refused(await deliver(at), 404, /no longer/);

  const many = await requestFiles(viewer, 75);
  assert.is(many.multiple, true);
  const below = `${baseOf(link)}/${many.upload}`;
  for (const name of ['a', 'b']) assert.is((await put(`${below}/${name}`, name)).status, 204);
  refused(await put(`${below}/a`, 'again'), 400, /same name/);
  assert.is((await deliver(below)).status, 204);
  await until('both files', async () => (await value('[...many.files].map(({ name }) => name).join()')) === 'a,b');
  await viewer.leave();
});

test.proves('LIVE_UPLOAD_BYTES');
test('attacks with other tickets, names, sizes, origins and links are rejected', async () => {
  const link = await newLink();
  const viewer = await watchLive(link);
  const { upload } = await requestFiles(viewer, 75);
  const at = `${baseOf(link)}/${upload}`;
  refused(await put(`${baseOf(link)}/files/nobody/x`, 'x'), 404, /no longer/);
  for (const name of ['..%2F..%2Fx', '%2Fetc%2Fpasswd', '.', '..%00', 'x'.repeat(300)]) {
    const { status } = await put(`${at}/${name}`, 'x');
    assert.ok([400, 404].includes(status), `${name}: ${status}`);
  }
  refused(await put(`${at}/large`, 'x'.repeat(maxBytes + 1)), 400, /LIVE_UPLOAD_BYTES/);
  const parts = await Promise.all(['1', '2', '3'].map((name) => put(`${at}/${name}`, 'x'.repeat(40_000))));
  assert.ok(
    parts.some(({ status }) => status === 400),
    'together they are too large',
  );
  for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }]) {
    refused(await put(`${at}/y`, 'x', headers), 403, /Only pages from this server/);
    refused(await deliver(at, headers), 403, /Only pages from this server/);
    refused(await send(`${baseOf(link)}/downloads/report.txt`, { headers }), 403, /Only pages from this server/);
  }
  const watching = baseOf(await newLink({ interactive: false }));
  refused(await put(`${watching}/${upload}/y`, 'x'), 403, /view-only/);
  refused(await send(`${watching}/downloads/report.txt`, {}), 403, /view-only/);
  refused(await put(`${baseOf(link).slice(0, -1)}-/${upload}/y`, 'x'), 404, /does not work/);
  refused(await send(`${baseOf(link)}/downloads/report.txt`, {}), 404, /no such download/);
  await viewer.leave();
  // Files not yet handed to the page are removed when the viewer leaves.
  await until('the files of the request to be removed', () => {
    const names = readdirSync(service.scratchDir, { recursive: true }).map(String);
    return !names.some((name) => name.includes(upload.slice('files/'.length)));
  });
});

test('the oldest of many files that pages have received are removed', async () => {
  const link = await newLink();
  const viewer = await watchLive(link);
  const tickets: string[] = [];
  for (let round = 0; round < 11; round++) {
    const { upload } = await requestFiles(viewer, 75);
    tickets.push(upload.slice('files/'.length));
    assert.is((await put(`${baseOf(link)}/${upload}/f`, 'x')).status, 204);
    assert.is((await deliver(`${baseOf(link)}/${upload}`)).status, 204);
  }
  const kept = () => {
    const names = readdirSync(service.scratchDir, { recursive: true }).map(String);
    return tickets.filter((ticket) => names.some((name) => name.includes(ticket)));
  };
  await until('the oldest to be removed', () => !kept().includes(tickets[0] ?? ''));
  assert.equal(kept(), tickets.slice(1));
  await viewer.leave();
});

test('a script that waits for a file chooser gets it, even with an idle viewer connected', async () => {
  const browser = await connect(service, '/chromium');
  const page = await browser.newPage();
  await page.goto(`${site.url}/live/files`);
  const cdp = await page.createCDPSession();
  const made = (await cdp.send('Browserless.liveURL' as never, { resizable: false } as never)) as unknown as {
    liveURL: string;
  };
  const viewer = await watchLive(made.liveURL);
  await viewer.nextFrame();
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('#one')]);
  await chooser.cancel();
  assert.is(viewer.messages.filter(({ t }) => t === 'files').length, 0);
  await viewer.leave();
  await browser.close();
});

test('a download is offered to the viewers, and can be read with only the link', async () => {
  await client.send('Browserless.setDownloadEnabled', { enabled: true }, sessionId);
  const link = await newLink();
  const viewer = await watchLive(link);
  viewer.click(60, 115);
  const { name, href } = await viewer.waitForMessage('download');
  assert.is(name, 'report.txt');
  const { status, text, headers } = await send(`${baseOf(link)}/${href}`, {});
  assert.equal([status, text], [200, 'the report']);
  assert.match(String(headers['content-disposition']), 'attachment; filename="report.txt"');
  assert.is(headers['content-security-policy'], 'sandbox');
  await viewer.leave();
});

test('a person can choose a file on the page', async () => {
  const reader: Reader = await startReader();
  const page = await reader.open({ width: 1_280, height: 800 });
  await page.goto(await newLink());
  await page.waitForSelector('[data-state=live] canvas[tabindex]');
  const box = await (await page.$('canvas'))?.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + (60 / 800) * box.width, box.y + (35 / 600) * box.height);
  await page.waitForSelector('.note .primary');
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('.note .primary')]);
  await chooser.accept([join(import.meta.dirname, 'files.test.ts')]);
  await until('the file', async () => (await value('one.files[0]?.name')) === 'files.test.ts');
  await reader.close();
});
