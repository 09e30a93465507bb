// Measures, with real requests, how long one tenant waits for slots while another tenant floods the server.
// @alone
// @tier ci
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { figure } from '../support/suite.ts';

const { test, service } = fixtureSuite('a flood of one tenant', {
  timeoutMs: 120_000,
  tokens: [{ name: 'flooding' }, { name: 'quiet' }],
  env: { CONCURRENT: '4', QUEUED: '100', HEALTH: 'false' },
});

const floodRequests = 60;
/** Half of the slots. */
const fairShare = 2;

/** Returns how long a tenant's request took in total and in the queue, in milliseconds. */
async function call(name: string): Promise<{ tookMs: number; queueMs: number }> {
  const began = performance.now();
  const body = { html: 'x', waitForTimeout: 100 };
  const reply = succeeded(await service.post('/content', body, { token: tokenOf(name) }));
  const tookMs = performance.now() - began;
  return { tookMs, queueMs: tookMs - Number(reply.headers['x-browser-ms-used']) };
}

function percentile(values: readonly number[], fraction: number): number {
  const at = Math.min(values.length - 1, Math.floor(values.length * fraction));
  return Math.round(values.toSorted((a, b) => a - b)[at] ?? 0);
}

/** Repeatedly sends as many concurrent requests as the tenant's fair share of slots. */
async function measureQuietTenant(): Promise<{ tookMs: number; queueMs: number }> {
  const all: { tookMs: number; queueMs: number }[] = [];
  const lane = async () => {
    for (let count = 0; count < 5; count++) all.push(await call('quiet'));
  };
  await Promise.all(Array.from({ length: fairShare }, lane));
  const p95 = (name: 'tookMs' | 'queueMs') =>
    percentile(
      all.map((one) => one[name]),
      0.95,
    );
  return { tookMs: p95('tookMs'), queueMs: p95('queueMs') };
}

test.shows('flooded-queue', 'REST');
test('a tenant within its share waits only for the next free slot, no matter what another sends', async () => {
  const alone = await measureQuietTenant();
  let over = false;
  const waited: number[] = [];
  const floods = Array.from({ length: floodRequests }, async () => {
    while (!over) waited.push((await call('flooding')).queueMs);
  });
  await call('flooding');
  const duringFlood = await measureQuietTenant();
  over = true;
  await Promise.all(floods);
  const flood = percentile(waited, 0.5);
  figure(
    `p95 request time: ${alone.tookMs} ms alone, ${duringFlood.tookMs} ms during a flood of ${floodRequests} requests, ${duringFlood.queueMs} ms of it in the queue; the flood waits ${flood} ms`,
  );
  assert.ok(duringFlood.queueMs * 5 < flood, `${duringFlood.queueMs} of ${flood} ms`);
});
