// Endings of virtual browsers, which share a process: every way one can end. Afterward nothing is left of it (no
// renderer, directory, slot, entry), the client saw what is documented, and another client in the same process noticed
// nothing.
// @tier ci
import { readdirSync, rmSync } from 'node:fs';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { processRss } from '../bench/measure.ts';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectNeighbor, type Neighbor } from '../support/clients/neighbor.ts';
import type { OpenOptions, SocketCall } from '../support/clients/open-calls.ts';
import { openVirtualCall, virtualKinds } from '../support/clients/open-virtual-calls.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { held, innerDirectories, renderersOf, type SessionLine, shells } from '../support/held.ts';
import { endProcesses, type ProcessInfo, processTree, stillAlive } from '../support/processes.ts';
import { type Service, startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// Without spares, a process without a virtual browser exits immediately. There are as many slots as concurrent clients, so
// a slot that is not released causes a later client to be rejected.
const env = { SESSION_ISOLATION: 'context', SPARES: '0', CONCURRENT: '5', QUEUED: '0' };
let otherClient: Neighbor;

/** Returns the only browser. */
function shell(): ProcessInfo {
  const [first, ...more] = shells(service);
  assert.ok(first && more.length === 0, `${1 + more.length} browsers instead of one`);
  return first;
}

/** Waits until the server holds the same as before. */
async function nothingLeft(before: string[]): Promise<void> {
  let last: string[] = [];
  await until(
    () => `the same as before: ${before.join(', ')}\nnow: ${last.join(', ')}`,
    async () => (last = await held(service)).join('\n') === before.join('\n'),
    30_000,
  );
}

const openAll = (of: Service, prefix: string, options?: OpenOptions) =>
  Promise.all(virtualKinds.map((kind, index) => openVirtualCall(kind, `${prefix}-${index}`, of, options)));

const seenBy = (calls: SocketCall[]) => Promise.all(calls.map(({ seen }) => seen));
const everyone = (code: string) => virtualKinds.map(() => code);

interface Ending {
  options?: OpenOptions;
  /** @param own the renderers of these calls */
  act(calls: SocketCall[], own: ProcessInfo[]): Promise<unknown> | void;
  /** The close code that every client sees. */
  seen: string;
}

const endings: Record<string, Ending> = {
  'the client closes': { act: (calls) => calls.forEach((call) => call.close()), seen: '1000' },
  'the client disconnects': { act: (calls) => calls.forEach((call) => call.leave()), seen: '1000' },
  'the socket is reset': { act: (calls) => calls.forEach((call) => call.reset()), seen: '1006' },
  'the client is killed': {
    options: { apart: true },
    act: (calls) => calls.forEach((call) => call.kill()),
    seen: 'killed',
  },
  'the time limit is reached': { options: { limitMs: 4_000 }, act: () => {}, seen: '4408' },
  '/kill': {
    act: (calls) => Promise.all(calls.map(async ({ id }) => assert.is((await service.get(`/kill/${id}`)).status, 204))),
    seen: '4410',
  },
  'the renderer crashes': {
    async act(calls, own) {
      await Promise.all(calls.map((call) => call.showPage()));
      endProcesses(own);
      await until('the clients to be notified', () => calls.every((call) => call.crashTold()), 30_000);
      for (const call of calls) call.leave();
    },
    seen: '1000',
  },
  'the page hangs': {
    async act(calls) {
      await Promise.all(calls.map((call) => call.hangPage()));
      for (const call of calls) call.leave();
    },
    seen: '1000',
  },
};

const { test, service } = fixtureSuite('endings of virtual browsers', { timeoutMs: 90_000, env });
test.before(async () => (otherClient = await connectNeighbor(service, 'neighbour')));

for (const [index, [way, { options, act, seen }]] of Object.entries(endings).entries()) {
  test(`${way}: nothing is left behind, and the other client noticed nothing`, async () => {
    const before = await held(service);
    const there = new Set(renderersOf(shell()).map(({ pid }) => pid));
    const calls = await openAll(service, `ending-${index}`, options);
    const own = renderersOf(shell()).filter(({ pid }) => !there.has(pid));
    assert.is(own.length, calls.length, 'renderers of the clients');
    await act(calls, own);
    assert.equal(await seenBy(calls), everyone(seen));
    await nothingLeft(before);
    await otherClient.assertResponsive();
  });
}

test('the shared process is killed while clients are joining: each gets another browser', async () => {
  await using many = await startService({ env: { ...env, CONCURRENT: '11' } });
  const url = socketUrl(many, '/');
  const retried = () => many.logs().some(({ event }) => event === 'request.retried');
  // The signal may arrive a moment too early or too late.
  for (let round = 0; round < 8 && !retried(); round++) {
    // The first client stays, so the process exists before the others connect.
    const first = await rawClient(url);
    const opening = Array.from({ length: 10 }, () => rawClient(url));
    // The others have their browsers, but have not joined them yet.
    await Promise.race(opening);
    for (const { pid } of shells(many)) process.kill(pid, 'SIGKILL');
    const all = await Promise.allSettled(opening);
    assert.equal(
      all.filter(({ status }) => status === 'rejected'),
      [],
    );
    for (const client of all) if (client.status === 'fulfilled') client.value.socket.close();
    await first.closed;
    await until('all sessions to end', async () => (await held(many)).join() === '0 run, 0 wait', 30_000);
  }
  assert.ok(retried());
});

test('the shared process is killed: all its clients are notified, and the next one gets a new process', async () => {
  const calls = await openAll(service, 'crash');
  const killed = shell();
  const tree = processTree(killed.pid);
  process.kill(killed.pid, 'SIGKILL');
  assert.equal(await seenBy(calls), everyone('1011'));
  assert.is((await otherClient.client.closed).code, 1011);
  await until('everything to be cleaned up', async () => (await held(service)).join() === '0 run, 0 wait', 30_000);
  // Chromium's other processes notice the end of the main process on their own.
  await until('its processes to exit', () => stillAlive(tree).length === 0, 30_000);
  otherClient = await connectNeighbor(service, 'neighbour-2');
  assert.is.not(shell().pid, killed.pid);
  await otherClient.assertResponsive();
});

test('the shared process is killed while clients connect: their attempts leave nothing behind', async () => {
  const before = innerDirectories(service).length;
  const connecting = Array.from({ length: 4 }, () => rawClient(socketUrl(service, '/')));
  const all = Promise.allSettled(connecting);
  await until('a client to be given a directory', () => innerDirectories(service).length > before);
  process.kill(shell().pid, 'SIGKILL');
  // A lost browser is created again, once.
  for (const client of await all) {
    if (client.status === 'rejected') throw client.reason;
    client.value.socket.close();
  }
  await until('everything to be cleaned up', async () => (await held(service)).join() === '0 run, 0 wait', 30_000);
  otherClient = await connectNeighbor(service, 'neighbour-3');
});

test('the shared process is frozen: its clients are closed, and the next one gets a new process', async () => {
  const frozen = shell();
  const tree = processTree(frozen.pid);
  const calls = await openAll(service, 'frozen', { limitMs: 4_000 });
  process.kill(frozen.pid, 'SIGSTOP');
  const next = await connectNeighbor(service, 'neighbour-4');
  await next.assertResponsive();
  assert.equal(await seenBy(calls), everyone('4408'));
  assert.is((await otherClient.client.closed).code, 1011);
  otherClient = next;
  await until('the process to be gone', () => stillAlive(tree).length === 0, 30_000);
  await until('its directories to be gone', () => readdirSync(service.dataDir).length === 2, 30_000);
  const [line, ...more] = (await service.get('/sessions')).json<SessionLine[]>();
  assert.is(line?.trackingId, 'neighbour-4');
  assert.ok(more.every(({ type }) => type === 'page'));
});

test('a spare in an unresponsive process is not given to a client', async () => {
  await using of = await startService({ env: { ...env, SPARES: '2' } });
  const first = await Promise.all([connectNeighbor(of, 'first-0'), connectNeighbor(of, 'first-1')]);
  const shared = () => shells(of).filter(({ command }) => !command.includes('--block-new-web-contents'));
  const frozen = shared();
  assert.is(frozen.length, 1);
  await until('two spares', () => frozen.flatMap(renderersOf).length === 4);
  for (const { pid } of frozen) process.kill(pid, 'SIGSTOP');
  // Takes one of them, so that the server creates a replacement and detects the hang.
  const waiting = rawClient(socketUrl(of, '/'));
  await until('the server to detect the hang', () => of.logs().some(({ event }) => event === 'browser.unresponsive'));
  const next = await connectNeighbor(of, 'next');
  assert.is(stillAlive(frozen).length, 1, 'the process was given up before the client came');
  await next.assertResponsive();
  const { socket } = await waiting;
  assert.equal(await Promise.all(first.map(async ({ client }) => (await client.closed).code)), [1011, 1011]);
  await next.assertResponsive();
  assert.is(socket.readyState, socket.OPEN);
});

test('disposed contexts make room for others', async () => {
  const { client } = await connectNeighbor(service, 'contexts');
  await client.send('Target.setDiscoverTargets', { discover: true });
  const made = async () => String((await client.send('Target.createBrowserContext')).result?.['browserContextId']);
  const stays = await made();
  for (let count = 0; count < 110; count++) {
    const { error } = await client.send('Target.disposeBrowserContext', { browserContextId: await made() });
    assert.is(error, undefined);
  }
  const { result } = await client.send('Target.getBrowserContexts');
  assert.equal(result?.['browserContextIds'], [stays]);
  // The page of a disposed context is reported as closed.
  const page = await client.send('Target.createTarget', { url: 'about:blank', browserContextId: stays });
  await client.send('Target.disposeBrowserContext', { browserContextId: stays });
  await until('the page to be gone', () =>
    client.events.some(
      ({ method, params }) => method === 'Target.targetDestroyed' && params?.['targetId'] === page.result?.['targetId'],
    ),
  );
  client.socket.close();
});

test('contexts that are being created when their client disconnects are removed', async () => {
  const memoryMiB = () => processRss(shell().pid) / 2 ** 20;
  const come = async () => {
    const { client } = await connectNeighbor(service, 'comes');
    for (let count = 0; count < 90; count++) void client.send('Target.createBrowserContext');
    client.socket.close();
    await until('the disconnect', async () => (await held(service)).includes('1 run, 0 wait'));
  };
  await come();
  const before = memoryMiB();
  for (let round = 0; round < 4; round++) await come();
  // A context takes about a third of a MiB; the contexts of the four rounds take more than 100 MiB.
  await until(
    () => `the shared process to need no more memory: ${before} MiB before, ${memoryMiB()} MiB now`,
    () => memoryMiB() < before + 50,
    5_000,
  );
  await otherClient.assertResponsive();
});

test('the last client disconnects: the process exits, nothing is left behind', async () => {
  otherClient.client.socket.close();
  await until('everything to be cleaned up', async () => (await held(service)).join() === '0 run, 0 wait', 30_000);
});

test('SIGTERM: every client is notified, nothing is left behind', async () => {
  const stopping = await startService({ env: { ...env, SPARES: '1', DRAIN_TIMEOUT_MS: '500' } });
  const calls = await openAll(stopping, 'stop');
  // Fails when a process or file is left behind or the exit code is not 0.
  await stopping.stop();
  assert.equal(await seenBy(calls), everyone('1001'));
});

test('SIGTERM while the shared process is frozen: nothing is left behind', async () => {
  const stopping = await startService({ env: { ...env, DRAIN_TIMEOUT_MS: '500' } });
  const calls = await openAll(stopping, 'stop-frozen');
  for (const { pid } of shells(stopping)) process.kill(pid, 'SIGSTOP');
  await stopping.stop();
  assert.equal(await seenBy(calls), everyone('1001'));
});

test('a killed server is restarted: the process exits on its own, directories are cleaned up', async () => {
  const first = await startProcess({ env });
  const calls = await openAll(first, 'kill');
  await first.end('SIGKILL');
  assert.equal(await seenBy(calls), everyone('1006'));
  await until('the process to exit', () => first.leftovers().processes.length === 0, 30_000);
  assert.ok(first.leftovers().files.length > 0, 'nothing to clean up');
  const { dataDir, scratchDir, baseDir } = first;
  const second = await startService({ env: { ...env, DATA_DIR: dataDir, SCRATCH_DIR: scratchDir } });
  await until('the directories to be cleaned up', () => first.leftovers().files.length === 0, 30_000);
  await second.stop();
  rmSync(baseDir, { recursive: true });
});
