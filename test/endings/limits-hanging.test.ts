// Time limits hold at every entry point when the browser never starts, stops responding after any message, or is
// stopped: the response arrives within a second after the limit, the slot is free by then, and nothing is left behind
// in the end.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { processTree, stillAlive } from '../support/processes.ts';
import { shellExecutable } from '../support/checks/reader.ts';
import { type ServerProcess, type ProcessOptions, startProcess } from '../support/service.ts';
import {
  chromiumEntryPoints,
  type Ending,
  firefoxEntryPoint,
  running,
  workingEntryPoints,
  writeProgram,
} from '../support/clients/slow-entry-points.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('limits whatever the browser does', { timeoutMs: 180_000 });
const { BROWSERD_TEST_DIR: directory = '/tmp' } = process.env;
const programs = join(directory, `programs-${process.pid}`);
test.after(() => rmSync(programs, { recursive: true, force: true }));

/** How long after its limit a response may arrive, in milliseconds. */
const lateMs = 1_000;

const isBrowser = ({ command }: { command: string }) => /--user-data-dir|-profile/.test(command);
const mainBrowser = (of: ServerProcess) =>
  processTree(of.pid).find((one) => isBrowser(one) && !one.command.includes('--type='));

async function withService<T>(options: ProcessOptions, work: (service: ServerProcess) => Promise<T>): Promise<T> {
  const service = await startProcess(options);
  try {
    return await work(service);
  } finally {
    // Also checks for leftover processes and directories.
    await service.stop();
  }
}

/** Slow endings. They run alongside the tests that follow; the last test checks that they completed. */
const ends: Promise<void>[] = [];

/** Like `withService`, but the work returns what to wait for before the stop. */
async function withLateEnd(
  options: ProcessOptions,
  work: (service: ServerProcess) => Promise<() => Promise<unknown>>,
): Promise<void> {
  const service = await startProcess(options);
  const wait = await work(service).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const end = async () => {
    await wait().finally(() => service.stop());
  };
  const ended = end();
  ended.catch(() => undefined);
  ends.push(ended);
}

const isEmpty = ({ dataDir, scratchDir, downloadDir }: ServerProcess) =>
  [dataDir, scratchDir, downloadDir].every((path) => readdirSync(path).length === 0);

function inTime(what: string, { status, text, ms }: Ending, limitMs: number): void {
  assert.ok(ms <= limitMs + lateMs, `${what}: ${status} after ${Math.round(ms)} ms of ${limitMs} ms`);
  if (status !== 200 && status !== 101) assert.is(status, 408, `${what}: ${status} ${text}`);
}

let hangs: string | undefined;
const hanging = () => {
  const path = (hangs ??= writeProgram(programs, 'hangs', 'exec sleep 1000'));
  return { SHELL_PATH: path, CHROMIUM_PATH: path, FIREFOX_PATH: path, SPARES: '0', CONCURRENT: '50' };
};

test('a browser that hangs at startup does not hold an endpoint beyond its time limit', () =>
  withLateEnd({ env: hanging() }, async (service) => {
    const limitMs = 1_500;
    await Promise.all(
      Object.entries({ ...chromiumEntryPoints, Firefox: firefoxEntryPoint }).map(async ([name, endpoint]) => {
        const ending = await endpoint(service, { timeout: limitMs });
        inTime(name, ending, limitMs);
        assert.is(ending.status, 408, name);
        assert.match(ending.text, /timed out after 1500 ms: it was waiting for a browser/, name);
        if (name === '/chromium/bql') {
          assert.equal(JSON.parse(ending.text).data, { setContent: null, title: null });
        }
      }),
    );
    await until('all slots to be free', async () => (await running(service)) === 0, lateMs);
    await until(
      'its sessions to be gone',
      async () => (await service.get('/sessions')).json<[]>().length === 0,
      lateMs,
    );
    // Unshared starts end when their request does; the shared one ends at the time limit for starts.
    return () => until('all leftovers to be gone', () => isEmpty(service), 40_000);
  }));

test('shutdown kills browsers that hang at startup', async () => {
  const service = await startProcess({ env: hanging() });
  const stopLimitMs = 5_000;
  let stopping = 0;
  try {
    for (const endpoint of ['/content', 'a CDP socket']) {
      assert.is((await chromiumEntryPoints[endpoint]?.(service, { timeout: 300 }))?.status, 408, endpoint);
    }
  } finally {
    stopping = idleNow();
    await service.stop();
  }
  const tookMs = idleNow() - stopping;
  assert.ok(tookMs < stopLimitMs, `the stop took ${Math.round(tookMs)} ms`);
});

