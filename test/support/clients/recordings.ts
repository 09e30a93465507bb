// Asks for recordings and reads their videos.
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { CDPSession, Page } from 'puppeteer-core';
import { succeeded } from '../checks/expect.ts';
import type { Service } from '../service.ts';

export interface Told {
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
  tabs: { tab: number; page: string; width: number; height: number; bytes: number }[];
}

/** Sends a command of the server on a session of Puppeteer, whose types do not know it. */
export function command(session: CDPSession, method: string, params: object = {}): Promise<Told> {
  return (session as unknown as { send(method: string, params: object): Promise<Told> }).send(
    `Browserless.${method}`,
    params,
  );
}

export async function listed(service: Service, query: Record<string, string | number> = {}) {
  return succeeded(await service.get('/recordings', { query })).json<{ recordings: Listed[]; next: string | null }>();
}

/** What is in a video; the time stamps of its frames in seconds. */
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
    // WebM counts milliseconds.
    isMonotonic: times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)),
  };
}

/** Shows something that moves all the time. */
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
