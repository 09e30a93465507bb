// The ending matrix: every way a request or session can end, for each kind. Afterward nothing is left of it (no
// process, zombie, directory, slot, entry), the client saw what is documented, and another client noticed nothing.
// @tier ci
import { existsSync, readdirSync, rmSync } from 'node:fs';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { rawClient, type RawClient, socketUrl } from '../support/clients/clients.ts';
import {
  type CallKind,
  callKinds,
  openCall,
  type OpenCall,
  type OpenOptions,
  timesLoaded,
} from '../support/clients/open-calls.ts';
import { fixtureSuite } from '../support/fixture.ts';
import {
  endProcesses,
  type ProcessInfo,
  processesMentioning,
  processTree,
  stillAlive,
  zombiesOf,
} from '../support/processes.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('ending matrix', {
  timeoutMs: 180_000,
  env: { CONCURRENT: '10', SPARES: '0', ALLOWED_LAUNCH_ARGS: 'test-call' },
});
let otherClient: RawClient;
let otherTree: ProcessInfo[];

/** The close code or response that a client sees, where it is the same for all sockets. */
const seenBy = (sockets: string, rest: string): Record<CallKind, string> => ({
  CDP: sockets,
  Playwright: sockets,
  'kept by reconnect': sockets,
  'session API': sockets,
  REST: rest,
});

interface Ending {
  options?: OpenOptions;
  /** The kinds for which it is not the same as another ending of this table. Default: all. */
  kinds?: readonly CallKind[];
  act(call: OpenCall, kind: CallKind, name: string): Promise<void> | void;
  expected: Record<CallKind, string>;
}

const isRenderer = ({ command }: ProcessInfo) => command.includes('--type=renderer');
const signal = (pid: number | undefined, name: NodeJS.Signals) => {
  assert.ok(pid !== undefined, 'the browser is missing');
  process.kill(pid, name);
};

const endings: Record<string, Ending> = {
  // Clients of Playwright close by disconnecting, and clients of REST have nothing else.
  'the client closes': {
    kinds: ['CDP', 'kept by reconnect', 'session API'],
    act: (call) => call.close(),
    expected: seenBy('1000', 'no answer'),
  },
  'the client disconnects': { act: (call) => call.leave(), expected: seenBy('1000', 'no answer') },
  // What follows the end of a socket, however it ends, is the same as above.
  'the socket is reset': {
    kinds: ['CDP', 'Playwright', 'REST'],
    act: (call) => call.reset(),
    expected: seenBy('1006', 'no answer'),
  },
  // To the server, the same as a reset for every kind of socket.
  'the client is killed': {
    kinds: ['CDP', 'REST'],
    options: { apart: true },
    act: (call) => call.kill(),
    expected: seenBy('killed', 'killed'),
  },
  'the time limit is reached': {
    options: { limitMs: 10_000 },
    act: () => {},
    expected: { ...seenBy('4408', '408 timeout'), 'session API': '4411' },
  },
  '/kill': {
    act: async (call) => assert.is((await service.get(`/kill/${call.id}`)).status, 204),
    expected: seenBy('4410', '500 killed'),
  },
  'the renderer crashes': {
    kinds: ['CDP', 'Playwright', 'REST'],
    async act(call, kind) {
      await call.showPage();
      const renderers = () => processTree(call.browser()?.pid ?? 0).filter(isRenderer);
      await until('its renderer', () => renderers().length > 0, 30_000);
      if (kind === 'REST') return renderers().forEach(({ pid }) => signal(pid, 'SIGKILL'));
      // The browser keeps running and its client is notified. The first renderer may be a spare that no page uses.
      await until('the client to be notified', () => call.crashTold() || void endProcesses(renderers()), 30_000);
      call.leave();
    },
    expected: seenBy('1000', '500 page-crashed'),
  },
  'the browser is killed': {
    async act(call, kind, name) {
      signal(call.browser()?.pid, 'SIGKILL');
      if (kind !== 'REST') return;
      // The job is retried in another browser; a second crash is an error.
      await until('the page to load again', () => timesLoaded(site, name) === 2, 30_000);
      signal(call.browser()?.pid, 'SIGKILL');
    },
    expected: seenBy('1011', '500 browser-crashed'),
  },
  'the browser is frozen': {
    options: { limitMs: 10_000 },
    act: (call) => signal(call.browser()?.pid, 'SIGSTOP'),
    expected: { ...seenBy('4408', '408 timeout'), 'session API': '4411' },
  },
};

interface SessionLine {
  type: string;
  trackingId: string | null;
  id: string;
}

/** Ends one call in one way and waits until everything is cleaned up. */
async function runCell(kind: CallKind, way: string, name: string): Promise<void> {
  const ending = endings[way];
  if (!ending) throw new Error(`no ending "${way}"`);
  const call = await openCall(kind, name, { service, site }, ending.options);
  try {
    await endAndCheck(call, ending, kind, name);
  } catch (error) {
    // A failing cell must not affect the tests that check the whole server.
    await service.get(`/kill/${call.id}`);
    throw error;
  }
}

