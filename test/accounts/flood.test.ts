// A tenant that floods the server, with real calls: what another tenant waits for its slots.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { tokenOf, type TokensFile, tokensFile } from '../support/clients/tokens.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';

const test = suite('a flood of one tenant', { timeoutMs: 120_000 });
let file: TokensFile;
let service: Service;

test.before(async () => {
  file = tokensFile([{ name: 'flooding' }, { name: 'quiet' }]);
  service = await startService({
    env: { TOKENS_FILE: file.path, TOKEN: 'operator-token', CONCURRENT: '10', QUEUED: '300', HEALTH: 'false' },
  });
});
test.after(async () => {
  await stopAll(service);
  file[Symbol.dispose]();
});

/** What a call waits for in its page, in milliseconds. */
const callMs = 100;
const call = async (name: string) => {
  const began = performance.now();
  const body = { html: 'x', waitForTimeout: callMs };
  const reply = succeeded(await service.post('/content', body, { token: tokenOf(name) }));
  const tookMs = performance.now() - began;
  return { tookMs, queueMs: tookMs - Number(reply.headers['x-browser-ms-used']) };
};
const percentile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

/** As many calls as it may have slots in fair shares, again and again. */
async function quietly(): Promise<{ tookMs: number; queueMs: number }[]> {
  const rounds = Array.from({ length: 5 }, async () => {
    const all: { tookMs: number; queueMs: number }[] = [];
    while (all.length < 5) all.push(await call('quiet'));
    return all;
  });
  return (await Promise.all(rounds)).flat();
}

test.shows('flooded-queue', 'REST');
test('a tenant within its share waits for the next slot that is free, whatever another sends', async () => {
  await quietly();
  const alone = await quietly();
  let over = false;
  const floods = Array.from({ length: 190 }, async () => {
    const all: number[] = [];
    while (!over) all.push((await call('flooding')).queueMs);
    return all;
  });
  await call('flooding');
  const flooded = await quietly();
  over = true;
  const waited = (await Promise.all(floods)).flat();
  const figures = {
    alone: Math.round(
      percentile(
        alone.map(({ tookMs }) => tookMs),
        0.95,
      ),
    ),
    flooded: Math.round(
      percentile(
        flooded.map(({ tookMs }) => tookMs),
        0.95,
      ),
    ),
    queue: Math.round(
      percentile(
        flooded.map(({ queueMs }) => queueMs),
        0.95,
      ),
    ),
    flood: Math.round(percentile(waited, 0.5)),
  };
  figure(
    `of a flood of 190 calls: p95 of a call ${figures.alone} ms alone, ${figures.flooded} ms beside it, of that ${figures.queue} in the queue, where the flood waits ${figures.flood}`,
  );
  assert.ok(figures.queue * 5 < figures.flood, JSON.stringify(figures));
});
