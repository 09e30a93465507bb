// Transfers files between CDP clients and the pages in their sessions: uploadFile, setDownloadEnabled, fileDownloaded,
// on the headless shell and on full browsers, with every behavior of Browser.setDownloadBehavior.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { connect, endAll, noSessions, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('file transfer', {
  timeoutMs: 90_000,
  env: { TOKEN: 'secret-token', EXTERNAL: 'https://b.example/at/', MAX_SESSION_FILES_MB: '4' },
});

test.after.each(() => endAll(service));

const fullBrowser = { launch: JSON.stringify({ headless: 'new' }) };

interface Downloaded {
  name: string;
  size: number;
  path: string;
  url: string;
}

const downloadsOf = ({ events }: RawClient, sessionId?: string) =>
  events
    .filter((event) => event.method === 'Browserless.fileDownloaded' && event.sessionId === sessionId)
    .map(({ params }) => params as unknown as Downloaded); // The test checks each field.

async function sessionOf(client: RawClient) {
  const { result } = await client.send('Browserless.reconnect', { timeout: 15_000 });
  const id = String(result?.['browserWSEndpoint']).split('/').at(-1) ?? '';
  const list = async () =>
    succeeded(await service.get(`/session-files/${id}`)).json<{ directory: string; files: Downloaded[] }>();
  return { id, list, directory: (await list()).directory };
}

/** Opens a page; `click` clicks one of its links. */
async function openPage(client: RawClient, browserContextId?: string) {
  const context = browserContextId === undefined ? {} : { browserContextId };
  const { result } = await client.send('Target.createTarget', { url: `${site.url}/downloads`, ...context });
  const attached = await client.send('Target.attachToTarget', { targetId: result?.['targetId'], flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  const evaluate = async (expression: string) => {
    const answer = await client.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
    return (answer.result?.['result'] as { value?: unknown })?.value;
  };
  await until('the page', () => evaluate('document.querySelector("#cut") !== null'));
  return { sessionId, click: (id: string) => evaluate(`document.querySelector('#${id}').click()`), evaluate };
}

for (const [kind, query, ...behaviors] of [
  ['headless shell', {}, 'allow', 'allowAndName'],
  ['full browser', fullBrowser, 'allowAndName'],
] as const) {
  for (const behavior of behaviors) {
    test(`${kind}, ${behavior}: a complete download is reported, listed and served`, async () => {
      const client = await rawClient(socketUrl(service, '/', query));
      const session = await sessionOf(client);
      await client.send('Browser.setDownloadBehavior', {
        behavior,
        downloadPath: session.directory,
        eventsEnabled: true,
      });
      const page = await openPage(client);
      site.clear();
      await page.click('held');
      await until('the download to start', () => readdirSync(session.directory).length > 0);
      assert.equal((await session.list()).files, []);
      // The site completes the first file when the second is requested.
      await page.click('free');
      await until('both downloads to be reported', () => downloadsOf(client).length === 2);
      const reportedFiles = downloadsOf(client).toSorted((a, b) => a.size - b.size);
      const begun = client.events.filter(({ method }) => method === 'Browser.downloadWillBegin');
      const guids = begun.map(({ params }) => params?.['guid']);
      assert.equal(
        reportedFiles.map(({ size }) => size),
        [8, 10],
      );
      for (const file of reportedFiles) {
        assert.is(file.path, join(session.directory, file.name));
        assert.is(file.url, `https://b.example/at/session-files/${session.id}/${encodeURIComponent(file.name)}`);
        assert.ok(behavior === 'allow' ? !guids.includes(file.name) : guids.includes(file.name), file.name);
      }
      const texts = reportedFiles.map(({ name }) =>
        service.get(`/session-files/${session.id}/${encodeURIComponent(name)}`),
      );
      assert.equal((await Promise.all(texts)).map(({ text }) => text).toSorted(), ['a,b\n1,2\n', 'held back\n']);
      assert.equal((await session.list()).files.length, 2);
      client.socket.close();
    });
  }
}

test('every client of the browser receives the event, on each of its sessions', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { id, directory } = await sessionOf(client);
  const second = await rawClient(socketUrl(service, `/devtools/browser/${id}`));
  const browser = await connect(service, `/devtools/browser/${id}`);
  const [tab] = await browser.pages();
  const tabSession = await tab?.createCDPSession();
  const heard: unknown[] = [];
  // The event is specific to this server: Puppeteer's types do not include it.
  const listened = tabSession as unknown as { on(event: string, listener: (file: unknown) => void): void };
  listened.on('Browserless.fileDownloaded', (file) => heard.push(file));
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: directory });
  const page = await openPage(client);
  await page.click('note');
  await until('both clients to be notified', () => [client, second].every((each) => downloadsOf(each).length === 1));
  await until('the page session to be notified', () => downloadsOf(client, page.sessionId).length === 1);
  await until('Puppeteer to be notified', () => heard.length === 1);
  const [file] = downloadsOf(second);
  assert.equal([file?.name, file?.size], ['Grüße.txt', 'a note of the site\n'.length]);
  assert.equal(heard, [file]);
  await browser.disconnect();
});

