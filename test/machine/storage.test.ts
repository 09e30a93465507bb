// Failed starts leave nothing behind, and the error for a full disk says which setting and what to do. The server
// recovers automatically once there is space.
// @tier ci
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createScratchSpace } from '../../src/browser/processes/directories.ts';
import { ServiceError } from '../../src/base/errors.ts';
import type { Reply } from '../support/clients/http.ts';
import { endAll } from '../support/clients/clients.ts';
import { fileNames, openSession, putFile, token } from '../support/clients/session-files.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { installed } from '../support/programs.ts';
import { type Service, startService } from '../support/service.ts';
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('storage');
const megabyte = 2 ** 20;
const withDisk = test.unless(noSmallDisk());
const full = installed('chromium');
const page = { html: '<h1>there is room</h1>' };
/** A harmless launch option that gives the request its own browser. */
const ownBrowser = { launch: JSON.stringify({ args: ['--lang=fr'] }) };

async function withService(env: Record<string, string>, use: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ env: { SPARES: '0', HEALTH: 'false', ...env } });
  await use(service);
}

async function onSmallDisk(bytes: number, use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  using disk = mountSmallDisk(bytes);
  await use(disk);
}

test.peer('management and settings', 'scratch directories: under their root; a root that is not writable is an error');
test('either all directories are created or none', () =>
  withService({}, async ({ baseDir }) => {
    const good = join(baseDir, 'good');
    const file = join(baseDir, 'file');
    mkdirSync(good);
    writeFileSync(file, 'a file in the place of a directory');
    const codes: string[] = [];
    for (const [data, scratch, own] of [
      [good, file, undefined],
      [file, good, undefined],
      [good, good, join(file, 'profile')],
      [good, good, file],
      [good, good, join(good, 'x'.repeat(300))],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const error = await createScratchSpace(data, scratch, own).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        assert.instance(error, ServiceError);
        if (error instanceof ServiceError) codes.push(error.code);
      }
      assert.equal(readdirSync(good), [], `${data} ${scratch} ${own}`);
    }
    assert.equal([...new Set(codes)], ['launch-failed', 'invalid-launch']);
    rmSync(good, { recursive: true });
    rmSync(file);
  }));

test.peer('management and settings');
test('a browser that cannot be started or dies immediately leaves nothing behind', async () => {
  for (const script of [
    '#!/bin/sh\nexit 3\n',
    '#!/bin/sh\nmkdir -p "$TMPDIR/left"; kill -9 $$\n',
    'no program at all',
  ]) {
    await withService({}, async (first) => {
      const path = join(first.baseDir, 'browser');
      writeFileSync(path, script);
      chmodSync(path, 0o755);
      await withService({ CHROMIUM_PATH: path, SHELL_PATH: path }, async (service) => {
        for (let round = 0; round < 3; round++) {
          refused(await service.post('/content', page), 500, 'The browser could not be started');
          refused(await service.post('/content', page, { query: ownBrowser }), 500, 'The browser could not be started');
        }
        assert.equal(service.leftovers().files, []);
      });
    });
  }
});

for (const setting of ['DATA_DIR', 'SCRATCH_DIR'] as const) {
  test.proves(setting);
  withDisk(`a full disk of ${setting} is reported, leaves nothing behind, and recovers automatically`, () =>
    onSmallDisk(64 * megabyte, (disk) =>
      withService({ [setting]: disk.path }, async (service) => {
        const assertDiskFull = (reply: Reply) => {
          refused(reply, 503, `The disk of ${setting} is full`, 'Free up space on it', `set ${setting} to`);
          assert.is(reply.json<{ code: string }>().code, 'storage-full');
          assert.ok(Number(reply.headers['retry-after']) > 0);
        };
        for (const free of [0, 4 * 1024, megabyte]) {
          disk.fill(free);
          for (const args of [['--lang=fr'], ['--lang=de']]) {
            const query = { launch: JSON.stringify({ args, headless: full ? true : 'shell' }) };
            const reply = await service.post('/content', page, { query });
            // The headless shell needs almost no space, so a request may succeed.
            if (free === 0 || reply.status !== 200) assertDiskFull(reply);
          }
          await until('the files of exited browsers to be removed', () => readdirSync(disk.path).length === 1);
        }
        disk.clear();
        succeeded(await service.post('/content', page, { query: ownBrowser }));
      }),
    ),
  );
}

