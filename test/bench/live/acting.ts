// Measures the time from a click in the viewer until the pixel changes in the viewer, compared with raw CDP; the time
// to the first frame; and a viewer that reads slowly.
import { createServer, connect as connectTcp, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { socketOf, type Viewer, watchLive } from '../../support/clients/viewer.ts';
import { until } from '../../support/until.ts';
import { median, processRss, quantile } from '../measure.ts';
import type { Report } from '../report.ts';
import { documents } from './pages.ts';
import { type DrivenPage, liveLink, sampleDuring } from './stand.ts';

export interface InputLatencyOptions {
  /** The server's process. */
  pid: number;
  ours: DrivenPage;
  /** In a bare browser. */
  bare: DrivenPage;
  presses: number;
  seconds: number;
}

/** A frame and when it arrived. */
interface Arrival {
  at: number;
  bytes: Buffer;
}

/** A viewer that can click at a position and receive frames. */
interface Side {
  arrivals: Arrival[];
  press(): void;
  move(x: number, y: number): void;
}

const place = { x: 100, y: 100 };

/** Whether the corner of a frame is blue, not red. */
function isBlue(bytes: Buffer): boolean {
  const { data, width } = bytes[0] === 0x89 ? PNG.sync.read(bytes) : jpeg.decode(bytes, { useTArray: true });
  const at = (50 * width + 50) * 4;
  return (data[at + 2] ?? 0) > (data[at] ?? 0);
}

/** Milliseconds from a click to the arrival of the first frame with the other color. */
async function pressed(side: Side, now: boolean): Promise<number> {
  side.arrivals.length = 0;
  const began = performance.now();
  side.press();
  let looked = 0;
  return until('the other color', () => {
    for (; looked < side.arrivals.length; looked++) {
      const { at, bytes } = side.arrivals[looked] ?? { at: 0, bytes: Buffer.alloc(0) };
      if (isBlue(bytes) === now) return at - began;
    }
    return undefined;
  });
}

function viewerSide(viewer: Viewer): Side {
  const arrivals: Arrival[] = [];
  viewer.socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) arrivals.push({ at: performance.now(), bytes: data.subarray(16) });
  });
  return {
    arrivals,
    press() {
      viewer.send({ t: 'down', ...place, n: 0, b: 1, c: 1, m: 0 });
      viewer.send({ t: 'up', ...place, n: 0, b: 0, c: 1, m: 0 });
    },
    move: (x, y) => viewer.send({ t: 'move', x, y, b: 0, m: 0 }),
  };
}

/** Raw CDP: a screencast whose frames are acknowledged immediately. */
async function bareSide({ client, sessionId, send }: DrivenPage): Promise<Side> {
  const arrivals: Arrival[] = [];
  client.socket.on('message', (data) => {
    const { method, params } = JSON.parse(data.toString());
    if (method !== 'Page.screencastFrame') return;
    arrivals.push({ at: performance.now(), bytes: Buffer.from(params.data, 'base64') });
    void client.send('Page.screencastFrameAck', { sessionId: params.sessionId }, sessionId);
    // The client keeps every event; frames would exhaust memory.
    client.events.length = 0;
  });
  await send('Page.startScreencast', { format: 'jpeg', quality: 60, maxFramesInFlight: 1 });
  const mouse = (type: string, x: number, y: number, more: object = {}) =>
    void client.send('Input.dispatchMouseEvent', { type, x, y, ...more }, sessionId);
  const left = { button: 'left', clickCount: 1 };
  return {
    arrivals,
    press() {
      mouse('mousePressed', place.x, place.y, left);
      mouse('mouseReleased', place.x, place.y, left);
    },
    move: (x, y) => mouse('mouseMoved', x, y),
  };
}