test('a client that disconnects while its browser hangs frees its slot within a second', () =>
  withService({ env: hanging() }, async (service) => {
    // The first request for the slots starts the shared browser, which hangs until its own limit.
    assert.is(await running(service), 0);
    const shared = new Set(service.leftovers().files);
    const launch = JSON.stringify({ args: ['--lang=de'] });
    for (const path of ['/content', '/function', '/performance', '/chromium/bql']) {
      const leave = new AbortController();
      const body = {
        '/function': { code: 'export default () => 1' },
        '/chromium/bql': { query: 'mutation { url { url } }' },
      };
      const call = service
        .post(path, body[path as keyof typeof body] ?? { url: 'https://example.com/' }, {
          query: { launch },
          signal: leave.signal,
        })
        .catch(() => 'gone');
      await until(`${path} to run`, async () => (await running(service)) === 1);
      leave.abort();
      assert.is(await call, 'gone');
      await until(`${path}: its slot to be free`, async () => (await running(service)) === 0, lateMs);
    }
    await until('all leftovers to be gone', () => service.leftovers().files.every((file) => shared.has(file)));
  }));

const everything = 100_000;
/**
 * A request has five to about two hundred messages. Outside CI, tests the first twelve counts and then fewer; in CI,
 * where time is short, every sixth of them, all at the same time.
 */
const messageCounts = [...Array(12).keys(), 14, 17, 20, 23, 27, 36, 48, 64, 80, 96, 120, 160, 200, everything].filter(
  (count, index) => process.env['CI'] !== 'true' || count === everything || index % 6 === 1,
);
/** Nearly all of them merely wait for their limit. */
const callsAtOnce = 9;

test(
  'time limits hold when a browser stops responding after any of its messages',
  async () => {
    const script = join(import.meta.dirname, '../support/fixtures/halting-browser.js');
    const path = writeProgram(
      programs,
      'halts',
      `exec '${process.execPath}' '${script}' '${await shellExecutable()}' "$@"`,
    );
    await withService({ env: { SHELL_PATH: path, SPARES: '0' } }, async (service) => {
      for (const [name, endpoint] of Object.entries(workingEntryPoints)) {
        let answered = 0;
        for (let at = 0; at < messageCounts.length && answered === 0; at += callsAtOnce) {
          const endings = await Promise.all(
            messageCounts.slice(at, at + callsAtOnce).map(async (messages) => {
              // Without a stop, the request completes, even on a busy machine.
              const limitMs = messages === everything ? 20_000 : 2_000;
              const launch = JSON.stringify({ args: [`--lang=n-${messages}`] });
              const ending = await endpoint(service, { timeout: limitMs, launch });
              inTime(`${name} after ${messages} messages`, ending, limitMs);
              return ending;
            }),
          );
          answered = endings.filter(({ status }) => status < 400).length;
          // Clients close the sockets that opened.
          await until(`${name}: its slots to be free`, async () => (await running(service)) === 0, lateMs);
        }
        assert.ok(answered > 0, `${name} never completed`);
      }
      await until('all leftovers to be gone', () => service.leftovers().files.length === 0);
      assert.equal(service.tree().filter(isBrowser), []);
    });
  },
  { timeoutMs: 600_000 },
);

for (const spares of [0, 2]) {
  test(`a stopped shared browser is replaced, with ${spares} spare pages`, () =>
    withService({ env: { SPARES: String(spares) } }, async (service) => {
      succeeded(await service.post('/content', { html: 'x' }));
      const frozen = mainBrowser(service);
      assert.ok(frozen);
      process.kill(frozen.pid, 'SIGSTOP');
      const patient = service.post('/content', { html: 'patient' }, { query: { timeout: 30_000 } });
      const call = chromiumEntryPoints['/content'];
      for (const ending of await Promise.all([1, 2, 3, 4].map(() => call?.(service, { timeout: 2_000 })))) {
        assert.ok(ending);
        inTime('a call', ending, 2_000);
        assert.is(ending.status, 408);
      }
      await until(
        'the hang to be detected',
        () => service.logs().some(({ event }) => event === 'browser.unresponsive'),
        12_000,
      ).catch(() => undefined);
      // Whether or not the hang has been detected yet: this request waits for that or receives its page elsewhere.
      const began = idleNow();
      succeeded(await service.post('/content', { html: 'later' }, { query: { timeout: 10_000 } }));
      assert.ok(idleNow() - began < 10_000);
      succeeded(await patient);
      await until('the stopped browser to be gone', () => stillAlive([frozen]).length === 0, 25_000);
      assert.is(await running(service), 0);
    }));
}

