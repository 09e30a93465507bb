// Time limits hold at every entry point when the browser never starts, stops responding after any message, or is
// stopped: the response arrives within a second after the limit, the slot is free by then, and nothing is left behind
// in the end.
// @tier ci
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type ProcessInfo, processesMentioning, stillAlive } from '../support/processes.ts';
import { shellExecutable } from '../support/checks/reader.ts';
import { type Service, startProcess, startService, stopAll } from '../support/service.ts';
import { handshake } from '../support/clients/clients.ts';
import {
  chromiumEntryPoints,
  type Ending,
  firefoxEntryPoint,
  running,
  workingEntryPoints,
  writeProgram,
} from '../support/clients/slow-entry-points.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('limits whatever the browser does', { timeoutMs: 180_000 });
const programs = temporaryDirectory();

/** How long after its limit a response may arrive, in milliseconds. */
const lateMs = 1_000;

const isMain = ({ command }: ProcessInfo) => /--user-data-dir|-profile/.test(command) && !command.includes('--type=');
/** The main processes of a server's browsers: several servers run in this process. */
const browsersOf = (of: Service) => processesMentioning(of.baseDir).filter(isMain);
/** Stopped browsers, which the server kills some time after their requests. */
const stopped: ProcessInfo[] = [];
/** A browser for one client that is not stopped: it starts with a page open. */
const clientBrowser = (of: Service) =>
  browsersOf(of).find(
    ({ pid, command }) => command.includes(' about:blank') && !stopped.some((one) => one.pid === pid),
  );

function inTime(what: string, { status, text, ms }: Ending, limitMs: number): void {
  assert.ok(ms <= limitMs + lateMs, `${what}: ${status} after ${Math.round(ms)} ms of ${limitMs} ms`);
  if (status !== 200 && status !== 101) assert.is(status, 408, `${what}: ${status} ${text}`);
}

/** Starts a server whose browsers hang at startup. */
const startHanging = () => {
  const path = writeProgram(programs, 'hangs', 'exec sleep 1000');
  return startService({
    env: { SHELL_PATH: path, CHROMIUM_PATH: path, FIREFOX_PATH: path, SPARES: '0', CONCURRENT: '50' },
  });
};

let hanging: Service;
/** A server whose browsers start, for tests that stop them. */
let service: Service;
test.before(async () => {
  hanging = await startHanging();
  service = await startService({ env: { SPARES: '0' } });
});
test.after(() => stopAll(hanging, service));

test('a browser that hangs at startup does not hold an endpoint beyond its time limit', async () => {
  const limitMs = 1_500;
  await Promise.all(
    Object.entries({ ...chromiumEntryPoints, Firefox: firefoxEntryPoint }).map(async ([name, endpoint]) => {
      const ending = await endpoint(hanging, { timeout: limitMs });
      inTime(name, ending, limitMs);
      assert.is(ending.status, 408, name);
      assert.match(ending.text, /timed out after 1500 ms: it was waiting for a browser/, name);
      if (name === '/chromium/bql') {
        assert.equal(JSON.parse(ending.text).data, { setContent: null, title: null });
      }
    }),
  );
  await until('all slots to be free', async () => (await running(hanging)) === 0, lateMs);
  await until('its sessions to be gone', async () => (await hanging.get('/sessions')).json<[]>().length === 0, lateMs);
});

test('shutdown kills browsers that hang at startup', async () => {
  const ending = await startHanging();
  const stopLimitMs = 5_000;
  let stopping = 0;
  try {
    for (const endpoint of ['/content', 'a CDP socket']) {
      assert.is((await chromiumEntryPoints[endpoint]?.(ending, { timeout: 300 }))?.status, 408, endpoint);
    }
  } finally {
    stopping = idleNow();
    await ending.stop();
  }
  const tookMs = idleNow() - stopping;
  assert.ok(tookMs < stopLimitMs, `the stop took ${Math.round(tookMs)} ms`);
});

test('a client that disconnects while its browser hangs frees its slot within a second', async () => {
  // The first request for the slots starts the shared browser, which hangs until its own limit.
  assert.is(await running(hanging), 0);
  const shared = new Set(hanging.leftovers().files);
  const launch = JSON.stringify({ args: ['--lang=de'] });
  for (const path of ['/content', '/function', '/performance', '/chromium/bql']) {
    const leave = new AbortController();
    const body = {
      '/function': { code: 'export default () => 1' },
      '/chromium/bql': { query: 'mutation { url { url } }' },
    };
    const call = hanging
      .post(path, body[path as keyof typeof body] ?? { url: 'https://example.com/' }, {
        query: { launch },
        signal: leave.signal,
      })
      .catch(() => 'gone');
    await until(`${path} to run`, async () => (await running(hanging)) === 1);
    leave.abort();
    assert.is(await call, 'gone');
    await until(`${path}: its slot to be free`, async () => (await running(hanging)) === 0, lateMs);
  }
  await until('all leftovers to be gone', () => hanging.leftovers().files.every((file) => shared.has(file)));
});

const everything = 100_000;
/** A request has five to about two hundred messages. Each entry point is tested with every sixth of these counts. */
const messageCounts = [...Array(12).keys(), 14, 17, 20, 23, 27, 36, 48, 64, 80, 96, 120, 160, 200];

