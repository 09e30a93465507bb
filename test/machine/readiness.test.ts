// /pressure reports readiness truthfully: if the browser is missing, hanging or stopped, the disk is full or slots are
// stuck, it says that the server is not ready and why. It recovers automatically, and frequent requests to it are
// cheap. Liveness is unaffected.
// @tier ci
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { shellExecutable } from '../support/checks/reader.ts';
import { writeProgram } from '../support/clients/slow-entry-points.ts';
import { idleNow } from '../support/idle-clock.ts';
import { type Service, startService } from '../support/service.ts';
import { mountSmallDisk, noSmallDisk } from '../support/small-disk.ts';
import { startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('readiness', { timeoutMs: 150_000 });
const page = { html: '<h1>served</h1>' };
const directory = temporaryDirectory();

interface Pressure {
  isAvailable: boolean;
  reason: string;
  message: string;
  running: number;
}

const ask = async (service: Service) => (await service.get('/pressure')).json<{ pressure: Pressure }>().pressure;

async function withService(env: Record<string, string>, use: (service: Service) => Promise<void>): Promise<void> {
  await using service = await startService({ env: { HEALTH: 'false', ...env } });
  await use(service);
}

/** Waits until the server reports that it is unavailable for this reason, while it is still alive. */
async function notReady(service: Service, reason: string, message: RegExp, limitMs = 40_000): Promise<void> {
  const state = await until(
    `the reason ${reason}`,
    async () => {
      const now = await ask(service);
      return !now.isAvailable && now;
    },
    limitMs,
  );
  assert.is(state.reason, reason);
  assert.match(state.message, message);
  refused(await service.get('/pressure', { headers: { accept: 'text/plain' } }), 503, message);
  assert.is((await service.get('/active')).status, 204);
  assert.is((await service.get('/ready')).status, 503);
  assert.is((await service.get('/healthz')).status, 200);
}

async function ready(service: Service, limitMs = 40_000): Promise<void> {
  await until('the server to be ready', async () => (await ask(service)).isAvailable, limitMs);
  assert.is((await service.get('/pressure', { headers: { accept: 'text/plain' } })).status, 200);
  assert.is((await service.get('/ready')).text, 'ready\n');
}

/** The pid of the shared browser's main process. */
function browserOf(service: Service): number {
  const found = service.tree().find(({ command }) => /chrom|headless/i.test(command) && !command.includes('--type='));
  assert.ok(found !== undefined, 'no browser is running');
  return found.pid;
}

/** Runs a server whose browser is a program, or missing; `install` puts the real browser there. */
async function withBrowser(path: string, use: (service: Service, install: () => void) => Promise<void>): Promise<void> {
  const real = await shellExecutable();
  const install = () => {
    rmSync(path, { force: true });
    symlinkSync(real, path);
  };
  await withService({ SHELL_PATH: path, CHROMIUM_PATH: path }, (service) => use(service, install)).finally(() =>
    rmSync(path, { force: true }),
  );
}

for (const isolation of ['context', 'process']) {
  test(`an idle server reports that it is ready without counting requests, isolation ${isolation}`, () =>
    withService({ ISOLATION: isolation }, async (service) => {
      await ready(service);
      const browsers = () => service.tree().filter(({ command }) => /--remote-debugging-pipe/.test(command)).length;
      const began = idleNow();
      for (let round = 0; round < 10; round++) {
        const states = await Promise.all(Array.from({ length: 10 }, () => ask(service)));
        assert.ok(states.every(({ isAvailable, running }) => isAvailable && running === 0));
      }
      const took = idleNow() - began;
      assert.ok(took < 1_500, `${took} ms for a hundred responses`);
      assert.ok(browsers() < 8, `${browsers()} browser processes`);
      const total = (await service.get('/metrics/total')).json<Record<string, number>>();
      assert.equal([total['successful'], total['error']], [0, 0]);
      assert.equal((await service.get('/sessions')).json<unknown[]>(), []);
    }));
}

test('a missing browser is reported from the first response until a request succeeds', () =>
  withBrowser(join(directory, 'missing-browser'), async (service, install) => {
    await notReady(service, 'browser', /SHELL_PATH names .*not an executable file/);
    install();
    succeeded(await service.post('/content', page));
    await ready(service, 1_000);
    rmSync(service.env['SHELL_PATH'] ?? '');
    // The running browser is enough; once it is killed, there is no browser.
    process.kill(browserOf(service), 'SIGKILL');
    await until(
      'a request to fail without a browser',
      async () => (await service.post('/content', page)).status !== 200,
    );
    await notReady(service, 'browser', /could not be started|not an executable/);
    install();
    succeeded(await service.post('/content', page));
    await ready(service);
  }));

test('a browser that hangs at startup is reported', () =>
  withBrowser(writeProgram(directory, 'hanging-browser', 'exec sleep 1000'), async (service, install) => {
    await notReady(service, 'browser', /could not open a page within 5 seconds/);
    install();
    // A successful request proves more than a page opened for the check.
    await until('a request to succeed', async () => (await service.post('/content', page)).status === 200, 60_000);
    await ready(service, 1_000);
  }));

test('a stopped browser is reported and replaced', () =>
  withService({}, async (service) => {
    await ready(service);
    const stopped = browserOf(service);
    process.kill(stopped, 'SIGSTOP');
    await notReady(service, 'browser', /could not open a page|failed to open a page/);
    await ready(service, 90_000);
    assert.is.not(browserOf(service), stopped);
    succeeded(await service.post('/content', page));
  }));

test.unless(noSmallDisk())('a full disk is reported with its setting until there is space again', async () => {
  using disk = mountSmallDisk(32 * 2 ** 20);
  await withService({ SCRATCH_DIR: disk.path }, async (service) => {
    await ready(service);
    disk.fill(0);
    await notReady(service, 'disk', /The disk of SCRATCH_DIR is full: 0\.0 MB free/);
    disk.clear();
    await ready(service);
  });
});

test('slots that requests never release are reported', async () => {
  await using site = await startSite();
  await withService({ CONCURRENT: '2', QUEUED: '5', TIMEOUT: '1000' }, async (service) => {
    // TIMEOUT also applies to /pressure, which starts a browser when none has served a request yet.
    succeeded(await service.post('/content', page, { query: { timeout: 60_000 } }));
    const stuck = [1, 2].map(() =>
      service.post('/content', { url: `${site.url}/hang` }, { query: { timeout: 30_000 } }),
    );
    await until('both slots to be taken', async () => (await ask(service)).running === 2);
    assert.ok((await ask(service)).isAvailable, 'slots that have just been taken are not reported');
    await notReady(service, 'slots', /All 2 slots have been in use for \d+ seconds/);
    assert.is((await service.get('/kill/all')).status, 204);
    await Promise.all(stuck);
    await ready(service);
  });
});
