// Requests recordings and reads their videos.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { CDPSession, Page } from 'puppeteer-core';
import { succeeded } from '../checks/expect.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

export interface CommandResult {
  error: string | null;
  recordingId: string | null;
  url: string | null;
  value: string | null;
}

export interface Listed {
  id: string;
  session: string;
  trackingId: string | null;
  state: 'recording' | 'finished' | 'cut short';
  reason: string | null;
  endedOn: number | null;
  pagesLeftOut: number;
  kind: 'video' | 'replay';
  url: string;
  tabs: {
    tab: number;
    page: string;
    width: number;
    height: number;
    bytes: number;
    eventBytes: number;
    events: number;
    title: string;
    website: string;
    mp4?: string;
    webm?: string;
    ndjson?: string;
  }[];
}

/** An event of a replay, as rrweb writes it; events of the protocol have a tag. */
export interface ReplayEvent {
  type: number;
  timestamp: number;
  data: {
    source?: number;
    href?: string;
    tag?: string;
    payload?: Record<string, unknown>;
    text?: string;
    type?: number;
  };
}

/** The numbers of rrweb's event types. */
export const replayTypes = { full: 2, change: 3, meta: 4, custom: 5 } as const;

/** Sends one of the server's commands on a Puppeteer session; Puppeteer's types do not include them. */
export function command(session: CDPSession, method: string, params: object = {}): Promise<CommandResult> {
  return (session as unknown as { send(method: string, params: object): Promise<CommandResult> }).send(
    `Browserless.${method}`,
    params,
  );
}

export async function listed(service: Service, query: Record<string, string | number> = {}) {
  return succeeded(await service.get('/recordings', { query })).json<{ recordings: Listed[]; next: string | null }>();
}

/** The events of a tab in a finished recording. */
export async function eventsOf(service: Service, id: string, tab: number): Promise<ReplayEvent[]> {
  const reply = succeeded(
    await service.get(`/recordings/${id}/events`, { query: { tab } }),
    'application/x-ndjson; charset=utf-8',
  );
  return reply.text
    .trimEnd()
    .split('\n')
    .map((line): ReplayEvent => JSON.parse(line));
}

/** The directory of a recording. */
export function directoryOf(service: Service, id: string): string {
  const all = service.env['RECORDINGS_DIR'] ?? '';
  return join(all, readdirSync(all).find((day) => readdirSync(join(all, day)).includes(id)) ?? '', id);
}

/** Waits until an events file that is still being written contains a text. @returns its path */
export async function written(service: Service, id: string, text: string): Promise<string> {
  return until(`${text} in an events file`, () => {
    const directory = directoryOf(service, id);
    const files = readdirSync(directory).filter((name) => name.startsWith('events-'));
    return files
      .map((name) => join(directory, name))
      .find((path) => gunzipSync(readFileSync(path), { finishFlush: constants.Z_SYNC_FLUSH }).includes(text));
  });
}

/** Payloads of the protocol events with this tag. */
export function payloadsOf(events: readonly ReplayEvent[], tag: string): Record<string, unknown>[] {
  return events.flatMap(({ type, data }) =>
    type === replayTypes.custom && data.tag === tag && data.payload ? [data.payload] : [],
  );
}

/** Waits for the end of a recording. */
export async function ended(service: Service, id: string): Promise<Listed> {
  return until('the recording to end', async () => {
    const found = (await listed(service)).recordings.find((recording) => recording.id === id);
    return found && found.state !== 'recording' ? found : undefined;
  });
}

/** Contents of a video; the timestamps of its frames are in seconds. */
export async function contentOf(bytes: Uint8Array<ArrayBuffer>) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new Error('the video has no video track');
  const times: number[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) times.push(packet.timestamp);
  return {
    type: await input.getMimeType(),
    duration: await input.computeDuration(),
    width: track.displayWidth,
    height: track.displayHeight,
    tracks: (await input.getTracks()).length,
    times,
    // WebM timestamps are whole milliseconds, so two may be equal.
    isMonotonic: times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)),
  };
}

/** Shows an element that moves constantly. */
export async function move(page: Page): Promise<void> {
  await page.evaluate(`
    document.body.innerHTML = '<div style="width:60px;height:60px;background:red;position:absolute"></div>';
    let left = 0;
    setInterval(() => (document.body.firstChild.style.left = (left = (left + 5) % 500) + 'px'), 25);
  `);
}

/** Resolves when the page has painted this many times. */
export async function painted(page: Page, frames: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let left = ${frames};
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : resolve());
    next();
  })`);
}
