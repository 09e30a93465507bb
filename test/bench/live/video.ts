// Measures what recording a page as a video costs, how fast recordings start and stop, and what WebM costs.
import { setTimeout as pause } from 'node:timers/promises';
import { contentOf } from '../../support/clients/recordings.ts';
import { succeeded } from '../../support/checks/expect.ts';
import type { ServerProcess } from '../../support/service.ts';
import { fromBase64 } from '../../../src/base/runtime/bytes.ts';
import { median, processCpuSeconds, processRss, settle, treePss } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents } from './pages.ts';
import { type DrivenPage, sampleDuring, shareOf } from './stand.ts';

export interface VideoOptions {
  service: ServerProcess;
  page: DrivenPage;
  /** In a bare browser. */
  bare: DrivenPage;
  barePid: number;
  seconds: number;
  /** Number of recordings of 10 s to start and stop. */
  recordings: number;
}

const frameRate = 25;
/** Maximum extra cost of a page while it is recorded, in percent of a core, compared with the page alone. */
const maxAddedPercent = { static: 4, typing: 16, scroll: 45 } as const;

async function start(page: DrivenPage): Promise<string> {
  const { error, recordingId } = await page.send('Browserless.startRecording', { frameRate });
  if (error !== null) throw new Error(String(error));
  return String(recordingId);
}

async function stop(page: DrivenPage): Promise<Uint8Array<ArrayBuffer>> {
  const { error, value } = await page.send('Browserless.stopRecording', { encoding: 'base64' });
  if (error !== null) throw new Error(String(error));
  return new Uint8Array(fromBase64(String(value)));
}

/** A page being recorded, through the server or in a bare browser. */
interface Recorded {
  page: DrivenPage;
  /** The process whose tree is measured. */
  pid: number;
  start(): Promise<unknown>;
  /** @returns the size of the recording in bytes */
  stop(): Promise<number>;
}

export async function measureVideo(options: VideoOptions, report: Report): Promise<void> {
  const { service, page, bare, barePid, seconds } = options;
  const ours: Recorded = {
    page,
    pid: service.pid,
    start: () => start(page),
    stop: async () => (await stop(page)).length,
  };
  let stream = '';
  const floor: Recorded = {
    page: bare,
    pid: barePid,
    async start() {
      stream = String((await bare.send('Page.startScreenRecording', { ...bareVideo, audio: false }))['stream']);
    },
    stop: () => endBare(bare, stream),
  };
  for (const name of ['static', 'typing', 'scroll'] as const) {
    const server = await costOf(ours, name, seconds);
    const beside = await costOf(floor, name, seconds);
    const add = (what: keyof Cost, words: string, atMost: number) =>
      report.add({
        name: `11. recording, ${name}: ${words}`,
        server: server[what],
        floor: beside[what],
        limit: { atMost },
      });
    add('percent', 'added % of a core', maxAddedPercent[name]);
    add('kBPerSecond', 'kB/s', 150);
    add('mebibytes', 'added MiB', 80);
  }
  await measureEnds(options, report);
  await measureConversion(options, report);
}

/** Extra cost of recording a page, compared with the page alone. */
interface Cost {
  /** Percent of a core. */
  percent: number;
  kBPerSecond: number;
  mebibytes: number;
}

async function costOf(recorded: Recorded, name: keyof typeof maxAddedPercent, seconds: number): Promise<Cost> {
  const { page, pid } = recorded;
  await page.show(documents[name]);
  if (name === 'typing') await page.value('document.querySelector("textarea").focus()');
  const type = () => void (name === 'typing' && page.send('Input.insertText', { text: 'a' }));
  const share = async () => {
    const { browser, server } = await sampleDuring(100, type, shareOf(pid, seconds));
    return browser + server;
  };
  await settle([pid]);
  const alone = await share();
  const memory = treePss(pid);
  await recorded.start();
  await pause(1_000);
  const began = performance.now();
  const percent = (await share()) - alone;
  const mebibytes = (treePss(pid) - memory) / 2 ** 20;
  const bytes = await recorded.stop();
  return { percent, mebibytes, kBPerSecond: bytes / (performance.now() - began + 1_000) };
}

/** Start and stop, compared with the browser's own commands. */
async function measureEnds({ page, bare, recordings }: VideoOptions, report: Report): Promise<void> {
  await page.show(documents.scroll);
  await bare.show(documents.scroll);
  const ms = { start: [] as number[], stop: [] as number[], bareStart: [] as number[], bareStop: [] as number[] };
  const off: number[] = [];
  const timed = async <T>(times: number[], work: Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work;
    times.push(performance.now() - began);
    return result;
  };
  for (let round = 0; round < recordings; round++) {
    await timed(ms.start, start(page));
    const began = performance.now();
    await pause(10_000);
    const length = (performance.now() - began) / 1_000;
    const { duration } = await contentOf(await timed(ms.stop, stop(page)));
    off.push((100 * Math.abs(duration - length)) / length);
    const { stream } = await timed(
      ms.bareStart,
      bare.send('Page.startScreenRecording', { ...bareVideo, audio: false }),
    );
    await pause(10_000);
    await timed(ms.bareStop, endBare(bare, String(stream)));
  }
  const pair = (name: string, server: number[], floor: number[], atMost: number) =>
    report.add({ name, server: median(server), floor: median(floor), limit: { atMost }, detail: { server, floor } });
  pair('12. starting a recording: ms', ms.start, ms.bareStart, 100);
  pair('12. from stop to a 10 s WebM: ms', ms.stop, ms.bareStop, 400);
  report.add({ name: '12. recording length error, %', server: median(off), limit: { atMost: 5 } });
}

const bareVideo = { maxWidth: 1_280, maxHeight: 720, frameRate };

async function endBare(bare: DrivenPage, handle: string): Promise<number> {
  await bare.send('Page.stopScreenRecording');
  let bytes = 0;
  for (;;) {
    const { data } = await bare.send('IO.read', { handle, size: 2 ** 20 });
    if (data === '') break;
    bytes += fromBase64(String(data)).length;
  }
  await bare.send('IO.close', { handle });
  return bytes;
}

/** WebM as a client fetches it: converted while it is sent. */
async function measureConversion({ service, page, seconds }: VideoOptions, report: Report): Promise<void> {
  await page.show(documents.scroll);
  const id = await start(page);
  await pause(seconds * 6_000);
  await stop(page);
  const fetchWebm = async () => succeeded(await service.get(`/recordings/${id}/video.webm`, { query: { tab: 1 } }));
  // The first conversion loads the library.
  const { bytes } = await fetchWebm();
  const { duration } = await contentOf(new Uint8Array(bytes));
  const memory = processRss(service.pid);
  const before = processCpuSeconds(service.pid);
  let highest = memory;
  const rounds = 5;
  const sample = () => (highest = Math.max(highest, processRss(service.pid)));
  await sampleDuring(
    20,
    sample,
    (async () => {
      for (let round = 0; round < rounds; round++) await fetchWebm();
    })(),
  );
  const used = processCpuSeconds(service.pid) - before;
  report.add({
    name: `13. ${duration.toFixed(0)} s of WebM: CPU ms per second of video`,
    server: (1_000 * used) / rounds / duration,
    limit: { atMost: 8 },
  });
  report.add({
    name: '13. WebM: server memory growth in MiB',
    server: (highest - memory) / 2 ** 20,
    limit: { atMost: 30 },
  });
}
