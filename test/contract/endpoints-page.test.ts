// What a page that a developer visits can do, in a real browser, to a server without a token on the same machine: from
// the page's own origin, and from a host name that points at the server (DNS rebinding). It must not write, kill or
// start anything; and each attempt must have reached the server, or the test would prove nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

let reader: Reader;

const { test, service, site } = fixtureSuite('attacks of a page', { env: { SPARES: '0', CORS: 'true' } });

test.before(async () => {
  reader = await startReader([
    '--host-resolver-rules=MAP evil.example 127.0.0.1',
    // This browser's own check would stop some of the attacks.
    '--disable-features=LocalNetworkAccessChecks',
  ]);
});
test.after(() => stopAll(reader));

const attacks = readFileSync(join(import.meta.dirname, '../support/fixtures/page-attacks.js'), 'utf8');

/** Paths of the requests rejected so far. */
function refusedPaths(): Set<unknown> {
  return new Set(service.logs().flatMap(({ event, path }) => (event === 'request.refused' ? [path] : [])));
}

test.shows('foreign-site', 'HTTP', 'CDP', 'Playwright');
test.differs('Pages on other sites may send requests');
test('a page from another site cannot use a browser, end a session, or create one', async () => {
  const victim = await connect(service);
  const before = readdirSync(service.dataDir).length;
  for (const origin of [`http://evil.example:${site.port}`, site.otherUrl]) {
    const page = await reader.open();
    await page.goto(`${origin}/small`);
    assert.equal(await page.evaluate(`${attacks}; attack(${service.port})`), [], origin);
  }
  assert.match(await victim.version(), /Chrome/, 'the victim is alive');
  assert.is((await sessionsOf(service)).length, 1);
  assert.is(readdirSync(service.dataDir).length, before, 'no profile was created');
  const reached = refusedPaths();
  for (const path of [
    '/chromium',
    '/chromium/bql',
    '/devtools/browser/x',
    '/kill/all',
    '/session',
    '/sessions',
    '/content',
    '/json/new',
  ]) {
    assert.ok(reached.has(path), `${path} was tried and rejected`);
  }
  await victim.disconnect();
  await until('the victim to be gone', async () => (await sessionsOf(service)).length === 0);
});

test('a page whose host name resolves to the server can read only the documentation', async () => {
  const page = await reader.open();
  await page.goto(`http://evil.example:${service.port}/rest-apis/pdf-api`);
  assert.equal(await page.evaluate(`${attacks}; rebound()`), []);
  assert.equal(await sessionsOf(service), []);
  for (const path of ['/json/version', '/content', '/session']) assert.ok(refusedPaths().has(path), path);
});
