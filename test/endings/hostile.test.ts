// About fifty hostile requests, one at a time and four at a time, in a cgroup with limited memory where possible: error
// responses are short, the event loop stays free, other clients are served, and afterward the state is as before.
// @tier ci
import * as assert from 'uvu/assert';
import { sessionsOf } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import { type Hostile, hostileRequests } from '../support/clients/hostile-requests.ts';
import { processSuite } from '../support/fixture.ts';
import { memoryCgroup, type MemoryCgroup } from '../support/memory-cgroup.ts';
import { watchLoop } from '../support/event-loop.ts';
import { until } from '../support/until.ts';

const loop = watchLoop();
const { test, service, site } = processSuite('hostile requests', {
  timeoutMs: 180_000,
  env: { ...loop.env, CONCURRENT: '6', QUEUED: '20' },
});
/** Memory limit of the server and browsers together; a server alone needs a tenth of it. */
const memoryBytes = 1.5 * 2 ** 30;
/** How much the server's heap may have grown at the end. */
const grownBytes = 40 * 2 ** 20;
const freeLoopMs = 100;
const refusalBytes = 65_536;
let cgroup: MemoryCgroup | undefined;

test.before(() => {
  cgroup = memoryCgroup(memoryBytes);
  for (const { pid } of service.tree()) cgroup?.add(pid);
});
test.after(async () => {
  await cgroup?.remove();
  loop[Symbol.dispose]();
});

async function quiet(): Promise<void> {
  await until('all slots to be free', async () => {
    const { pressure } = (await service.get('/pressure')).json<{ pressure: { running: number; queued: number } }>();
    return pressure.running === 0 && pressure.queued === 0;
  });
  assert.equal(await sessionsOf(service), []);
}

/** Sends another client's requests while the work runs. */
async function withOtherClient(work: () => Promise<void>): Promise<void> {
  let over = false;
  const otherClient = (async () => {
    while (!over) {
      succeeded(await service.post('/content', { html: '<h1>neighbour</h1>' }));
      assert.is((await service.get('/active')).status, 204);
    }
  })();
  otherClient.catch(() => {});
  try {
    await work();
  } finally {
    over = true;
  }
  await otherClient;
}

const problems: string[] = [];

async function attack({ name, expected, run }: Hostile): Promise<void> {
  const { status, bytes } = await run(service, site).catch((error: unknown) => {
    throw new Error(name, { cause: error });
  });
  if (!expected.includes(status)) problems.push(`${name}: ${status}, not ${expected.join(' or ')}`);
  if (status >= 300 && bytes > refusalBytes) problems.push(`${name}: an error response of ${bytes} bytes`);
}

async function leavesLoopFree(name: string, work: () => Promise<void>): Promise<void> {
  await loop
    .staysFree(service, name, work, freeLoopMs)
    .catch((error: unknown) => problems.push(error instanceof Error ? error.message : String(error)));
}

/** Every third request. The test below sends all of them, four at a time, which blocks the loop longer. */
const oneByOne = hostileRequests.filter((_, index) => index % 3 === 0);

test.shows('hostile-input', 'HTTP', 'REST', 'function', 'BrowserQL');
test('one at a time: each gets the expected response, and the event loop stays free', async () => {
  await loop.ask(service);
  for (const hostile of oneByOne) await leavesLoopFree(hostile.name, () => withOtherClient(() => attack(hostile)));
  await quiet();
  assert.equal(problems.splice(0), []);
});

test('four at a time: the same, and the server holds no more afterward than before', async () => {
  const { heldBytes } = await loop.ask(service);
  await leavesLoopFree('four at a time', async () => {
    const waiting = hostileRequests.values();
    const lane = async () => {
      for (const hostile of waiting) await attack(hostile);
    };
    await withOtherClient(async () => void (await Promise.all(Array.from({ length: 4 }, lane))));
    await quiet();
  });
  await until('the heap to shrink', async () => (await loop.ask(service)).heldBytes < heldBytes + grownBytes);
  assert.equal(problems.splice(0), []);
  assert.not.ok(service.output().includes('FATAL ERROR'));
});

test('no log line is long', () => {
  const longest = Math.max(
    ...service
      .output()
      .split('\n')
      .map((line) => line.length),
  );
  assert.ok(longest < 20_000, `the longest line has ${longest} characters`);
});
