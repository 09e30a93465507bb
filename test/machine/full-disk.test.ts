// Checks the errors at each entry point while a disk of the server fills up, and that everything works once there is
// space again.
// @tier ci
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake } from '../support/clients/clients.ts';
import type { Reply } from '../support/clients/http.ts';
import { command, listed, move, painted } from '../support/clients/recordings.ts';
import { loginAt, profilesKey, upload } from '../support/clients/profiles.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { suite } from '../support/suite.ts';

const test = suite('full disk', { timeoutMs: 120_000 });
const withDisk = test.unless(noSmallDisk());
const megabyte = 2 ** 20;
const html = '<h1>text</h1><p>more</p>';
const shown = { query: 'mutation { content(html: "<h1>x</h1>") { status } screenshot { base64 } }' };

/** Runs a server with a small disk; afterwards its log must not contain an uncaught error. */
async function onSmallDisk(
  settings: (disk: SmallDisk) => Record<string, string>,
  use: (service: Service, disk: SmallDisk) => Promise<void>,
): Promise<void> {
  using disk = mountSmallDisk(256 * megabyte);
  const env: Record<string, string> = { SPARES: '0', HEALTH: 'false', ...settings(disk) };
  await using service = await (env['CACHE_DIR'] === undefined ? startService : startProcess)({ env });
  await use(service, disk);
  assert.not.ok(service.logs().some(({ event }) => event === 'uncaught'));
}

function made(path: string, name: string): string {
  mkdirSync(join(path, name));
  return join(path, name);
}

function assertDiskFull(reply: Reply, setting: string, door: string): void {
  assert.is(reply.status, 503, `${door}: ${reply.status} ${reply.text.slice(0, 500)}`);
  refused(reply, 503, `The disk of ${setting} is full`, `set ${setting} to`);
  assert.is(reply.json<{ code: string }>().code, 'storage-full');
}

withDisk('requests are rejected while the disk of a running browser is full', () =>
  onSmallDisk(
    ({ path }) => ({ SCRATCH_DIR: path, TIMEOUT: '10000' }),
    async (service, disk) => {
      const code = 'export default async ({ page }) => (await page.screenshot()).length';
      const doors: [path: string, body: object][] = [
        ['/content', { html }],
        ['/screenshot', { html, options: { fullPage: true } }],
        ['/scrape', { html, elements: [{ selector: 'h1' }] }],
        ['/markdown', { html }],
        ['/pdf', { html }],
        ['/export', { url: 'data:text/html,text', includeResources: true }],
        ['/function', { code }],
        ['/chromium/bql', shown],
      ];
      succeeded(await service.post('/content', { html }));
      const client = await connect(service);
      await client.close();
      disk.fill(0);
      for (const [path, body] of doors) assertDiskFull(await service.post(path, body), 'SCRATCH_DIR', path);
      const refusal = await handshake(service, '/');
      assert.is(refusal.status, 503);
      assert.match(refusal.text, 'The disk of SCRATCH_DIR is full');
      disk.clear();
      for (const [path, body] of doors) succeeded(await service.post(path, body));
    },
  ),
);

withDisk('requests succeed or report the full disk if it fills up while they run', () =>
  onSmallDisk(
    ({ path }) => ({ SCRATCH_DIR: path, TIMEOUT: '10000' }),
    async (service, disk) => {
      let isFilled = false;
      const site = createServer((_, response) => {
        if (isFilled) disk.fill(0);
        response.setHeader('content-type', 'text/html').end(html);
      }).listen(0, '127.0.0.1');
      await once(site, 'listening');
      try {
        const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
        const goto = `export default async ({ page }) => { await page.goto("${url}");`;
        const document = `mutation { goto(url: "${url}") { status } screenshot(fullPage: true) { base64 } }`;
        const doors: [path: string, body: object][] = [
          ['/screenshot', { url, options: { fullPage: true } }],
          ['/pdf', { url }],
          ['/export', { url, includeResources: true }],
          ['/function', { code: `${goto} return (await page.screenshot({ fullPage: true })).length; }` }],
          ['/chromium/bql', { query: document }],
        ];
        for (const [path, body] of doors) {
          isFilled = false;
          disk.clear();
          succeeded(await service.post(path, body));
          isFilled = true;
          const reply = await service.post(path, body);
          if (reply.status !== 200) {
            // Chromium does not report which disk is full.
            refused(reply, 503, /The disk of SCRATCH_DIR is full|A server disk is full/);
            assert.is(reply.json<{ code: string }>().code, 'storage-full', path);
            continue;
          }
          if (path !== '/chromium/bql') continue;
          const { errors = [] } = reply.json<{ errors?: { extensions: { code: string } }[] }>();
          for (const { extensions } of errors) assert.is(extensions.code, 'STORAGE_FULL');
        }
      } finally {
        site.close();
      }
    },
  ),
);

