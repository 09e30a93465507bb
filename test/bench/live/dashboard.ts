// Measures what the dashboard costs: a thumbnail of a session, fifty sessions with one dashboard that shows them all,
// and nothing when nobody watches.
import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../../support/clients/http.ts';
import { startService } from '../../support/service.ts';
import { atRest } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents } from './pages.ts';
import { drivenBy, type DrivenPage, shareOf } from './stand.ts';

const sessions = 50;
/** The page requests the thumbnails of this many sessions in rounds that start this far apart. */
const roundSeconds = sessions * 0.3;

/** @param bare a page that opens the dashboard */
export async function measureDashboard(bare: DrivenPage, seconds: number, report: Report): Promise<void> {
  const env = { TIMEOUT: '0', SPARES: '0', CONCURRENT: String(sessions), LOG_LEVEL: 'debug' };
  const service = await startService({ env });
  try {
    for (let index = 0; index < sessions; index++) {
      const page = await drivenBy(service);
      await page.show(documents.static);
    }
    const taken = () => service.logs().filter(({ event }) => event === 'dashboard.thumbnail').length;
    const total = async () => {
      await atRest(service.pid);
      const { browser, server } = await shareOf(service.pid, seconds * 3);
      return browser + server;
    };
    const idle = await total();
    report.add({ name: '18. nobody looks: pictures taken', server: taken(), limit: { atMost: 0 } });
    const first = (await service.get('/sessions')).json<{ id: string; type: string }[]>();
    const sizes: number[] = [];
    for (const { id, type } of first.slice(0, 20)) {
      if (type !== 'browser') continue;
      const { bytes } = await send(`${service.url}/dashboard/thumbnails/${id}`, {});
      sizes.push(bytes.length / 1_000);
    }
    report.add({ name: '18. a picture: kB', server: Math.max(...sizes), limit: { atMost: 8 } });

    await bare.send('Emulation.setDeviceMetricsOverride', {
      width: 1_280,
      height: 6_000,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await bare.go(`${service.url}/dashboard`);
    await pause(10_000);
    const [before, began] = [taken(), performance.now()];
    const { browser, server } = await shareOf(service.pid, roundSeconds * Math.ceil(seconds / 4));
    const perSecond = (taken() - before) / ((performance.now() - began) / 1_000);
    report.add({
      name: `18. ${sessions} sessions, all in view (${perSecond.toFixed(1)} pictures/s): % of a core`,
      server: browser + server,
      floor: idle,
      limit: { atMost: 7 },
    });
    report.add({
      name: '18. a picture: CPU ms',
      server: (10 * (browser + server - idle)) / perSecond,
      limit: { atMost: 10 },
    });
    await bare.go('about:blank');
    const from = taken();
    await pause(6_000);
    report.add({ name: '18. the dashboard was left: pictures taken', server: taken() - from, limit: { atMost: 0 } });
  } finally {
    await service.stop();
  }
}
