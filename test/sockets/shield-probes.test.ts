// What pages can detect about connected clients: with the shield, nothing; without it, that Runtime is enabled.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { connect, type Query, rawClient, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('what pages see of a client', {
  needs: ['a full Chromium'],
  env: { SPARES: '0' },
});
const probes = readFileSync(join(import.meta.dirname, '../support/fixtures/cdp-probes.js'), 'utf8');
/** Cross-site frames run in separate processes and therefore have their own sessions. */
const launch = JSON.stringify({ stealth: true, args: ['--site-per-process'] });

/** Runs the probes in a page, a same-site frame, a cross-site frame, and a worker. */
async function runProbes(page: Page): Promise<Record<string, unknown>> {
  await page.goto(`${fixture.site.url}/frames`);
  const frameOf = (url: string): Frame | undefined =>
    page.frames().find((frame) => frame.url().startsWith(`${url}/small`));
  const worker = new Promise<{ evaluate(code: string): Promise<unknown> }>((resolve) =>
    page.once('workercreated', resolve),
  );
  await page.evaluate('window.worker = new Worker("data:text/javascript,self.answer = 42"), undefined');
  const started = await worker;
  await until("the worker's script", async () => (await started.evaluate('self.answer')) === 42);
  return {
    page: await page.evaluate(probes),
    'same-site frame': await frameOf(fixture.site.url)?.evaluate(probes),
    'cross-site frame': await frameOf(fixture.site.otherUrl)?.evaluate(probes),
    worker: await started.evaluate(probes),
  };
}

const everywhere = (seen: object) =>
  Object.fromEntries(['page', 'same-site frame', 'cross-site frame', 'worker'].map((at) => [at, { ...seen }]));
const nothing = { name: 1, proto: 3, prepare: 0, uncaught: 0 };
const runtime = { name: 2, proto: 5, prepare: 1, uncaught: 2 };

test.proves('shield@cdp');
test('a client of a stealth browser is detectable only with shield=false', async () => {
  const shielded = await connect(fixture.service, '/', { launch });
  assert.equal(await runProbes(await shielded.newPage()), everywhere(nothing));
  await shielded.close();
  const plain = await connect(fixture.service, '/', { launch, shield: false });
  assert.equal(await runProbes(await plain.newPage()), everywhere(runtime));
  await plain.close();
});

/** What the page can detect about a client attached only to it, and the notices that the client receives. */
async function detectClient(pageId: string, query: Query): Promise<{ seen: unknown; notices: unknown[] }> {
  const client = await rawClient(socketUrl(fixture.service, `/devtools/page/${pageId}`, query));
  const enabled = await client.send('Runtime.enable');
  assert.equal(enabled.result, {});
  assert.ok(client.events.some(({ method }) => method === 'Runtime.executionContextCreated'));
  const params = { expression: probes, awaitPromise: true, returnByValue: true };
  const { result } = await client.send('Runtime.evaluate', params);
  client.socket.close();
  await client.closed;
  const notices = client.events.filter(({ method }) => method === 'Browserless.stealthNotice');
  return { seen: Object(result?.['result']).value, notices: notices.map((notice) => notice.params) };
}

test.proves('shield@attach');
test('page clients are detectable only with shield=false, and reconnecting clients are not detectable', async () => {
  const first = await rawClient(socketUrl(fixture.service, '/', { launch }));
  const kept = await first.send('Browserless.reconnect', { timeout: 60_000 });
  const { pathname } = new URL(String(kept.result?.['browserWSEndpoint']));
  const pageId = String((await first.send('Browserless.pageId')).result?.['pageId']);
  const lost = ['pageerror', 'console arguments as objects'];
  assert.equal(await detectClient(pageId, {}), { seen: nothing, notices: [{ lost }] });
  assert.equal(await detectClient(pageId, { shield: false }), { seen: runtime, notices: [] });
  first.socket.close();
  await first.closed;
  const again = await connect(fixture.service, pathname);
  assert.equal(await (await again.pages())[0]?.evaluate(probes), nothing);
  await again.close();
});

test.proves('shield@session');
test('a client of a stealth session is detectable only with shield=false', async () => {
  const created = (await fixture.service.post('/session', { stealth: true, ttl: 60_000 })).json<{ connect: string }>();
  for (const [query, seen] of [
    [{}, nothing],
    [{ shield: false }, runtime],
  ] as const) {
    const browser = await connect(fixture.service, new URL(created.connect).pathname, query);
    assert.equal(await (await browser.newPage()).evaluate(probes), seen);
    await browser.disconnect();
  }
});
