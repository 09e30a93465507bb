// Browsers that do not start: the server retries after failures that may be temporary (RETRIES) and reports permanent
// ones immediately.
// @tier ci
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { shellExecutable } from '../support/checks/reader.ts';
import { type Service, startService } from '../support/service.ts';
import type { Reply } from '../support/clients/http.ts';
import { chromiumEntryPoints, running, writeProgram } from '../support/clients/slow-entry-points.ts';
import { startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('starts that fail', { timeoutMs: 120_000 });
const programs = temporaryDirectory();
const count = join(programs, 'starts');

/** How many times the program was started since the previous call. */
function starts(): number {
  const { length } = readFileSync(count, 'utf8');
  writeFileSync(count, '');
  return length;
}

/** A server whose browser runs these lines first. @param lines shell lines; `$n` is the number of the attempt */
async function withBrowser(lines: string, env: Record<string, string>, work: (service: Service) => Promise<void>) {
  const path = writeProgram(
    programs,
    'browser',
    `printf x >> '${count}'\nn=$(wc -c < '${count}')\n${lines}\nexec '${await shellExecutable()}' "$@"`,
  );
  appendFileSync(count, '');
  writeFileSync(count, '');
  await using service = await startService({ env: { SHELL_PATH: path, CHROMIUM_PATH: path, SPARES: '0', ...env } });
  await work(service);
  assert.is(await running(service), 0);
}

const ends = 'if [ $n -le 3 ]; then kill -9 $$; fi';

test('a browser that exits silently is restarted, at every endpoint', () =>
  withBrowser(ends, {}, async (service) => {
    for (const name of ['/content', '/function', '/chromium/bql', 'a CDP socket', 'a Playwright socket']) {
      // Separate launch options, so that each request starts its own browser and shares none.
      const launch = JSON.stringify({ args: [`--lang=de-${name.length}`] });
      const ending = await chromiumEntryPoints[name]?.(service, { launch });
      assert.ok(
        ending && (ending.status === 200 || ending.status === 101),
        `${name}: ${ending?.status} ${ending?.text}`,
      );
      assert.is(starts(), 4, name);
    }
  }));

test.proves('RETRIES');
test("the shared browser is restarted up to RETRIES times, within the request's time limit", async () => {
  await withBrowser('exit 1', { RETRIES: '2' }, async (service) => {
    assert.is((await service.get('/config')).json<{ retries: number }>().retries, 2);
    refused(await service.post('/content', { html: 'x' }), 500, 'could not be started');
    assert.is(starts(), 3);
    // The failure is known by now: each further request tries only once.
    refused(await service.post('/content', { html: 'x' }), 500, 'could not be started');
    assert.is(starts(), 1);
  });
  await withBrowser('exit 1', { RETRIES: '100' }, async (service) => {
    const began = idleNow();
    refused(await service.post('/content', { html: 'x' }, { query: { timeout: 1_500 } }), 408);
    assert.is((await handshake(service, '/', { timeout: 1_500 })).status, 408);
    assert.ok(idleNow() - began < 5_000);
    // The pauses double: six or seven fit into a second and a half.
    assert.ok(starts() < 20);
  });
  await withBrowser('exit 1', { RETRIES: '0' }, async (service) => {
    refused(await service.post('/content', { html: 'x' }), 500, 'could not be started');
    assert.is(starts(), 1);
  });
});

test('permanent failures are not retried', () =>
  withBrowser('echo "bad switch" >&2; exit 1', {}, async (service) => {
    refused(await service.post('/content', { html: 'x' }), 500, 'bad switch');
    assert.is(starts(), 1);
    assert.match((await handshake(service, '/')).text, 'bad switch');
    assert.is(starts(), 1);
  }));

test('many clients of a crashing browser start few processes, and all get an error', () =>
  withBrowser('exit 1', { CONCURRENT: '100' }, async (service) => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 ? service.post('/content', { html: 'x' }) : handshake(service, '/'),
      ),
    );
    for (const { status } of replies) assert.is(status, 500);
    // The first sockets start one browser each, before the failure is known; after that, starts run one at a time.
    assert.ok(starts() <= 100, 'too many starts');
    const later = await Promise.all(Array.from({ length: 100 }, () => handshake(service, '/')));
    for (const { status } of later) assert.is(status, 500);
    assert.ok(starts() <= 10, 'too many starts for later requests');
  }));

/** Kills the browser of each start attempt when a file with that attempt's number exists. */
const diesOnSignal = `(while kill -0 $$; do [ -e '${count}'$n ] && kill -9 $$; sleep 0.05; done) 2> /dev/null &`;

/** Requests a page and kills the first browsers while they load it. @param deaths how many browsers are killed */
async function withDeaths(service: Service, deaths: number): Promise<Reply> {
  const site = await startSite();
  const told = Array.from({ length: deaths }, (_, index) => `${count}${index + 1}`);
  try {
    const reply = service.post('/content', { url: `${site.url}/small`, waitForTimeout: 5_000 });
    for (const [index, file] of told.entries()) {
      const asked = () => site.requests.filter(({ path }) => path === '/small').length > index;
      await until(`request ${index + 1} of the page`, asked);
      writeFileSync(file, '');
    }
    return await reply;
  } finally {
    for (const file of told) rmSync(file, { force: true });
    await site.close();
  }
}

test('a browser that dies while loading a page is replaced', () =>
  withBrowser(diesOnSignal, {}, async (service) => {
    succeeded(await withDeaths(service, 1));
    assert.is(starts(), 2);
  }));

test('a request fails after its second browser dies, and says so', () =>
  withBrowser(diesOnSignal, {}, async (service) => {
    refused(await withDeaths(service, 2), 500, 'ended unexpectedly, twice');
    assert.is(starts(), 2);
  }));
