// Playwright's servers run in processes separate from the server, one for each tenant: no matter what clients make them
// store or process, neither the server nor other tenants slow down; they exit when the server does, however it stops.
// @tier ci
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { connectPlaywright, disconnected, rawPlaywright } from '../support/clients/playwright.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { watchLoop } from '../support/event-loop.ts';
import { processSuite } from '../support/fixture.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { stillAlive } from '../support/processes.ts';
import { until } from '../support/until.ts';

const { test, service } = processSuite('Playwright apart', {
  timeoutMs: 90_000,
  tokens: [{ name: 'ours' }, { name: 'theirs' }],
  env: async () => {
    endless = createServer((_request, response) => {
      const block = Buffer.alloc(1 << 20, 'x');
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    return { SPARES: '0', TIMEOUT: '80000', PAGE_MEMORY_MB: '400', ...loop.env };
  },
});
const loop = watchLoop();
const path = '/chromium/playwright';
/** Sends bytes as long as the client reads them. */
let endless: Server;

test.after(() => {
  endless.closeAllConnections();
  endless.close();
  loop[Symbol.dispose]();
});

const endlessUrl = () => `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`;
const connect = (tenant: string, of = service) => connectPlaywright(of, path, { token: tokenOf(tenant) });
const mainsOf = (of: Service) =>
  of.tree().filter(({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='));
/** The processes that run Playwright's servers, oldest first. */
const hostsOf = (of: Service) =>
  of
    .tree()
    .filter(({ command }) => command.includes('--browserd-script'))
    .toSorted((a, b) => a.pid - b.pid);

/** Endless response bodies, requested by Playwright itself and by pages. */
const hoarding: Record<string, (tenant: string) => Promise<unknown>> = {
  'a Playwright request': async (tenant) => {
    const browser = await connect(tenant);
    return (await browser.newPage()).request.get(endlessUrl(), { timeout: 0 });
  },
  'a request from a context': async (tenant) => {
    const browser = await connect(tenant);
    return (await browser.newContext()).request.post(endlessUrl(), { data: 'x', timeout: 0 });
  },
  'a request that pages route through Playwright': async (tenant) => {
    const browser = await connect(tenant);
    const page = await browser.newPage();
    await page.route('**/*', (route) => void route.fetch({ timeout: 0 }).catch(() => {}));
    return page.goto(endlessUrl(), { timeout: 0 });
  },
};
test.shows('huge-messages', 'Playwright');
for (const [name, hoard] of Object.entries(hoarding)) {
  test(`${name} for an endless body ends only its own tenant's Playwright server`, async () => {
    const theirs = await connect('theirs');
    const page = await theirs.newPage();
    const raw = await rawPlaywright(service, path, { token: tokenOf('ours') });
    const before = await loop.ask(service);
    assert.ok(String(await hoard('ours').catch(String)).includes('closed'));
    const { code, reason } = await raw.closed;
    assert.is(code, 1011);
    assert.match(reason, 'PAGE_MEMORY_MB');
    const after = await loop.stayedFree(service, name);
    assert.ok(after.peakBytes < before.peakBytes + 150e6, `the server grew to ${after.peakBytes} bytes`);
    assert.is(await page.evaluate(() => 1 + 1), 2);
    await theirs.close();
    const again = await connect('ours');
    await again.close();
  });
}

/** A gray image of 3,000 × 3,000 pixels in 9 kB. */
function largeImage(): Buffer {
  const side = 3_000;
  const word = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    return Buffer.concat([word(data.length), body, word(crc32(body))]);
  };
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([word(side), word(side), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.alloc((side + 1) * side))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The PNG checksum. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return ~crc >>> 0;
}

/** Playwright's report of a failed comparison. */
const detailsOf = (error: unknown) => JSON.stringify(error, Object.getOwnPropertyNames(error));

test('images that take long to decode do not block the main thread', async () => {
  const browser = await connect('ours');
  // Only Playwright's test runner calls it.
  const { _channel: channel } = (await browser.newPage()) as Page & {
    _channel: { expectScreenshot(params: object, options: object): Promise<unknown> };
  };
  const expected = largeImage();
  await loop.ask(service);
  const judged = await channel.expectScreenshot({ expected, isNot: false }, { timeout: 10_000 }).catch(detailsOf);
  assert.match(String(judged), /Expected an image 3000px by 3000px|PAGE_MEMORY_MB/);
  await loop.stayedFree(service, 'decoding');
  await browser.close();
});

test('a Playwright page that uses more than PAGE_MEMORY_MB crashes', async () => {
  const browser = await connect('ours');
  const page = await browser.newPage();
  const crashed = new Promise<void>((resolve) => page.once('crash', () => resolve()));
  void page
    .evaluate(() => {
      const kept: Uint8Array[] = [];
      const more = () => {
        for (let n = 0; n < 4; n++) kept.push(new Uint8Array(10e6).fill(1));
        setTimeout(more, 20);
      };
      more();
      Object.assign(globalThis, { kept });
    })
    .catch(() => {});
  await crashed;
  await until('the log entry', () => service.logs().some(({ event }) => event === 'page.memory-exceeded'));
  await browser.close();
});

test('when a Playwright server is killed, only one tenant loses its browsers, and the next client gets a new server', async () => {
  const [ours, theirs] = [await connect('ours'), await connect('theirs')];
  const [page, gone] = [await theirs.newPage(), disconnected(ours)];
  const hosts = hostsOf(service);
  assert.is(hosts.length, 2);
  const [browser] = mainsOf(service).toSorted((a, b) => a.pid - b.pid);
  const ourHost = hosts.find(({ pid }) => pid === browser?.parent);
  assert.ok(ourHost);
  process.kill(ourHost.pid, 'SIGKILL');
  await gone;
  assert.is(await page.evaluate(() => 1 + 1), 2);
  await theirs.close();
  const again = await connect('ours');
  assert.is(await (await again.newPage()).evaluate(() => 1 + 1), 2);
  await again.close();
  await until('all browsers to exit', () => mainsOf(service).length === 0);
});

const endings: Record<string, () => Promise<{ server: Service; end(): Promise<unknown> }>> = {
  async SIGKILL() {
    const server = await startProcess({ env: { SPARES: '0' } });
    return { server, end: () => server.end('SIGKILL') };
  },
  async SIGTERM() {
    const server = await startService({ env: { SPARES: '0' } });
    return { server, end: () => server.stop() };
  },
};
for (const [signal, start] of Object.entries(endings)) {
  test(`${signal} to the server also ends the Playwright server and its browsers`, async () => {
    const { server, end } = await start();
    const browser = await connectPlaywright(server);
    const page = await browser.newPage();
    void page.evaluate(() => { for (;;); }).catch(() => {}); // prettier-ignore
    const apart = [...hostsOf(server), ...mainsOf(server)];
    assert.is(apart.length, 2);
    await end();
    await until('its processes to exit', () => stillAlive(apart).length === 0, 10_000);
    // Until then, they may write there. A server that was asked to stop has removed it.
    rmSync(server.baseDir, { recursive: true, force: true });
  });
}
