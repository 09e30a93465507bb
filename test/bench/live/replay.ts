// Measures what recording a page for a replay costs, compared with the page alone, and how much data is written.
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../../support/service.ts';
import { succeeded } from '../../support/checks/expect.ts';
import { cpuSeconds, median, settle } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents, servePage } from './pages.ts';
import { type DrivenPage, drivenBy } from './stand.ts';

/** @param rounds how many times the page is measured with and without a replay, alternating */
export async function measureReplay(
  service: ServerProcess,
  seconds: number,
  rounds: number,
  report: Report,
): Promise<void> {
  const perTick = { with: [] as number[], without: [] as number[] };
  const startMs = { with: [] as number[], without: [] as number[] };
  const flow: number[] = [];
  // A separate document: recorders start with a new document.
  const site = await servePage(documents.heavy);
  for (let round = 0; round < 2 * rounds; round++) {
    const kind = round % 2 === 0 ? 'without' : 'with';
    const page = await drivenBy(service, { replay: String(kind === 'with'), trackingId: `bench-${round}` });
    await page.go(site.url);
    await pause(3_000);
    startMs[kind].push(Number(await page.value('longest')));
    await settle([service.pid]);
    const [used, ticks, began] = [cpuSeconds(service.pid), Number(await page.value('tick')), performance.now()];
    await pause(seconds * 1_000);
    const passed = Number(await page.value('tick')) - ticks;
    perTick[kind].push((1_000 * (cpuSeconds(service.pid) - used)) / passed);
    const took = (performance.now() - began) / 1_000 + 3;
    if (kind === 'with') flow.push((await bytesOf(service, page, `bench-${round}`)) / took / 1_000);
    await page.close();
  }
  await site.close();
  report.addPair(
    '15. replay: CPU ms per change of 20 out of 20,000 elements',
    { server: median(perTick.with), floor: median(perTick.without) },
    { atMost: 1.15 },
  );
  report.add({
    name: '15. replay: longest task at the start with 20,000 elements, added ms',
    server: median(startMs.with) - median(startMs.without),
    limit: { atMost: 400 },
  });
  report.add({ name: '15. replay: gzip kB/s', server: median(flow), limit: { atMost: 25 } });
}

/** Stops the replay. @returns the size of its events */
async function bytesOf(service: ServerProcess, page: DrivenPage, trackingId: string): Promise<number> {
  const { error } = await page.send('Browserless.stopSessionRecording');
  if (error !== null) throw new Error(String(error));
  const answer = succeeded(await service.get('/recordings', { query: { trackingId } }));
  const { recordings } = answer.json<{ recordings: { tabs: { eventBytes: number }[] }[] }>();
  return recordings.flatMap(({ tabs }) => tabs).reduce((sum, { eventBytes }) => sum + eventBytes, 0);
}
