// `npm run bench live`: measures live views, recordings, replays and the dashboard, compared with raw CDP and with the
// same page alone. Each result is printed with its limit; the limits are those of the acceptance list.
// node test/bench/run.ts live [--quick] [--only=watching,acting,video,replay,player,dashboard,soak] [--check]
// [--json=FILE]
import { availableParallelism } from 'node:os';
import { startProcess } from '../../support/service.ts';
import { startDirect } from '../direct.ts';
import { Report } from '../report.ts';
import { browserOf, startServer } from '../subjects.ts';
import { measureActing } from './acting.ts';
import { measureDashboard } from './dashboard.ts';
import { measurePlayer } from './player.ts';
import { measureReplay } from './replay.ts';
import { soakViews } from './soak.ts';
import { drivenBy, drivePage } from './stand.ts';
import { measureVideo } from './video.ts';
import { measureWatching } from './watching.ts';

export interface LiveBenchOptions {
  isQuick: boolean;
  /** Names of the parts to run; undefined runs all. */
  only: string | undefined;
  check: boolean;
  json: string | undefined;
}

export async function runLive({ isQuick, only, check, json }: LiveBenchOptions): Promise<void> {
  const parts = only?.split(',');
  const report = new Report();
  const seconds = isQuick ? 3 : 10;
  const server = await startServer();
  const browser = await browserOf(server);
  await server.stop();
  const service = await startProcess({ env: { TIMEOUT: '0', SPARES: '0', LIVE_MAX_VIEWERS: '10' } });
  const direct = await startDirect(browser);
  const bare = await drivePage(direct.endpoint);
  const part = async (name: string, title: string, work: () => Promise<void>) => {
    if (parts && !parts.includes(name)) return;
    const from = report.rows.length;
    await work();
    report.print(title, from);
  };
  try {
    await part('watching', 'Watching', async () => {
      const page = await drivenBy(service);
      await measureWatching({ pid: service.pid, page, seconds }, report);
      await page.close();
    });
    await part('acting', 'Input', async () => {
      const page = await drivenBy(service);
      await measureActing({ pid: service.pid, ours: page, bare, presses: isQuick ? 10 : 40, seconds }, report);
      await page.close();
    });
    await part('video', 'Videos', async () => {
      const page = await drivenBy(service, { record: 'true' });
      await measureVideo({ service, page, bare, barePid: direct.pid, seconds, recordings: isQuick ? 1 : 5 }, report);
      await page.close();
    });
    await part('replay', 'Replays', () => measureReplay(service, seconds, isQuick ? 1 : 3, report));
    await part('player', 'The player', () => measurePlayer(service, bare, isQuick ? 2 : 5, report));
    await part('dashboard', 'The dashboard', () => measureDashboard(bare, seconds, report));
    await part('soak', 'Soak', async () => {
      const { views, problems } = await soakViews(service, isQuick ? 70 : 1_000, 4);
      report.add({ name: `${views} views ended abruptly: leftovers`, server: problems.length, limit: { atMost: 0 } });
      for (const problem of problems.slice(0, 20)) console.log(problem);
    });
  } finally {
    await service.stop();
    await direct.stop();
  }
  if (json !== undefined) report.save(json, { cores: availableParallelism(), runtime: process.version });
  const exceeded = report.exceeded();
  if (exceeded.length > 0)
    console.log(`\nover the limit: ${exceeded.length} of ${report.rows.length}\n  ${exceeded.join('\n  ')}`);
  process.exitCode = check && exceeded.length > 0 ? 1 : 0;
}
