// Measures the cost of a server in between: commands in a session on another server and large responses through it,
// alternating with the same sent straight to that server.
// @alone
// @tier ci
import { deepEqual } from 'node:assert/strict';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { rawClient, type RawClient, socketUrl } from '../support/clients/clients.ts';
import { startListedProcesses } from '../support/cluster.ts';
import { type Service, stopAll } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';

const test = suite('the cost of a server in between', { timeoutMs: 120_000 });
const mebibytes = 5;
/** Maximum time of a command and of a large response, as a multiple of the direct one. */
const maxRatio = 1.25;
let home: Service;
let other: Service;

test.before(async () => {
  [home, other] = await startListedProcesses();
});
test.after(() => stopAll(home, other));

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Medians of both paths, run alternately, in milliseconds. Best of five rounds, because others use the machine. */
async function compare(times: number, ways: readonly [() => Promise<unknown>, () => Promise<unknown>]) {
  const rounds: { straight: number; through: number }[] = [];
  for (let round = 0; round < 5; round++) {
    const taken: [number[], number[]] = [[], []];
    for (let turn = 0; turn < times; turn++) {
      taken[0].push(await timed(ways[0]));
      taken[1].push(await timed(ways[1]));
    }
    rounds.push({ straight: median(taken[0]), through: median(taken[1]) });
  }
  return (
    rounds.toSorted((a, b) => a.through - a.straight - (b.through - b.straight))[0] ?? { straight: NaN, through: NaN }
  );
}

async function bothClients(): Promise<[RawClient, RawClient]> {
  const made = succeeded(await home.post('/session', { ttl: 120_000 })).json<{ connect: string }>();
  const path = new URL(made.connect).pathname;
  return [await rawClient(socketUrl(home, path)), await rawClient(socketUrl(other, path))];
}

async function onPage(client: RawClient): Promise<(expression: string) => Promise<unknown>> {
  const { result: made } = await client.send('Target.createTarget', { url: 'about:blank' });
  const { result } = await client.send('Target.attachToTarget', { targetId: made?.['targetId'], flatten: true });
  return async (expression) => {
    const answer = await client.send(
      'Runtime.evaluate',
      { expression, returnByValue: true },
      String(result?.['sessionId']),
    );
    return answer.result?.['result'];
  };
}

test('commands and large responses', async () => {
  const clients = await bothClients();
  const [straight, through] = [await onPage(clients[0]), await onPage(clients[1])];
  deepEqual(await through('6 * 7'), await straight('6 * 7'));
  const small = await compare(200, [() => straight('6 * 7'), () => through('6 * 7')]);
  const added = small.through - small.straight;
  figure(`a command through another server: ${added.toFixed(3)} ms more than ${small.straight.toFixed(3)} ms`);
  const smallRatio = small.through / small.straight;
  const text = `'x'.repeat(${mebibytes} << 20)`;
  const large = await compare(5, [() => straight(text), () => through(text)]);
  const ratio = large.through / large.straight;
  figure(`${mebibytes} MiB: ${ratio.toFixed(2)} times ${large.straight.toFixed(0)} ms`);
  for (const { socket } of clients) socket.close();
  assert.ok(smallRatio <= maxRatio, `a command: ${smallRatio}`);
  assert.ok(ratio <= maxRatio, `${mebibytes} MiB: ${ratio}`);
});