async function endAndCheck(call: OpenCall, ending: Ending, kind: CallKind, name: string): Promise<void> {
  const main = await until('the browser', () => call.browser(), 30_000);
  const tree = processTree(main.pid);
  const directory = /--user-data-dir=(\S+)/.exec(main.command)?.[1] ?? '';
  assert.ok(existsSync(directory), directory);
  await ending.act(call, kind, name);
  const seen = await call.seen;
  assert.is(seen, ending.expected[kind], 'what the client saw');
  await until('its browser to be gone', () => stillAlive([main]).length === 0 && !call.browser(), 30_000);
  // A session and its directory outlive its browser, until the session expires or is deleted.
  await call.forget();
  const left = async () => [
    ...stillAlive(tree).map(({ command }) => command),
    ...(existsSync(directory) ? [directory] : []),
    ...(await service.get('/sessions'))
      .json<SessionLine[]>()
      .filter(({ id, trackingId }) => id === call.id || trackingId === call.id)
      .map((line) => JSON.stringify(line)),
  ];
  let last: string[] = [];
  await until(
    () => `everything to be cleaned up: ${last.join('\n')}`,
    async () => (last = await left()).length === 0,
    30_000,
  );
}

/** The cells run while the tests wait for them, a few at a time; each has its own browser. */
const cells = new Map<string, () => Promise<void>>();
const results = new Map<string, Promise<void>>();
const lanes = 5;

test.before(async () => {
  otherClient = await rawClient(socketUrl(service, '/', { timeout: 0, trackingId: 'neighbour' }));
  await otherClient.send('Browser.getVersion');
  otherTree = processesMentioning(service.baseDir).filter((one) => !isRenderer(one));
  const waiting = [...cells];
  const done = new Map(waiting.map(([name]) => [name, Promise.withResolvers<void>()]));
  for (const [name, { promise }] of done) {
    promise.catch(() => undefined);
    results.set(name, promise);
  }
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, run] = next;
      await run().then(done.get(name)?.resolve, done.get(name)?.reject);
    }
  };
  for (let index = 0; index < lanes; index++) void lane();
});

let count = 0;
for (const [way, { kinds = callKinds }] of Object.entries(endings)) {
  for (const kind of kinds) {
    const title = `${way}: ${kind}`;
    const name = `cell-${++count}`;
    cells.set(title, () => runCell(kind, way, name));
    test.peer('sockets', 'temporary directory: removed after each ending of each kind of client');
    test(title, () => results.get(title));
  }
}

test('the other client noticed nothing, and all slots are free', async () => {
  const { result } = await otherClient.send('Browser.getVersion');
  assert.match(String(result?.['product']), 'Chrome');
  assert.is(stillAlive(otherTree).length, otherTree.length);
  const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number; queued: number } }>();
  assert.equal([pressure.running, pressure.queued], [1, 0]);
  otherClient.socket.close();
  await until(
    'its slot to be free',
    async () => {
      const now = (await service.get('/pressure')).json<{ pressure: { running: number } }>();
      return now.pressure.running === 0;
    },
    30_000,
  );
  await until(
    'all directories to be removed',
    () => readdirSync(service.dataDir).length + readdirSync(service.scratchDir).length === 0,
    30_000,
  );
  await until('all zombies to be reaped', () => zombiesOf(process.pid).length === 0, 30_000);
  assert.equal((await service.get('/sessions')).json<unknown[]>(), []);
});

const openAll = (of: Service, prefix: string) =>
  Promise.all(callKinds.map((kind, index) => openCall(kind, `${prefix}-${index}`, { service: of, site })));

test.peer('sockets', 'temporary directory: removed when the server stops');
test('SIGTERM: every client is notified, nothing is left behind', async () => {
  const stopping = await startService({
    env: { DRAIN_TIMEOUT_MS: '500', SPARES: '1', ALLOWED_LAUNCH_ARGS: 'test-call' },
  });
  const calls = await openAll(stopping, 'stop');
  // Fails when a process or file is left behind or the exit code is not 0.
  await stopping.stop();
  assert.equal(await Promise.all(calls.map(({ seen }) => seen)), ['1001', '1001', '1001', '1001', '503 stopping']);
});

test('a killed server is restarted: browsers exit on their own, directories are cleaned up', async () => {
  const first = await startProcess({ env: { SPARES: '1', ALLOWED_LAUNCH_ARGS: 'test-call' } });
  const calls = await openAll(first, 'kill');
  await first.end('SIGKILL');
  assert.equal(await Promise.all(calls.map(({ seen }) => seen)), ['1006', '1006', '1006', '1006', 'no answer']);
  await until('its browsers to exit', () => first.leftovers().processes.length === 0, 30_000);
  const { dataDir, scratchDir, baseDir } = first;
  const second = await startService({ env: { DATA_DIR: dataDir, SCRATCH_DIR: scratchDir, SPARES: '0' } });
  await until('the directories to be cleaned up', () => first.leftovers().files.length === 0, 30_000);
  await second.stop();
  rmSync(baseDir, { recursive: true });
});