test('time limits hold when a browser stops responding after any of its messages', async () => {
  const script = join(import.meta.dirname, '../support/fixtures/halting-browser.js');
  const path = writeProgram(
    programs,
    'halts',
    `exec '${process.execPath}' '${script}' '${await shellExecutable()}' "$@"`,
  );
  // At the end of its block, a server is also checked for leftover processes and directories.
  await using halting = await startService({ env: { SHELL_PATH: path, SPARES: '0' } });
  for (const [at, [name, endpoint]] of Object.entries(workingEntryPoints).entries()) {
    const counts = messageCounts.filter((_, index) => index % 6 === at % 6);
    // Nearly all of them merely wait for their limit.
    const endings = await Promise.all(
      [...counts, everything].map(async (messages) => {
        // Without a stop, the request completes, even on a busy machine.
        const limitMs = messages === everything ? 20_000 : 2_000;
        const launch = JSON.stringify({ args: [`--lang=n-${messages}`] });
        const ending = await endpoint(halting, { timeout: limitMs, launch });
        inTime(`${name} after ${messages} messages`, ending, limitMs);
        return ending;
      }),
    );
    // Clients close the sockets that opened.
    await until(`${name}: its slots to be free`, async () => (await running(halting)) === 0, lateMs);
    assert.ok(
      endings.some(({ status }) => status < 400),
      `${name} never completed`,
    );
  }
  await until('all leftovers to be gone', () => halting.leftovers().files.length === 0);
  assert.equal(browsersOf(halting), []);
});

for (const spares of [0, 2]) {
  test(`a stopped shared browser is replaced, with ${spares} spare pages`, async () => {
    await using replacing = await startService({ env: { SPARES: String(spares) } });
    succeeded(await replacing.post('/content', { html: 'x' }));
    const [frozen] = browsersOf(replacing);
    assert.ok(frozen);
    process.kill(frozen.pid, 'SIGSTOP');
    const patient = replacing.post('/content', { html: 'patient' }, { query: { timeout: 30_000 } });
    const call = chromiumEntryPoints['/content'];
    for (const ending of await Promise.all([1, 2, 3, 4].map(() => call?.(replacing, { timeout: 2_000 })))) {
      assert.ok(ending);
      inTime('a call', ending, 2_000);
      assert.is(ending.status, 408);
    }
    await until(
      'the hang to be detected',
      () => replacing.logs().some(({ event }) => event === 'browser.unresponsive'),
      12_000,
    ).catch(() => undefined);
    // Whether or not the hang has been detected yet: this request waits for that or receives its page elsewhere.
    const began = idleNow();
    succeeded(await replacing.post('/content', { html: 'later' }, { query: { timeout: 10_000 } }));
    assert.ok(idleNow() - began < 10_000);
    succeeded(await patient);
    await until('the stopped browser to be gone', () => stillAlive([frozen]).length === 0, 25_000);
    assert.is(await running(replacing), 0);
  });
}

for (const own of [false, true]) {
  test(`a document in a stopped browser, ${own ? 'its own' : 'a shared one'}: the response arrives in time`, async () => {
    const limitMs = 4_000;
    const first = own ? 'switchToWindow(newest: true, timeout: 1) { success }' : 'evaluate(content: "42") { value }';
    const query = `mutation { ${first} waitForTimeout(time: 2000) { time } text(selector: "#x") { text } title { title } }`;
    const began = idleNow();
    const isolation = own ? 'process' : 'context';
    const call = service.post('/chromium/bql', { query }, { query: { timeout: limitMs, isolation } });
    await until('the document to run', async () => (await service.get('/sessions')).json<unknown[]>().length > 0);
    const browser = await until('its browser', () => (own ? clientBrowser(service) : browsersOf(service)[0]));
    stopped.push(browser);
    process.kill(browser.pid, 'SIGSTOP');
    const { status, text } = await call;
    inTime('a document', { status, text, ms: idleNow() - began }, limitMs);
    const { data, errors } = JSON.parse(text);
    assert.equal([status, data.text, data.title], [408, null, null], text);
    assert.match(errors.at(-1).message, 'title did not run: Request has timed out');
    await until('its slot to be free', async () => (await running(service)) === 0, lateMs);
  });
}

test("returns 408 if a session's browser is stopped while a client reconnects", async () => {
  const { id } = (await service.post('/session', { processKeepAlive: 60_000 })).json<{ id: string }>();
  assert.is((await handshake(service, `/session/connect/${id}`)).status, 101);
  const browser = clientBrowser(service);
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
});

test.proves('AD_BLOCK_LISTS');
test('a file that cannot be fully read delays a request only until its time limit', async () => {
  const pipe = join(programs, 'list');
  writeProgram(programs, 'none', '');
  execFileSync('mkfifo', [pipe]);
  // A process: the read that never ends keeps a thread busy.
  await using reading = await startProcess({ env: { AD_BLOCK_LISTS: pipe } });
  for (const path of ['/content', '/chromium/bql', '/function']) {
    const body =
      path === '/content'
        ? { html: 'x' }
        : path === '/function'
          ? { code: 'export default () => 1' }
          : { query: 'mutation { url { url } }' };
    const began = idleNow();
    refused(await reading.post(path, body, { query: { blockAds: true, timeout: 1_500 } }), 408);
    assert.ok(idleNow() - began < 1_500 + lateMs);
    await until('its slot to be free', async () => (await running(reading)) === 0, lateMs);
  }
  const socket = await chromiumEntryPoints['a CDP socket']?.(reading, { blockAds: true, timeout: 1_500 });
  assert.ok(socket);
  inTime('a CDP socket', socket, 1_500);
  assert.is(socket.status, 408);
});

test('nothing is left of hanging starts and stopped browsers', async () => {
  await until('the stopped browsers to be gone', () => stillAlive(stopped).length === 0, 40_000);
  // Unshared starts end when their request does; the shared one ends at the time limit for starts.
  await until('all leftovers to be gone', () => hanging.leftovers().files.length === 0, 40_000);
});
