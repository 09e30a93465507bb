// Compares /function code that loads a page and returns its HTML with the baseline job that does so over raw CDP.
import { startProcess } from '../support/service.ts';
import { type Browser, startBaseline } from './subjects.ts';
import { median, settle } from './measure.ts';
import { limits, type Report } from './report.ts';

const warmUpJobs = 4;
const code = 'export default async ({ page, context }) => { await page.goto(context.url); return page.content(); }';

/**
 * Runs one job at a time, alternating server and baseline; each waits until the processes are idle after the previous
 * job.
 */
export async function measureFunction(
  { browser, evenPriority, url, jobs }: { browser: Browser; evenPriority: boolean; url: string; jobs: number },
  report: Report,
): Promise<void> {
  const service = await startProcess();
  const floor = await startBaseline(browser, evenPriority);
  const ms = { server: [] as number[], floor: [] as number[] };
  try {
    for (let job = -warmUpJobs; job < jobs; job++) {
      const began = performance.now();
      const reply = await service.post('/function', { code, context: { url } });
      const answeredMs = performance.now() - began;
      if (reply.status !== 200 || !reply.text.includes('<h1')) throw new Error(`function returned ${reply.text}`);
      await settle([service.pid, floor.pid]);
      const outcome = await floor.run({ route: 'content', url, count: 1, concurrency: 1 });
      await settle([service.pid, floor.pid]);
      if (job < 0) continue;
      ms.server.push(answeredMs);
      ms.floor.push(...outcome.answeredMs);
    }
  } finally {
    await floor.stop();
    await service.stop();
  }
  const p50 = { server: median(ms.server), floor: median(ms.floor) };
  report.add({
    name: 'function that returns the HTML of a small page: p50 ms, one at a time',
    ...p50,
    ratio: p50.server / p50.floor,
    limit: limits.functionRatio,
    detail: ms,
  });
}
