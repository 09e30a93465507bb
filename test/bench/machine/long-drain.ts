// Stops a server while a request runs for another five minutes: /ready starts failing immediately, /healthz keeps
// responding, and the request receives its response. Run this with `npm run drain`. stopping.test.ts covers shorter
// drains.
import { rmSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { startProcess, stopAll } from '../../support/service.ts';
import { startSite } from '../../support/site/site.ts';
import { until } from '../../support/until.ts';

const drainMs = 5 * 60_000;
const refusedWithinMs = 100;
const limitMs = String(drainMs + 60_000);
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`check failed: ${what}`);
}

const site = await startSite();
const service = await startProcess({ env: { TIMEOUT: limitMs, MAX_TIMEOUT: limitMs, DRAIN_TIMEOUT_MS: limitMs } });
try {
  const status = async (path: string) => (await service.get(path)).status;
  const body = { url: `${site.url}/slow?ms=${drainMs}`, gotoOptions: { timeout: Number(limitMs) } };
  const call = service.post('/content', body);
  await site.waitForRequest('/slow');
  process.kill(service.pid, 'SIGTERM');
  const told = performance.now();
  await until('/ready to fail', async () => (await status('/ready')) === 503);
  const refusedMs = Math.round(performance.now() - told);
  say(`/ready starts failing ${refusedMs} ms after SIGTERM`);
  check(refusedMs <= refusedWithinMs, `within ${refusedWithinMs} ms`);
  let asked = 0;
  while (performance.now() - told < drainMs - 5_000) {
    check((await status('/healthz')) === 200 && (await status('/ready')) === 503, `the probes after ${asked} s`);
    asked++;
    await pause(1_000);
  }
  say(`/healthz returned 200 and /ready returned 503, ${asked} times each`);
  const answer = await call;
  check(
    answer.status === 200 && answer.text.includes(`slow ${drainMs}`),
    `the request got its response: ${answer.text}`,
  );
  await until('the server to exit', () => service.tree().length === 0, 10_000);
  check(service.leftovers().files.length === 0, 'no files are left behind');
  rmSync(service.baseDir, { recursive: true });
  say('the request completed, and the server has exited');
} catch (error) {
  await stopAll(service);
  throw error;
} finally {
  await stopAll(site);
}
