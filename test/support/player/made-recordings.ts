// Creates recordings in the server's format: videos by recording a session, events either by running rrweb's recorder
// in a page or as supplied by the test.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { dateOf, makeRecordingId } from '../../../src/sessions/recording/recording-id.ts';
import type { RecordingMeta } from '../../../src/sessions/recording/meta.ts';
import { connect } from '../clients/clients.ts';
import { listed, move, painted } from '../clients/recordings.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

export interface RecordedEvent {
  type: number;
  timestamp: number;
  data: Record<string, unknown>;
}

/** The directory of a recording. */
export function directoryOf(service: Service, id: string): string {
  return join(service.env['RECORDINGS_DIR'] ?? '', dateOf(id), id);
}

/** Lines of JSON, compressed as the server stores them. */
export function packed(events: readonly object[]): Buffer {
  return gzipSync(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** Creates an event for something that the protocol reported. */
export function protocolEvent(timestamp: number, tag: string, payload: object): RecordedEvent {
  return { type: 5, timestamp, data: { tag, payload } };
}

/** Records an animated page for about two seconds. @returns id of the recording */
export async function recordVideo(service: Service): Promise<string> {
  const browser = await connect(service, '/', { record: 'all' });
  const page = await browser.newPage();
  await move(page);
  await painted(page, 120);
  await browser.close();
  const ended = await until('the recording to end', async () => {
    const { recordings } = await listed(service);
    return recordings.find(({ state, tabs }) => state !== 'recording' && tabs.some(({ bytes }) => bytes > 0));
  });
  return ended.id;
}

/** Changes the meta.json of a recording. */
export function changeMeta(
  service: Service,
  id: string,
  change: (meta: RecordingMeta) => Partial<RecordingMeta>,
): void {
  const path = join(directoryOf(service, id), 'meta.json');
  const meta: RecordingMeta = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...meta, ...change(meta) }));
}

export interface TabFixture {
  title?: string;
  website?: string;
  /** Content of the events file; undefined for no file. */
  events: Buffer | undefined;
}

/** Writes a replay whose start and end are in epoch milliseconds. @returns its id */
export function makeReplay(
  service: Service,
  tabs: readonly TabFixture[],
  [startedOn, endedOn]: readonly [number, number],
  change: Partial<RecordingMeta> = {},
): string {
  const id = makeRecordingId();
  const directory = directoryOf(service, id);
  mkdirSync(directory, { recursive: true });
  const meta: RecordingMeta = {
    id,
    kind: 'replay',
    session: 'a-session',
    trackingId: null,
    account: '',
    browser: 'HeadlessChrome/156.0.0.0',
    state: 'finished',
    reason: 'The session ended.',
    startedOn,
    endedOn,
    frameRate: 0,
    tabs: tabs.map(({ title = '', website = '', events }, index) => ({
      tab: index + 1,
      page: `page-${index + 1}`,
      width: 800,
      height: 500,
      bytes: 0,
      eventBytes: events?.length ?? 0,
      events: 1,
      title,
      website,
      startedOn,
      endedOn,
    })),
    pagesLeftOut: 0,
    ...change,
  };
  for (const [index, { events }] of tabs.entries()) {
    if (events) writeFileSync(join(directory, `events-${index + 1}.ndjson.gz`), events);
  }
  writeFileSync(join(directory, 'meta.json'), JSON.stringify(meta));
  return id;
}

const recorder = readFileSync(new URL('../umd/record.min.js', import.meta.resolve('@rrweb/record')), 'utf8');

/**
 * Records with rrweb what a script does in a page.
 * @param html HTML of the page
 * @param script runs in the page; `snapshot()` and the page's own objects are available
 */
export async function recordEvents(page: Page, html: string, script: string): Promise<RecordedEvent[]> {
  await page.setContent(html);
  await page.evaluate(recorder);
  const events = await page.evaluate(`(async () => {
    const events = [];
    const stop = rrwebRecord.record({ emit: (event) => events.push(event) });
    await (async () => { ${script} })();
    // Mutations are reported after the task that made them.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    stop();
    return events;
  })()`);
  // The recorder wrote these events.
  return events as RecordedEvent[];
}