export async function measureActing(
  { pid, ours, bare, presses, seconds }: InputLatencyOptions,
  report: Report,
): Promise<void> {
  await ours.show(documents.press);
  await bare.show(documents.press);
  const link = await liveLink(ours);
  const viewer = await watchLive(link);
  await viewer.nextFrame();
  const sides = { server: viewerSide(viewer), floor: await bareSide(bare) };
  const colors = { server: false, floor: false };
  const press = async (name: 'server' | 'floor') => {
    colors[name] = !colors[name];
    return pressed(sides[name], colors[name]);
  };

  const ms = { server: [] as number[], floor: [] as number[] };
  for (let round = 0; round < presses; round++) {
    for (const name of ['server', 'floor'] as const) {
      // By now the frame after the last click has reached full quality, and the machine is idle.
      await pause(350);
      ms[name].push(await press(name));
    }
  }
  addPresses('4. click-to-pixel latency', ms, report);

  const later = { server: [] as number[], floor: [] as number[] };
  for (let round = 0; round < Math.max(3, presses / 8); round++) {
    for (const name of ['server', 'floor'] as const) {
      for (let step = 0; step < 240; step++) {
        sides[name].move(200 + (step % 120), 200 + (step % 60));
        await pause(1_000 / 120);
      }
      later[name].push(await press(name));
    }
  }
  addPresses('5. click-to-pixel latency after 2 s of moves', later, report);
  await bare.send('Page.stopScreencast');
  await viewer.leave();
  await measureFirst(ours, bare, report);
  await measureSlow(pid, ours, seconds, report);
}

function addPresses(what: string, ms: Record<'server' | 'floor', number[]>, report: Report): void {
  for (const [name, share, more] of [
    ['p50', 0.5, 20],
    ['p95', 0.95, 60],
  ] as const) {
    const [server, floor] = [quantile(ms.server, share), quantile(ms.floor, share)];
    report.add({ name: `${what}: ${name} ms`, server, floor, ratio: server / floor, detail: ms });
    report.add({
      name: `${what}: ${name} ms slower than raw CDP`,
      server: server - floor,
      limit: { atMost: more },
    });
  }
}

/** From the open socket to the first frame, compared with one screenshot over raw CDP. */
async function measureFirst(ours: DrivenPage, bare: DrivenPage, report: Report): Promise<void> {
  await ours.show(documents.static);
  await bare.show(documents.static);
  const link = await liveLink(ours);
  const ms = { server: [] as number[], floor: [] as number[] };
  for (let round = 0; round < 20; round++) {
    const viewer = await watchLive(link);
    const began = performance.now();
    await until('the first frame', () => viewer.frames.length > 0);
    ms.server.push(performance.now() - began);
    await viewer.leave();
    const from = performance.now();
    await bare.send('Page.captureScreenshot', { format: 'jpeg', quality: 60 });
    ms.floor.push(performance.now() - from);
  }
  report.add({
    name: '6. first frame after the socket opens: p50 ms',
    server: median(ms.server),
    floor: median(ms.floor),
    limit: { atMost: 150 },
    detail: ms,
  });
}

/** A proxy to the server that forwards a limited number of bytes per second. */
async function slowProxy(port: number, bytesPerSecond: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = connectTcp(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    near.pipe(far);
    const slowly = async () => {
      for await (const chunk of far.iterator({ destroyOnReturn: true })) {
        near.write(chunk);
        await pause((1_000 * chunk.length) / bytesPerSecond);
      }
    };
    slowly().catch(() => near.destroy());
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close() {
      for (const socket of sockets) socket.destroy();
      way.close();
    },
  };
}

async function measureSlow(pid: number, page: DrivenPage, seconds: number, report: Report): Promise<void> {
  await page.show(documents.spinner);
  const address = new URL(socketOf(await liveLink(page)));
  const way = await slowProxy(Number(address.port), 250_000);
  address.port = String(way.port);
  const viewer = await watchLive(address.href);
  const ages: number[] = [];
  viewer.socket.on('message', (data: Buffer, isBinary) => {
    // The frame's header contains the time at which the server sent it, in milliseconds modulo 2^32.
    if (isBinary) ages.push((Date.now() % 2 ** 32) - data.readUInt32BE(9));
  });
  await viewer.nextFrame();
  await pause(2_000);
  ages.length = 0;
  const memory: number[] = [];
  const sample = () => memory.push(processRss(pid) / 2 ** 20);
  await sampleDuring(250, sample, pause(seconds * 6_000));
  const quarter = Math.ceil(memory.length / 4);
  report.add({
    name: '7. 250 kB/s reader, spinner: frame age, p95 ms',
    server: quantile(ages, 0.95),
    limit: { atMost: 600 },
  });
  report.add({
    name: `7. 250 kB/s reader: server memory growth in MiB after ${seconds * 6} s`,
    server: median(memory.slice(-quarter)) - median(memory.slice(0, quarter)),
    limit: { atMost: 2 },
  });
  viewer.socket.terminate();
  way.close();
}
