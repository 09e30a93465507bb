// Sends ten times as many concurrent requests as a server has slots, and measures how many are served, how soon, and
// how fast the others are rejected.
import type { OverloadPoint } from '../../../src/web/docs/site/costs.ts';
import { quantile, settle } from '../measure.ts';
import { startRest } from './caller.ts';

const callersPerSlot = 10;
/** Minimum number of served requests per point, so that its quantiles mean something. */
const leastServed = 20;

/** @param slots CONCURRENT and QUEUED of each point */
export async function measureOverload(url: string, slots: readonly number[]): Promise<OverloadPoint[]> {
  const points: OverloadPoint[] = [];
  for (const count of slots) points.push(await measureAt(url, count));
  return points;
}

async function measureAt(url: string, slots: number): Promise<OverloadPoint> {
  const server = await startRest('content', url, { CONCURRENT: String(slots), QUEUED: String(slots) });
  try {
    await server.run(slots, slots);
    const callers = slots * callersPerSlot;
    const total = { ms: [] as number[], refusalMs: [] as number[] };
    while (total.ms.length < leastServed) {
      await settle([server.pid]);
      const { ms, refusalMs, failed } = await server.run(callers, callers);
      if (failed > 0) throw new Error(`${failed} of ${callers} requests failed`);
      total.ms.push(...ms);
      total.refusalMs.push(...refusalMs);
    }
    return {
      slots,
      callers,
      served: total.ms.length,
      refused: total.refusalMs.length,
      p50Ms: quantile(total.ms, 0.5),
      p95Ms: quantile(total.ms, 0.95),
      refusalP50Ms: quantile(total.refusalMs, 0.5),
    };
  } finally {
    await server.stop();
  }
}
