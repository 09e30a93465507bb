// Compares sockets through the server with a direct connection to a warm headless shell: the same client, in turn.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { rawClient, type RawClient } from '../support/clients/clients.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { Browser } from './subjects.ts';
import { flags } from './floor-flags.ts';
import { cpuSeconds, median, processRss, settle } from './measure.ts';
import { limits, type Report } from './report.ts';

interface Side {
  endpoint: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a warm headless shell to which clients connect directly. */
async function startDirect(browser: Browser): Promise<Side> {
  const profile = mkdtempSync(join(tmpdir(), 'browserd-direct-'));
  const child = spawn(
    browser.path,
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...browser.env } },
  );
  let output = '';
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the browser ended: ${output}`)));
    child.stderr.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (ws:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
  });
  return {
    endpoint,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
          resolve();
        });
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      }),
  };
}

/** Connects, opens a page, loads it and reads its title, as every script begins. Returns the ms until the title. */
async function firstTitle(endpoint: string, url: string): Promise<number> {
  const began = performance.now();
  const browser = await puppeteer.connect({ browserWSEndpoint: endpoint });
  const page = await browser.newPage();
  await page.goto(url);
  await page.title();
  const ms = performance.now() - began;
  await page.close();
  await browser.disconnect();
  return ms;
}

/** Attaches a bare client to a page. */
async function pageClient(endpoint: string): Promise<{ client: RawClient; session: string }> {
  const client = await rawClient(endpoint);
  const { result } = await client.send('Target.createTarget', { url: 'about:blank' });
  const attached = await client.send('Target.attachToTarget', { targetId: result?.['targetId'], flatten: true });
  return { client, session: String(attached.result?.['sessionId']) };
}

const evaluate = ({ client, session }: Awaited<ReturnType<typeof pageClient>>, expression: string) =>
  client.send('Runtime.evaluate', { expression }, session);

/** Sessions that run at a time, and spare browsers of the server that serves them. */
const lanes = 4;

/** Measures sessions per second, `lanes` at a time. */
async function sessionRate({ endpoint, pid }: Side, sessions: number, url: string): Promise<number> {
  await settle([pid]);
  const began = performance.now();
  let left = sessions;
  const lane = async () => {
    while (left-- > 0) await firstTitle(endpoint, url);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (sessions * 1_000) / (performance.now() - began);
}

/** Waits until a server and its browsers do nothing any more, nor begin anything after a pause. */
async function atRest(pid: number): Promise<void> {
  await until(
    'the server to come to rest',
    async () => {
      const before = cpuSeconds(pid);
      await pause(500);
      return cpuSeconds(pid) - before < 0.05;
    },
    120_000,
  );
}

/** Starts a server whose spare browsers wait for as many sessions at once as will come. */
async function startStocked(): Promise<Side> {
  const service = await startService({ env: { CONCURRENT: '50', TIMEOUT: '0', SPARES: String(lanes) } });
  const endpoint = service.url.replace(/^http/, 'ws');
  // The server makes as many spares as clients came at once.
  const clients = await Promise.all(Array.from({ length: lanes }, () => rawClient(endpoint)));
  for (const { socket } of clients) socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
  // Browsers for clients start with a page; the shared one of the server does not.
  const started = () =>
    service.tree().filter(({ command }) => command.includes(' about:blank') && !command.includes('--type='));
  await until('the spares to be started', () => started().length === lanes, 120_000);
  await atRest(service.pid);
  return { endpoint, pid: service.pid, stop: () => service.stop() };
}

/** @param jobs number of sessions for the latency figure, from which the other numbers are derived */
export async function measureSockets(browser: Browser, url: string, jobs: number, report: Report): Promise<void> {
  const direct = await startDirect(browser);
  const service = await startService({ env: { CONCURRENT: '50', QUEUED: '50', TIMEOUT: '0' } });
  const server: Side = { endpoint: service.url.replace(/^http/, 'ws'), pid: service.pid, stop: () => service.stop() };
  const sides = { server, floor: direct };
  const turns = (round: number) => (round % 2 === 0 ? (['server', 'floor'] as const) : (['floor', 'server'] as const));
  try {
    const titles = { server: [] as number[], floor: [] as number[] };
    for (const name of turns(0)) await firstTitle(sides[name].endpoint, url);
    for (let round = 0; round < jobs; round++) {
      for (const name of turns(round)) {
        await settle([server.pid, direct.pid]);
        titles[name].push(await firstTitle(sides[name].endpoint, url));
      }
    }
    add(
      report,
      'first title: p50 ms, one at a time',
      { server: median(titles.server), floor: median(titles.floor) },
      limits.firstTitleRatio,
    );

    const sessions = jobs * 2;
    const fresh = await sessionRate(server, sessions, url);
    const plain = await sessionRate(direct, sessions, url);
    report.add({
      name: `sessions/s, ${lanes} at once, ${sessions} in all, browsers started for them`,
      server: fresh,
      floor: plain,
      ratio: fresh / plain,
    });
    const stocked = await startStocked();
    try {
      const taken = await sessionRate(stocked, sessions, url);
      add(
        report,
        `sessions/s, ${lanes} at once, ${sessions} in all, SPARES=${lanes}`,
        { server: taken, floor: plain },
        limits.sessionRateRatio,
      );
    } finally {
      await stocked.stop();
    }
    await measureMessages(sides, turns, jobs * 100, report);

    await settle([server.pid]);
    const before = processRss(server.pid);
    const idle = await Promise.all(Array.from({ length: 30 }, () => rawClient(server.endpoint)));
    await settle([server.pid]);
    const each = (processRss(server.pid) - before) / idle.length / 2 ** 20;
    report.add({
      name: 'server process, MiB for each of 30 idle sessions',
      server: each,
      limit: limits.idleSessionMiB,
    });
    for (const { socket } of idle) socket.close();
    await Promise.all(idle.map(({ closed }) => closed));
  } finally {
    await direct.stop();
    await service.stop();
  }
}

async function measureMessages(
  sides: Record<'server' | 'floor', Side>,
  turns: (round: number) => readonly ('server' | 'floor')[],
  messages: number,
  report: Report,
): Promise<void> {
  const clients = { server: await pageClient(sides.server.endpoint), floor: await pageClient(sides.floor.endpoint) };
  const ms = { server: [] as number[], floor: [] as number[] };
  const seconds = { server: 0, floor: 0 };
  const rounds = 10;
  // The server starts a spare browser in place of the one that the client took, a moment later.
  await atRest(sides.server.pid);
  for (let round = 0; round < rounds; round++) {
    for (const name of turns(round)) {
      const before = cpuSeconds(sides[name].pid);
      for (let i = 0; i < messages / rounds; i++) {
        const began = performance.now();
        await evaluate(clients[name], '1+1');
        ms[name].push(performance.now() - began);
      }
      seconds[name] += cpuSeconds(sides[name].pid) - before;
    }
  }
  const [ours, theirs] = [median(ms.server), median(ms.floor)];
  report.add({ name: `Runtime.evaluate x ${messages}: p50 ms`, server: ours, floor: theirs, ratio: ours / theirs });
  report.add({ name: 'Runtime.evaluate: ms more than direct', server: ours - theirs, limit: limits.messageMs });
  add(report, 'Runtime.evaluate: CPU seconds', seconds, limits.messageCpuRatio);

  const megabytes = [
    ['5 MiB down', `"x".repeat(${5 * 2 ** 20})`, limits.downRatio],
    ['2 MiB up', `"${'x'.repeat(2 * 2 ** 20)}".length`, limits.upRatio],
  ] as const;
  for (const [name, expression, limit] of megabytes) {
    const speeds = { server: [] as number[], floor: [] as number[] };
    for (let round = 0; round < rounds * 2; round++) {
      for (const side of turns(round)) {
        const began = performance.now();
        await evaluate(clients[side], expression);
        speeds[side].push(1_000 / (performance.now() - began));
      }
    }
    const both = { server: median(speeds.server), floor: median(speeds.floor) };
    add(report, `${name}: messages/s`, both, limit);
  }
  for (const { client } of Object.values(clients)) {
    client.socket.close();
    await client.closed;
  }
}

function add(
  report: Report,
  name: string,
  { server, floor }: { server: number; floor: number },
  limit: { atMost: number } | { atLeast: number },
): void {
  report.add({ name, server, floor, ratio: server / floor, limit });
}
