// Measures the cost of the stealth browsers' shield: one client with it and one without, alternating on one server.
import puppeteer, { type Page } from 'puppeteer-core';
import { atRest, median, processCpuSeconds } from './measure.ts';
import { limits, type Report } from './report.ts';
import { startSocketServer, turns } from './sessions.ts';

const rounds = 20;

/** @param jobs number of navigations for the results; the other numbers are derived from it */
export async function measureShield(url: string, jobs: number, report: Report): Promise<void> {
  const server = await startSocketServer('process', {});
  const launch = encodeURIComponent('{"stealth":true}');
  const connect = (shield: boolean) =>
    puppeteer.connect({ browserWSEndpoint: `${server.endpoint}/?launch=${launch}&shield=${shield}` });
  const browsers = { server: await connect(true), floor: await connect(false) };
  try {
    const pages = { server: await browsers.server.newPage(), floor: await browsers.floor.newPage() };
    const evaluated = { server: [] as number[], floor: [] as number[] };
    const visits = { server: [] as number[], floor: [] as number[] };
    const seconds = { server: 0, floor: 0 };
    for (const page of Object.values(pages)) await visit(page, url);
    await atRest(server.pid);
    for (let round = 0; round < rounds; round++) {
      for (const side of turns(round)) {
        const before = processCpuSeconds(server.pid);
        for (let at = 0; at < jobs * 10; at++) evaluated[side].push(await timed(() => pages[side].evaluate('1+1')));
        const opened: number[] = [];
        for (let at = 0; at < jobs / 2; at++) opened.push(await timed(() => visit(pages[side], url)));
        visits[side].push(median(opened));
        seconds[side] += processCpuSeconds(server.pid) - before;
      }
    }
    const both = { server: median(evaluated.server), floor: median(evaluated.floor) };
    report.add({ name: 'protection on vs. off, evaluate: p50 ms', ...both, ratio: both.server / both.floor });
    report.add({ name: 'protection, evaluate: added ms', server: both.server - both.floor, limit: limits.shieldMs });
    // The machine's load changes between rounds, so each round is a pair.
    const ratio = median(visits.server.map((ms, round) => ms / (visits.floor[round] ?? Number.NaN)));
    const opened = { server: median(visits.server), floor: median(visits.floor) };
    const name = 'protection on vs. off, goto and title: p50 ms';
    report.add({ name, ...opened, ratio, limit: limits.shieldGotoRatio });
    report.addPair('protection on vs. off: CPU seconds of the server', seconds, limits.shieldCpuRatio);
  } finally {
    await browsers.server.close();
    await browsers.floor.close();
    await server.stop();
  }
}

async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.title();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