test.proves('DOWNLOAD_DIR');
withDisk('a download that does not fit on the disk is reported', () =>
  onSmallDisk(16 * megabyte, (disk) =>
    withService({ DOWNLOAD_DIR: disk.path }, async (service) => {
      const code = `export default async ({ page }) => {
        await page.setContent('<a download="big.bin">get</a>');
        await page.evaluate(() => {
          document.querySelector('a').href = URL.createObjectURL(new Blob([new Uint8Array(12 * 2 ** 20)]));
        });
        await page.click('a');
      }`;
      const headers = { 'content-type': 'application/javascript' };
      disk.fill(10 * megabyte);
      refused(await service.post('/download', code, { headers }), 503, 'The disk of DOWNLOAD_DIR is full');
      disk.fill(0);
      refused(await service.post('/download', code, { headers }), 503, 'The disk of DOWNLOAD_DIR is full');
      disk.clear();
      assert.is(succeeded(await service.post('/download', code, { headers })).bytes.length, 12 * megabyte);
    }),
  ),
);

withDisk('an upload that fills the disk is reported and removed', () =>
  onSmallDisk(64 * megabyte, (disk) =>
    withService({ SCRATCH_DIR: disk.path, TOKEN: token }, async (service) => {
      const { id } = await openSession(service);
      const upload = { name: 'large.bin', body: new Uint8Array(2 * megabyte) };
      disk.fill(megabyte);
      const headers = { accept: 'application/json' };
      const reply = await putFile(service, id, { ...upload, headers });
      refused(reply, 503, 'The disk of SCRATCH_DIR is full', 'set SCRATCH_DIR to');
      assert.is(reply.json<{ code: string }>().code, 'storage-full');
      assert.equal(await fileNames(service, id), []);
      disk.clear();
      assert.is((await putFile(service, id, upload)).status, 201);
      assert.equal(await fileNames(service, id), ['large.bin']);
      await endAll(service);
    }),
  ),
);

withDisk('every endpoint reports that a browser could not write to a full disk', () =>
  onSmallDisk(64 * megabyte, (disk) =>
    withService({ SCRATCH_DIR: disk.path }, async (service) => {
      const html = `<h1>text</h1>${'<p>more</p>'.repeat(500)}`;
      const set = 'await page.setContent("<a download=a.txt href=\'data:text/plain,abc\'>x</a>");';
      const doors: [path: string, body: object][] = [
        ['/pdf', { html }],
        ['/chromium/pdf', { html, options: { format: 'A3' } }],
        ['/function', { code: `export default async ({ page }) => { ${set} return (await page.pdf()).length; }` }],
        ['/download', { code: `export default async ({ page }) => { ${set} await page.click('a'); }` }],
        ['/chromium/bql', { query: 'mutation { content(html: "<h1>x</h1>") { status } pdf { base64 } }' }],
      ];
      for (const [path, body] of doors) succeeded(await service.post(path, body));
      disk.fill(0);
      const replies = await Promise.all(doors.map(([path, body]) => service.post(path, body)));
      for (const [at, reply] of replies.entries()) {
        assert.is(reply.status, 503, `${doors[at]?.[0]}: ${reply.status} ${reply.text}`);
        assert.is(reply.json<{ code: string }>().code, 'storage-full');
        assert.match(reply.text, /SCRATCH_DIR/);
      }
      disk.clear();
      for (const [path, body] of doors) succeeded(await service.post(path, body));
    }),
  ),
);
