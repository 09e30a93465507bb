// URLs that a client's page is not allowed to show: in every spelling, by commands, by pages and by the browser's own
// pages, and the race between a page that opens a file and the server that detects it. RACES=1000 runs the whole race;
// otherwise there are 10 rounds for each kind of browser.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { fullBrowser, openAttackPage } from '../support/clients/attack-entry-points.ts';
import { endAll, type Query, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('attacks by addresses', {
  env: { TIMEOUT: '600000', SPARES: '1', CONCURRENT: '20' },
});
const races = Number(process.env['RACES'] ?? 20) / 2;
const limit = { timeoutMs: Math.max(60_000, races * 2_000) };
const canaryText = 'canary of the server';
let directory: string;
let file: string;

test.before(() => {
  directory = temporaryDirectory();
  file = `file://${directory}/canary.html`;
  writeFileSync(join(directory, 'canary.html'), `<title>${canaryText}</title>${canaryText}`);
});
test.after.each(() => endAll(fixture.service));

const open = (query: Query) => rawClient(socketUrl(fixture.service, '/', query));

/** All events that the client received. */
const heard = ({ events }: RawClient) => JSON.stringify(events);

/** Schemes that the headless shell does not know: it opens a page that stays empty, and lists it under this URL. */
const unknownToShell = /^(?:chrome-devtools|chrome-search|content|ftp|intent|isolated-app):/;

/** URLs of targets that show neither an empty page nor a page on the site. */
async function strange(client: RawClient): Promise<string[]> {
  const { result } = await client.send('Target.getTargets', { filter: [{ type: 'browser_ui', exclude: true }, {}] });
  const infos = result?.['targetInfos'] as { targetId: string; url: string; type: string }[]; // As the protocol defines.
  const odd = infos.filter(({ url }) => !/^(?:about:blank|$|data:|https?:|chrome-error:|chrome-extension:)/.test(url));
  const shown = await Promise.all(
    odd.map(async ({ targetId, url, type }) => {
      if (!unknownToShell.test(url)) return url;
      // A tab has no document; check the page in it instead.
      if (type === 'tab' && odd.some((other) => other.type === 'page' && other.url === url)) return undefined;
      const attached = await client.send('Target.attachToTarget', { targetId, flatten: true });
      const sessionId = String(attached.result?.['sessionId']);
      const answer = await client.send('Runtime.evaluate', { expression: 'location.href' }, sessionId);
      const { value } = (answer.result?.['result'] ?? {}) as { value?: unknown }; // As the protocol defines.
      return value === 'about:blank' ? undefined : url;
    }),
  );
  return shown.filter((url) => url !== undefined);
}

const closed = [
  'chrome://version',
  'CHROME://version/',
  'chrome:version',
  ' chrome://version',
  'ch\nrome://version',
  '\u0001chrome://gpu',
  'chrome://settings/#//newtab',
  'chrome://inspect',
  'chrome-untrusted://print/',
  'chrome-search://local-ntp/local-ntp.html',
  'devtools://devtools/bundled/devtools_app.html',
  'DevTools://devtools/bundled/inspector.html',
  'view-source:https://a.test/',
  'view-source:about:blank',
  'view-source:data:text/html,x',
  'filesystem:https://a.test/temporary/x',
  'about:version',
  'about:about',
  'about:settings',
  'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
  'isolated-app://x/',
  'chrome-devtools://x/',
  'content://x/',
  'blob:chrome://version/x',
  'intent://x',
  'ftp://a.test/',
];

for (const [kind, query] of [
  ['headless shell', {}],
  ['full browser', fullBrowser],
] as const) {
  const runs = query === fullBrowser ? test.unless(missing('a full Chromium')) : test;

  runs(`${kind}: neither commands nor pages can open the browser's internal URLs`, async () => {
    const client = await open(query);
    const page = await openAttackPage(client);
    await client.send('Target.setDiscoverTargets', { discover: true });
    for (const url of closed) {
      for (const [send, method] of [
        [page.send, 'Page.navigate'],
        [client.send, 'Target.createTarget'],
      ] as const) {
        const { result, error } = await send(method, { url });
        assert.ok(error, `${method} ${JSON.stringify(url)} passed: ${JSON.stringify(result)}`);
      }
    }
    const froms = ['about:blank', `${fixture.site.url}/small`, 'data:text/html,<p>', 'http://127.0.0.1:1/'];
    for (const from of froms) {
      const attacker = await openAttackPage(client);
      // Full Chromium 156 occasionally crashes (SIGTRAP) when a page closes before its first navigation has failed.
      await attacker.send('Page.navigate', { url: from });
      const expression = `for (const url of ${JSON.stringify(closed)}) {
        try { window.open(url) } catch {}
        try { history.pushState({}, '', url) } catch {}
        try { document.body.append(Object.assign(document.createElement('iframe'), { src: url })) } catch {}
        try { location.href = url } catch {} }`;
      // The page may navigate away before it responds.
      void attacker.send('Runtime.evaluate', { expression });
      await client.send('Target.closeTarget', { targetId: attacker.targetId });
    }
    let left: string[] = [];
    await until(
      () => `internal pages to close; still open: ${left.join(', ')}`,
      async () => (left = await strange(client)).length === 0,
    );
    client.socket.close();
  });

  runs(
    `${kind}: a client can never read the file that a page opens (${races} rounds)`,
    async () => {
      let client = await open(query);
      for (let round = 0; round < races; round++) {
        // The other rounds use a web page, which makes the attempt itself. A command ends the whole browser, and full
        // browsers start slowly.
        const byCommand = round % (query === fullBrowser ? 5 : 2) === 0;
        // A socket that the previous round closed cannot be reused.
        if (client.socket.readyState !== client.socket.OPEN) client = await open(query);
        const rest = ['\v', '', '\n', '\0'][round % 4] ?? '';
        const url = byCommand ? `${rest}${file}` : `${fixture.site.url}/small`;
        const page = await openAttackPage(client);
        await page.send('Page.enable');
        await page.send('Runtime.enable');
        await page.send('Runtime.addBinding', { name: 'leak' });
        const source = `leak(location.href + document.documentElement.innerHTML);
          addEventListener('DOMContentLoaded', () => leak(location.href + document.documentElement.innerHTML));`;
        await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
        const answered = page.send('Page.navigate', { url });
        // Commands sent right after the navigation would arrive before the session has ended.
        const read = page.send('Runtime.evaluate', { expression: 'document.documentElement.innerHTML' });
        void page.send('Page.captureSnapshot');
        void page.send('Page.getFrameTree');
        if (byCommand) {
          await client.closed;
        } else {
          await answered;
          await read;
          await page.evaluate(`location = '${file}'; window.open('${file}'); document.body.append(
            Object.assign(document.createElement('iframe'), { src: '${file}' })); 1`);
          await client.send('Target.closeTarget', { targetId: page.targetId });
        }
        assert.not.match(heard(client), canaryText, `round ${round}`);
      }
      client.socket.close();
    },
    limit,
  );
}
