// Measures the cost of being watched: CPU, bandwidth and memory with viewers, and the effect on the page's script.
import { setTimeout as pause } from 'node:timers/promises';
import { type Viewer, watchLive } from '../../support/clients/viewer.ts';
import { median, processRss, settle } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents } from './pages.ts';
import { type DrivenPage, liveLink, sampleDuring, shareOf } from './stand.ts';

export interface WatchingOptions {
  /** The server's process. */
  pid: number;
  page: DrivenPage;
  /** Length of each measurement. */
  seconds: number;
}

/** The quality to which the limits apply. */
const usual = { quality: 60 };

const watchers = (link: string, count: number, visible = true) =>
  Promise.all(Array.from({ length: count }, () => watchLive(link, { visible })));
const leaveAll = (viewers: readonly Viewer[]) => Promise.all(viewers.map((viewer) => viewer.leave()));
const bytesOf = (viewer: Viewer) => viewer.frames.reduce((sum, { bytes }) => sum + bytes.length + 16, 0);
const picturesOf = (viewers: readonly Viewer[]) => viewers.map(({ frames }) => frames.length);

export async function measureWatching({ pid, page, seconds }: WatchingOptions, report: Report): Promise<void> {
  const share = async () => {
    await settle([pid]);
    return shareOf(pid, seconds);
  };
  const total = ({ browser, server }: { browser: number; server: number }) => browser + server;

  await page.show(documents.static);
  const restAlone = await share();
  const still = await liveLink(page, usual);
  for (const count of [1, 5]) {
    const viewers = await watchers(still, count);
    await pause(2_000);
    const before = picturesOf(viewers);
    const rest = await share();
    const more = picturesOf(viewers).reduce((sum, have, at) => sum + have - (before[at] ?? 0), 0);
    report.add({
      name: `1. static page, ${count} viewers: browser and server, % of a core`,
      server: total(rest),
      floor: total(restAlone),
      limit: { atMost: 0.5 },
    });
    report.add({ name: `1. static page, ${count} viewers: frames`, server: more, limit: { atMost: 0 } });
    await leaveAll(viewers);
  }

  await page.show(documents.spinner);
  const turnAlone = await share();
  const spinner = await liveLink(page, usual);
  const hidden = await watchers(spinner, 1, false);
  const unseen = await share();
  report.add({
    name: '2. spinner, no visible viewer: added % of a core',
    server: Math.abs(total(unseen) - total(turnAlone)),
    limit: { atMost: 2 },
  });
  report.add({
    name: '2. spinner, no visible viewer: frames',
    server: picturesOf(hidden)[0] ?? 0,
    limit: { atMost: 0 },
  });
  await leaveAll(hidden);

  const loads: number[] = [];
  for (const count of [1, 5]) {
    const viewers = await watchers(spinner, count);
    await pause(2_000);
    const from = picturesOf(viewers);
    const bytes = viewers.map(bytesOf);
    const began = performance.now();
    const seen = await share();
    const took = (performance.now() - began) / 1_000;
    loads.push(seen.server);
    if (count === 5) {
      const rates = viewers.map(({ frames }, at) => (frames.length - (from[at] ?? 0)) / took);
      const flow = viewers.map((viewer, at) => (bytesOf(viewer) - (bytes[at] ?? 0)) / took / 1_000);
      report.add({ name: '3. spinner, 5 viewers: frames/s', server: Math.max(...rates), limit: { atMost: 15 } });
      report.add({
        name: '3. spinner, 5 viewers: browser, % of a core',
        server: seen.browser,
        floor: turnAlone.browser,
        limit: { atMost: 60 },
      });
      report.add({ name: '3. spinner, 5 viewers: server, % of a core', server: seen.server, limit: { atMost: 3 } });
      report.add({ name: '8. spinner: kB/s per viewer', server: Math.max(...flow), limit: { atMost: 1_100 } });
    }
    await leaveAll(viewers);
  }
  const [one = 0, five = 0] = loads;
  report.add({
    name: '3. spinner: server, % of a core per additional viewer',
    server: Math.max(0, five - one) / 4,
    limit: { atMost: 0.3 },
  });

  await measureMemory(pid, spinner, report);
  await measureDriver(page, spinner, report);
  await measureTyping(page, seconds, report);
}

async function measureMemory(pid: number, link: string, report: Report): Promise<void> {
  const samples = async () => {
    const values: number[] = [];
    for (let sample = 0; sample < 20; sample++) {
      values.push(processRss(pid) / 2 ** 20);
      await pause(250);
    }
    return median(values);
  };
  const without = await samples();
  const viewers: Viewer[] = [];
  // The server allows ten viewers per link.
  viewers.push(...(await watchers(link, 10)));
  await pause(1_000);
  const within = await samples();
  report.add({
    name: '10. server memory growth in MiB with 10 viewers',
    server: within - without,
    limit: { atMost: 5 },
  });
  await leaveAll(viewers);
}

/** The effect on the script that drives the page. */
async function measureDriver(page: DrivenPage, link: string, report: Report): Promise<void> {
  const ms = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < 10; round++) {
    const viewer = round % 2 === 0 ? undefined : await watchLive(link);
    if (viewer) await viewer.nextFrame();
    const times = viewer ? ms.with : ms.without;
    for (let call = 0; call < 60; call++) {
      const began = performance.now();
      await page.value('1');
      times.push(performance.now() - began);
      await pause(5);
    }
    await viewer?.leave();
  }
  report.addPair(
    '19. Runtime.evaluate while a viewer watches a spinner: p50 ms',
    { server: median(ms.with), floor: median(ms.without) },
    { atMost: 1.3 },
  );
}

async function measureTyping(page: DrivenPage, seconds: number, report: Report): Promise<void> {
  await page.show(documents.typing);
  await page.value('document.querySelector("textarea").focus()');
  const viewer = await watchLive(await liveLink(page, usual));
  await viewer.nextFrame();
  const before = bytesOf(viewer);
  const began = performance.now();
  await sampleDuring(125, () => viewer.press('a', 'KeyA', 65), pause(seconds * 1_000));
  const took = (performance.now() - began) / 1_000;
  report.add({
    name: '8. typing 8 keys/s: kB/s',
    server: (bytesOf(viewer) - before) / took / 1_000,
    limit: { atMost: 400 },
  });
  await viewer.leave();
}