withDisk('ad-block lists that cannot be stored are reported', () =>
  onSmallDisk(
    ({ path }) => {
      writeFileSync(join(path, 'list.txt'), '||ads.example^\n');
      return { CACHE_DIR: join(path, 'cache'), AD_BLOCK_LISTS: join(path, 'list.txt') };
    },
    async (service, disk) => {
      const call = () => service.post('/content', { html }, { query: { blockAds: true } });
      disk.fill(0);
      assertDiskFull(await call(), 'CACHE_DIR', 'blockAds');
      disk.clear();
      succeeded(await call());
      const kept = readdirSync(join(disk.path, 'cache')).filter((name) => name.startsWith('ad-rules'));
      assert.is(kept.length, 1, String(kept));
    },
  ),
);

withDisk('profiles that cannot be stored are reported', () =>
  onSmallDisk(
    ({ path }) => ({ PROFILES_DIR: made(path, 'profiles'), PROFILES_KEY: profilesKey, TOKEN: 'secret-token' }),
    async (service, disk) => {
      const files = () => readdirSync(join(disk.path, 'profiles'), { recursive: true }).length;
      const state = loginAt({ url: 'http://127.0.0.1:1' });
      succeeded(await upload(service, 'first', state));
      const before = files();
      disk.fill(0);
      assertDiskFull(await upload(service, 'second', state), 'PROFILES_DIR', 'upload');
      const browser = await connect(service);
      const cdp = await (await browser.newPage()).createCDPSession();
      assert.match((await command(cdp, 'saveProfile', { name: 'third' })).error ?? '', 'The disk of PROFILES_DIR');
      assert.is(files(), before);
      disk.clear();
      assert.is((await command(cdp, 'saveProfile', { name: 'third' })).error, null);
      await browser.close();
      succeeded(await upload(service, 'second', state));
    },
  ),
);

withDisk('a recording whose last frames do not fit on the disk reports it and is cut short', () =>
  onSmallDisk(
    ({ path }) => ({ RECORDINGS_DIR: made(path, 'recordings') }),
    async (service, disk) => {
      const browser = await connect(service, '/', { record: true });
      const page = await browser.newPage();
      await move(page);
      const cdp = await page.createCDPSession();
      const { error, recordingId } = await command(cdp, 'startRecording', { frameRate: 30 });
      assert.is(error, null);
      await painted(page, 30);
      disk.fill(0);
      await painted(page, 60);
      const stopped = await command(cdp, 'stopRecording');
      assert.match(stopped.error ?? '', 'The disk of RECORDINGS_DIR is full');
      assert.is(stopped.value, null);
      const [recording] = (await listed(service)).recordings;
      assert.is(recording?.id, recordingId);
      assert.is(recording?.state, 'cut short');
      assert.match(recording?.reason ?? '', 'The disk of RECORDINGS_DIR is full');
      const names = readdirSync(join(disk.path, 'recordings'), { recursive: true }).map(String);
      assert.not.ok(
        names.some((name) => name.endsWith('.new')),
        String(names),
      );
      disk.clear();
      assert.is((await command(cdp, 'startRecording')).error, null);
      await painted(page, 30);
      assert.is((await command(cdp, 'stopRecording')).error, null);
      await browser.close();
    },
  ),
);

withDisk('a metrics period cut off by a full disk does not affect later ones', async () => {
  using disk = mountSmallDisk(megabyte);
  const file = join(disk.path, 'metrics.json');
  // The rest of the file's block has room for only the start of a line.
  writeFileSync(file, `${' '.repeat(4_000)}\n`);
  const env = { METRICS_JSON_PATH: file, SPARES: '0', HEALTH: 'false' };
  const lines = () => readFileSync(file, 'utf8').trim().split('\n');
  for (const isFull of [true, false]) {
    const service = await startService({ env });
    succeeded(await service.post('/content', { html }));
    if (isFull) disk.fill(0);
    await service.stop();
    if (isFull) assert.throws(() => JSON.parse(lines().at(-1) ?? ''));
    disk.clear();
  }
  assert.is(JSON.parse(lines().at(-1) ?? '').successful, 1);
});

withDisk('units survive when a crash cut off the last line and a full disk prevents repairing the file', async () => {
  using disk = mountSmallDisk(megabyte);
  const units = join(disk.path, 'units.jsonl');
  using tokens = tokensFile([{ name: 'one' }]);
  const token = tokenOf('one');
  const month = new Date().toISOString().slice(0, 7);
  writeFileSync(units, `${JSON.stringify({ month, units: { one: 3 } })}\n{"month":"${month}","un`);
  const env = { TOKENS_FILE: tokens.path, UNITS_FILE: units, SPARES: '0', HEALTH: 'false' };
  disk.fill(0);
  for (const expected of [3, 4]) {
    const service = await startService({ env });
    const account = await service.get('/account', { token });
    assert.is(succeeded(account).json<{ units: { used: number } }>().units.used, expected);
    disk.clear();
    if (expected === 3) succeeded(await service.post('/content', { html }, { token }));
    await service.stop();
  }
});
