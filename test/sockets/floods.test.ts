// Pages that keep the browser's main thread busy, in a process that several clients share: other clients' pages open as
// quickly as without them, and a server that is killed during a flood leaves nothing behind.
// @alone
// @tier ci
import { existsSync, readFileSync, rmSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startProcess } from '../support/service.ts';
import { until } from '../support/until.ts';

const env = { SESSION_ISOLATION: 'context', TIMEOUT: '0' };
const { test, service, site } = fixtureSuite('floods of pages', { timeoutMs: 120_000, env });

const open = (of: Service = service) => rawClient(socketUrl(of, '/'));

/** The action that a page repeats, and the number of repetitions after which it yields to its event loop. */
const floods: Record<string, [action: string, times: number]> = {
  'history.replaceState': ['history.replaceState(null, "", "#" + n)', 100],
  cookies: ['document.cookie = n % 50 + "=" + n', 100],
  'terminated workers': ['new Worker("data:,").terminate()', 20],
  'running workers': ['new Worker("data:,postMessage(1)")', 20],
  'shared workers': ['new SharedWorker("data:," + n)', 20],
};
const codeOf = ([action, times]: [string, number]) => `(async () => {
  for (let n = 0; ; n++) {
    ${action};
    if (n % ${times} === 0) await new Promise((resolve) => setTimeout(resolve));
  }
})()`;

async function median(times: number, action: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < times; round++) {
    const began = performance.now();
    await action();
    took.push(performance.now() - began);
  }
  return took.toSorted((a, b) => a - b)[times >> 1] ?? 0;
}

/** Allows three times as long, or two seconds on a busy machine: without the pauses it is more than nine seconds. */
const notMuchLonger = (name: string, floodedMs: number, quietMs: number) =>
  assert.ok(floodedMs < Math.max(3 * quietMs, 2_000), `${name}: ${floodedMs} ms, ${quietMs} ms without it`);

test.shows('flooding-page', 'CDP');
test("a page that floods the browser does not hold up another client's pages", async () => {
  const neighbor = await open();
  const openMs = () =>
    median(5, async () => {
      const { targetId } = await openPage(neighbor, `${site.url}/small`);
      await neighbor.send('Target.closeTarget', { targetId });
    });
  const quietMs = await openMs();
  for (const [name, flood] of Object.entries(floods)) {
    const flooding = await open();
    const { sessionId } = await openPage(flooding, `${site.url}/small`);
    void valueOf(flooding, codeOf(flood), sessionId).catch(() => {});
    // The guard needs a moment to detect the flood.
    await openMs();
    const floodedMs = await openMs();
    flooding.socket.close();
    await flooding.closed;
    notMuchLonger(name, floodedMs, quietMs);
  }
  neighbor.socket.close();
  await neighbor.closed;
});

test.shows('flooding-page', 'REST');
test('requests whose pages flood the browser do not hold up other requests', async () => {
  const contentMs = () =>
    median(5, async () => assert.is((await service.post('/content', { url: `${site.url}/small` })).status, 200));
  const quietMs = await contentMs();
  const html = `<script>${codeOf(floods['running workers'] ?? ['', 1])}</script>`;
  const flooding = [1, 2].map(() => service.post('/content', { html, waitForTimeout: 5_000 }));
  const floodedMs = await contentMs();
  await Promise.all(flooding);
  notMuchLonger('workers', floodedMs, quietMs);
});

/** The state of a process as defined in proc_pid_stat(5); undefined once it has exited. */
function stateOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(') ')[1]?.[0] : undefined;
}

test('a server that is killed while it pauses a page leaves no process behind', async () => {
  const killed = await startProcess({ env });
  await openPage(await open(killed), `${site.url}/small`);
  // Pages of one client would share a renderer, and thus one CPU core.
  for (let count = 0; count < 3; count++) {
    const flooding = await open(killed);
    const { sessionId } = await openPage(flooding, `${site.url}/small`);
    void valueOf(flooding, codeOf(floods['terminated workers'] ?? ['', 1]), sessionId).catch(() => {});
  }
  await until('the pause to be logged', () => killed.logs().some(({ event }) => event === 'page.floods-browser'));
  const renderers = killed.tree().filter(({ command }) => command.includes('--type=renderer'));
  await until('a paused page', () => renderers.some(({ pid }) => stateOf(pid) === 'T'));
  await killed.end('SIGKILL');
  await until('the browsers to exit', () => killed.leftovers().processes.length === 0);
  await until('the renderers to exit', () => renderers.every(({ pid }) => ['Z', undefined].includes(stateOf(pid))));
  rmSync(killed.baseDir, { recursive: true });
});