test('uploadFile stores a file that a file input can use', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { id, directory, list } = await sessionOf(client);
  const data = Buffer.from('Grüße').toString('base64');
  const { result } = await client.send('Browserless.uploadFile', { name: 'note.txt', data });
  assert.equal(result, { error: null, name: 'note.txt', path: join(directory, 'note.txt'), size: 7 });
  const page = await openPage(client);
  await page.evaluate('document.body.innerHTML = "<input type=file>"');
  const { result: root } = await client.send('DOM.getDocument', {}, page.sessionId);
  const { nodeId } = (root?.['root'] ?? {}) as { nodeId?: number }; // As the protocol defines it.
  const found = await client.send('DOM.querySelector', { nodeId, selector: 'input' }, page.sessionId);
  const files = [result?.['path']];
  await client.send('DOM.setFileInputFiles', { nodeId: found.result?.['nodeId'], files }, page.sessionId);
  await page.evaluate('document.querySelector("input").files[0].text().then((text) => { window.got = text })');
  await until('the text', async () => (await page.evaluate('window.got')) === 'Grüße');

  for (const [params, problem] of [
    [{ name: '../x', data }, /one path segment/],
    [{ name: 'x', data: '!!' }, /base64/],
    [{ name: 'x'.repeat(201), data }, /200 bytes/],
    [{ name: 5, data }, /name/],
    [{ data }, /name/],
    [{ name: 'x' }, /data/],
    [{ name: 'x', data, other: 1 }, /other/],
  ] as const) {
    const refused = await client.send('Browserless.uploadFile', params);
    assert.match(String(refused.result?.['error']), problem);
    assert.equal([refused.result?.['name'], refused.result?.['path'], refused.result?.['size']], [null, null, null]);
  }
  await send(`${service.url}/session-files/${id}/large.bin`, {
    method: 'PUT',
    headers: { authorization: 'Bearer secret-token' },
    body: new Uint8Array(4 * 2 ** 20 - 10),
  });
  const full = await client.send('Browserless.uploadFile', { name: 'x', data });
  assert.match(String(full.result?.['error']), /MAX_SESSION_FILES_MB/);
  assert.equal(
    (await list()).files.map(({ name }) => name),
    ['large.bin', 'note.txt'],
  );
  assert.equal(downloadsOf(client), []);
});

test('setDownloadEnabled applies to every context, including later ones, until it is turned off', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { directory } = await sessionOf(client);
  const context = async () => String((await client.send('Target.createBrowserContext')).result?.['browserContextId']);
  const earlier = await context();
  const enabled = await client.send('Browserless.setDownloadEnabled', { enabled: true });
  assert.equal(enabled.result, { error: null, enabled: true });
  const later = await context();
  let count = 0;
  for (const where of [undefined, earlier, later]) {
    const page = await openPage(client, where);
    await page.click('free');
    count++;
    await until('the download to be reported', () => downloadsOf(client).length === count);
  }
  // The server sends its command to the browser before the client receives the result.
  const disabled = await client.send('Browserless.setDownloadEnabled', { enabled: false });
  assert.equal(disabled.result, { error: null, enabled: false });
  const before = readdirSync(directory).length;
  await client.send('Browser.setDownloadBehavior', { behavior: 'default', eventsEnabled: true });
  await client.send('Browserless.setDownloadEnabled', { enabled: false });
  const page = await openPage(client);
  await page.click('free');
  const canceled = () =>
    client.events.some((each) => each.method === 'Browser.downloadProgress' && each.params?.['state'] === 'canceled');
  await until('the download to be canceled', canceled);
  assert.is(readdirSync(directory).length, before);
  const wrong = await client.send('Browserless.setDownloadEnabled', { enabled: 'yes' });
  assert.match(String(wrong.result?.['error']), /enabled.*true or false/);
  assert.is(wrong.result?.['enabled'], null);
});

test.needs('a full Chromium');
test("by default, a full browser's downloads land in the session, not in the server's home directory", async () => {
  const client = await rawClient(socketUrl(service, '/', fullBrowser));
  const { directory, list } = await sessionOf(client);
  const page = await openPage(client);
  await page.click('free');
  await until('the download', () => downloadsOf(client).length > 0);
  assert.equal(
    downloadsOf(client).map((file) => [file.path, file.size]),
    [[join(directory, 'free.csv'), 8]],
  );
  assert.equal(
    (await list()).files.map(({ name }) => name),
    ['free.csv'],
  );
});

for (const path of ['/', '/session']) {
  test.proves('MAX_SESSION_FILES_MB');
  test(`a download over MAX_SESSION_FILES_MB ends the session (${path}) and leaves no files behind`, async () => {
    const stored = path === '/session' ? (await service.post(path, {})).json<{ id: string }>().id : undefined;
    const client = await rawClient(socketUrl(service, stored === undefined ? path : `/session/connect/${stored}`));
    const { directory } = await sessionOf(client);
    await client.send('Browserless.setDownloadEnabled', { enabled: true });
    const page = await openPage(client);
    void page.evaluate('location.href = "/files/large.bin?mb=400"').catch(() => {});
    const { code, reason } = await client.closed;
    assert.is(code, 1008);
    assert.match(reason, /MAX_SESSION_FILES_MB/);
    await noSessions(service);
    await until('the directory to be gone', () => !existsSync(dirname(directory)));
  });
}
