// Less direct ways to access the server's files (attacks-endpoints.test.ts covers the direct ones): download directories in
// every spelling and after their client has disconnected, redirects and streams.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { type AttackPage, fullBrowser, openAttackPage } from '../support/clients/attack-entry-points.ts';
import { endAll, type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('attacks on files', { env: { TIMEOUT: '120000', SPARES: '1' } });
/** Names of complete and partial downloads, and of the directories that the test requests. */
const leftovers = /^x\b.*\.bin|^attacked|^elsewhere|^Downloads$|\.crdownload$|^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
const canaryText = 'canary of the server';
let directory: string;
let canary: string;

test.before(() => {
  directory = temporaryDirectory();
  canary = join(directory, 'canary.txt');
  writeFileSync(canary, canaryText);
});
test.after.each(() => endAll(fixture.service));

const downloadEvents = ({ events }: RawClient) =>
  events.filter(({ method }) => method === 'Browserless.fileDownloaded');

/** Downloads a file in a page of the context. @returns the path where it was saved */
async function download(client: RawClient, browserContextId?: string): Promise<string> {
  const page = await openAttackPage(client, browserContextId === undefined ? {} : { browserContextId });
  const before = downloadEvents(client).length;
  await page.evaluate(
    `Object.assign(document.createElement('a'), { download: 'x.bin', href: 'data:application/octet-stream,x' }).click()`,
  );
  await until('the download', () => downloadEvents(client).length > before);
  return String(downloadEvents(client).at(-1)?.params?.['path']);
}

for (const [kind, query] of [
  ['headless shell', {}],
  ['full browser', fullBrowser],
] as const) {
  const runs = query === fullBrowser ? test.unless(missing('a full Chromium')) : test;
  runs(`${kind}: downloads never land in a directory that a client specifies`, async () => {
    const { service } = fixture;
    const client = await rawClient(socketUrl(service, '/', query));
    const { result } = await client.send('Target.createBrowserContext');
    const browserContextId = String(result?.['browserContextId']);
    const elsewhere = join(directory, 'elsewhere');
    const names = [
      elsewhere,
      `${directory}/../${directory.split('/').at(-1)}/elsewhere`,
      './attacked',
      '../attacked',
      '~',
    ];
    // Other programs write there too, so only files that a download could have left count.
    const leftIn = (path: string) => readdirSync(path).filter((name) => leftovers.test(name));
    const watched = [process.cwd(), join(process.cwd(), '..'), process.env['HOME'] ?? '/root'].map(
      (path) => [path, leftIn(path)] as const,
    );
    const requested = [['allowAndName', elsewhere], ...names.map((name) => ['allow', name])];
    // The server replaces the directory in the same way for every kind of browser.
    for (const [behavior, downloadPath] of query === fullBrowser ? requested.slice(0, 3) : requested) {
      for (const context of [{}, { browserContextId }]) {
        const { error } = await client.send('Browser.setDownloadBehavior', { behavior, downloadPath, ...context });
        assert.is(error, undefined);
      }
      for (const path of [await download(client), await download(client, browserContextId)]) {
        assert.ok(path.startsWith(`${service.baseDir}/`), path);
      }
    }
    // The client disconnects; its download settings must not fall back to a directory of the server's user.
    const [entry] = await sessionsOf(service);
    const other = await rawClient(socketUrl(service, `/devtools/browser/${entry?.id}`));
    client.socket.close();
    await client.closed;
    if (query === fullBrowser) {
      const path = await download(other);
      assert.ok(path.startsWith(`${service.baseDir}/`), path);
    }
    assert.equal(readdirSync(directory), ['canary.txt']);
    for (const [path, before] of watched) assert.equal(leftIn(path), before, path);
    assert.not.ok(existsSync(elsewhere));
    other.socket.close();
  });
}

test.shows('local-files', 'CDP');
test('redirects, streams and snapshots cannot read files', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/'));
  const paused = () => client.events.filter((each) => each.method === 'Fetch.requestPaused');
  // Each on a separate page: the error page of one navigation may arrive late and abort the next.
  const intercept = async (answerWith: (page: AttackPage, requestId: unknown) => Promise<unknown>) => {
    const page = await openAttackPage(client);
    await page.send('Page.enable');
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    const before = paused().length;
    void page.send('Page.navigate', { url: `${fixture.site.url}/small` });
    await until('the request', () => paused().length > before);
    await answerWith(page, paused().at(-1)?.params?.['requestId']);
    await page.send('Fetch.disable');
    return page;
  };
  await intercept(async ({ send }, requestId) => {
    const { error } = await send('Fetch.continueRequest', { requestId, url: `file://${canary}` });
    assert.ok(error);
    await send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
  });
  const page = await intercept(({ send }, requestId) =>
    send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 302,
      responseHeaders: [{ name: 'Location', value: `file://${canary}` }],
    }),
  );
  for (const handle of ['0', '1', '2', `file://${canary}`, canary, `blob:file://${canary}`]) {
    assert.ok((await page.send('IO.read', { handle })).error, handle);
    assert.ok((await client.send('IO.read', { handle })).error, handle);
  }
  await page.send('Page.captureSnapshot');
  assert.not.match(JSON.stringify(client.events), canaryText);
  client.socket.close();
});
