// Measures the cost of the dashboard: of a session's thumbnail, of one dashboard that shows fifty sessions, and that
// there is none when nobody is watching.
import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../../support/clients/http.ts';
import { startProcess } from '../../support/service.ts';
import { atRest } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents } from './pages.ts';
import { drivenBy, type DrivenPage, shareOf } from './stand.ts';

const sessions = 50;
/** How far apart the rounds start in which the page requests the thumbnails of this many sessions. */
const roundSeconds = sessions * 0.3;

/** @param bare a page that opens the dashboard */
export async function measureDashboard(bare: DrivenPage, seconds: number, report: Report): Promise<void> {
  const env = { TIMEOUT: '0', SPARES: '0', CONCURRENT: String(sessions), LOG_LEVEL: 'debug' };
  const service = await startProcess({ env });
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
    report.add({ name: '18. nobody is watching: thumbnails captured', server: taken(), limit: { atMost: 0 } });
    const first = (await service.get('/sessions')).json<{ id: string; type: string }[]>();
    const sizes: number[] = [];
    for (const { id, type } of first.slice(0, 20)) {
      if (type !== 'browser') continue;
      const { bytes } = await send(`${service.url}/dashboard/thumbnails/${id}`, {});
      sizes.push(bytes.length / 1_000);
    }
    report.add({ name: '18. thumbnail: kB', server: Math.max(...sizes), limit: { atMost: 8 } });

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
      name: `18. ${sessions} sessions, all in view (${perSecond.toFixed(1)} thumbnails/s): % of a core`,
      server: browser + server,
      floor: idle,
      limit: { atMost: 7 },
    });
    report.add({
      name: '18. thumbnail: CPU ms',
      server: (10 * (browser + server - idle)) / perSecond,
      limit: { atMost: 10 },
    });
    await bare.go('about:blank');
    const from = taken();
    await pause(6_000);
    report.add({ name: '18. dashboard closed: thumbnails captured', server: taken() - from, limit: { atMost: 0 } });
  } finally {
    await service.stop();
  }
}