for (const own of [false, true]) {
  test(`a document in a stopped browser, ${own ? 'its own' : 'a shared one'}: the response arrives in time`, () =>
    withLateEnd({ env: { SPARES: '0' } }, async (service) => {
      const limitMs = 4_000;
      const first = own ? 'switchToWindow(newest: true, timeout: 1) { success }' : 'evaluate(content: "42") { value }';
      const query = `mutation { ${first} waitForTimeout(time: 2000) { time } text(selector: "#x") { text } title { title } }`;
      const began = idleNow();
      const isolation = own ? 'process' : 'context';
      const call = service.post('/chromium/bql', { query }, { query: { timeout: limitMs, isolation } });
      await until('the document to run', async () => (await service.get('/sessions')).json<unknown[]>().length > 0);
      // Browsers for clients start with a page open.
      const found = () =>
        own
          ? processTree(service.pid).find((one) => isBrowser(one) && one.command.includes(' about:blank'))
          : mainBrowser(service);
      const browser = await until('its browser', found);
      process.kill(browser.pid, 'SIGSTOP');
      const { status, text } = await call;
      inTime('a document', { status, text, ms: idleNow() - began }, limitMs);
      const { data, errors } = JSON.parse(text);
      assert.equal([status, data.text, data.title], [408, null, null], text);
      assert.match(errors.at(-1).message, 'title did not run: Request has timed out');
      await until('its slot to be free', async () => (await running(service)) === 0, lateMs);
      return () => until('the stopped browser to be gone', () => stillAlive([browser]).length === 0, 40_000);
    }));
}

test("returns 408 if a session's browser is stopped while a client reconnects", () =>
  withService({}, async (service) => {
    const { id } = (await service.post('/session', { processKeepAlive: 60_000 })).json<{ id: string }>();
    const connect = chromiumEntryPoints['a CDP socket'];
    assert.ok(connect);
    const { handshake } = await import('../support/clients/clients.ts');
    assert.is((await handshake(service, `/session/connect/${id}`)).status, 101);
    // Browsers for clients start with a page open.
    const browser = processTree(service.pid).find(
      ({ command }) => command.includes(' about:blank') && !command.includes('--type='),
    );
    assert.ok(browser);
    process.kill(browser.pid, 'SIGSTOP');
    const began = idleNow();
    const { status } = await handshake(service, `/session/connect/${id}`, { timeout: 1_500 });
    assert.is(status, 408);
    assert.ok(idleNow() - began < 2_500);
    const deleting = idleNow();
    assert.is((await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } })).status, 204);
    assert.ok(idleNow() - deleting < 5_000);
    assert.is(await running(service), 0);
  }));

test.proves('AD_BLOCK_LISTS');
test('a file that cannot be fully read delays a request only until its time limit', async () => {
  const pipe = join(programs, 'list');
  writeProgram(programs, 'none', '');
  execFileSync('mkfifo', [pipe]);
  await withService({ env: { AD_BLOCK_LISTS: pipe } }, async (service) => {
    for (const path of ['/content', '/chromium/bql', '/function']) {
      const body =
        path === '/content'
          ? { html: 'x' }
          : path === '/function'
            ? { code: 'export default () => 1' }
            : { query: 'mutation { url { url } }' };
      const began = idleNow();
      refused(await service.post(path, body, { query: { blockAds: true, timeout: 1_500 } }), 408);
      assert.ok(idleNow() - began < 1_500 + lateMs);
      await until('its slot to be free', async () => (await running(service)) === 0, lateMs);
    }
    const socket = await chromiumEntryPoints['a CDP socket']?.(service, { blockAds: true, timeout: 1_500 });
    assert.ok(socket);
    inTime('a CDP socket', socket, 1_500);
    assert.is(socket.status, 408);
  });
});

test('slow shutdowns also finish and leave nothing behind', async () => {
  assert.is(ends.length, 3);
  await Promise.all(ends);
});
