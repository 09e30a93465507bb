// Pages cannot detect a replay, and a replay that slows them down too much ends automatically.
// @tier ci
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { connect, endAll, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import {
  ended,
  eventsOf,
  listed,
  type ReplayEvent,
  replayTypes,
  payloadsOf,
  written,
} from '../support/clients/recordings.ts';
import { attach, valueOf } from '../support/clients/targets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('traces and costs of replays', {
  env: { TOKEN: 'secret-token', SPARES: '0' },
});

test.after.each(() => endAll(service));

/** Opens a page as a bare client would, changes it, and returns what the page has noticed. */
async function visit(path: string, query: Record<string, boolean | string>): Promise<string> {
  const client: RawClient = await rawClient(socketUrl(service, '/', query));
  const { result } = await client.send('Target.createTarget', { url: 'about:blank' });
  const sessionId = await attach(client, String(result?.['targetId']));
  await client.send('Page.navigate', { url: `${site.url}${path}` }, sessionId);
  await until('the document', async () => (await valueOf(client, 'document.readyState', sessionId)) === 'complete');
  await valueOf(
    client,
    `document.querySelector('#word').type = 'text'; document.querySelector('#text').textContent = 'changed';
     new Promise((resolve) => setTimeout(resolve, 700))`,
    sessionId,
  );
  const seen = await valueOf(client, 'look()', sessionId);
  if (query['replay'] === true) {
    // The recorder was active: the replay contains what it recorded.
    const { recordingId } = (await client.send('Browserless.stopSessionRecording', {}, sessionId)).result ?? {};
    const { tabs } = await ended(service, String(recordingId));
    const tab = tabs.find(({ website }) => website.endsWith(path))?.tab ?? 0;
    const events = await eventsOf(service, String(recordingId), tab);
    assert.ok(events.some((event) => event.type === replayTypes.change && JSON.stringify(event).includes('changed')));
    assert.equal(
      await valueOf(client, '[typeof browserdRecorder, typeof browserdReplay].join()', sessionId),
      'undefined,undefined',
    );
  }
  client.socket.close();
  await client.closed;
  return String(seen);
}

for (const [path, kind, launch] of [
  ['/replay/watchful', 'headless shell', {}],
  ['/replay/strict', 'full Chromium', { launch: JSON.stringify({ headless: 'new' }) }],
] as const) {
  test(`${path} in ${kind}: a page sees the same with and without a replay`, async () => {
    const without = await visit(path, { ...launch });
    assert.match(without, '"frames":0');
    assert.is(await visit(path, { ...launch, replay: true }), without);
  });
}

/** The notices and events of the tab that shows this URL, after the session has ended. */
async function noticesOf(
  browser: Browser,
  address: string,
): Promise<[notices: string[], count: number, events: ReplayEvent[]]> {
  const [running] = (await listed(service)).recordings;
  await browser.disconnect();
  const recording = await ended(service, running?.id ?? '');
  const tab = recording.tabs.find(({ website }) => website === address);
  const events = await eventsOf(service, recording.id, tab?.tab ?? 0);
  return [payloadsOf(events, 'notice').map(({ text }) => String(text)), events.length, events];
}

test('a page that changes endlessly is no longer recorded and keeps running; protocol events are still recorded', async () => {
  const browser = await connect(service, '/', { replay: true });
  const page = await browser.newPage();
  await page.goto(`${site.url}/replay/app`);
  await page.evaluate(`
    window.changes = 0;
    setInterval(() => {
      view.textContent = String(changes++).padEnd(400000, 'long ');
    }, 50);
  `);
  const [running] = (await listed(service)).recordings;
  await written(service, running?.id ?? '', 'recording of this tab stops here');
  assert.ok(Number(await page.evaluate('changes')) > 10);
  await page.evaluate("console.log('still here')");
  const [notices, , events] = await noticesOf(browser, `${site.url}/replay/app`);
  assert.equal(payloadsOf(events, 'console'), [{ level: 'log', text: 'still here' }]);
  assert.equal(notices, ['The recording of this tab stops here. The page changed too fast to be recorded.']);
});

test('a page with 20,000 elements is recorded, or the recording of the tab ends with a notice', async () => {
  const browser = await connect(service, '/', { replay: true });
  const page = await browser.newPage();
  await page.goto(`${site.url}/replay/rows`);
  await page.evaluate("document.body.append('later')");
  const [notices, events] = await noticesOf(browser, `${site.url}/replay/rows`);
  if (notices.length > 0)
    assert.match(notices.join(), /^The recording of this tab stops here\. Reading the page blocked it for \d+ ms/);
  assert.ok(events > 3);
});

test('a change of over 16 million characters and a flood of messages are reported, and a guessed name has no effect', async () => {
  const browser = await connect(service, '/', { replay: true });
  const page = await browser.newPage();
  await page.goto(`${site.url}/replay/app`);
  await page.evaluate("for (let at = 0; at < 5000; at++) console.log('flood', at)");
  await page.evaluate("globalThis.browserdReplay?.('sforged'); view.setAttribute('data-long', 'x'.repeat(17_000_000))");
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 900))');
  const [notices, events] = await noticesOf(browser, `${site.url}/replay/app`);
  assert.ok(
    notices.some((text) => /page update was 17\d{6} characters long/.test(text)),
    notices.join('\n'),
  );
  assert.ok(notices.some((text) => /\d+ console messages and requests were omitted: only 200/.test(text)));
  assert.not.match(notices.join(), 'forged');
  assert.ok(events < 1_500, String(events));
});
