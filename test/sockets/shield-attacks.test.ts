// The shield with badly behaved clients and pages: it fails open in time, delays no one, and leaves nothing behind.
// @tier ci
import process from 'node:process';
import * as assert from 'uvu/assert';
import { rawClient, type RawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { attach, valueOf } from '../support/clients/targets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { shells } from '../support/held.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('attacks on the shield', { env: { SPARES: '0', TIMEOUT: '0' } });
/** Pages of different sites run in separate processes. */
const launch = JSON.stringify({ stealth: true, args: ['--site-per-process'] });
/** Stays connected; each test opens its own pages. */
let client: RawClient;

const open = () => rawClient(socketUrl(fixture.service, '/', { launch }));
test.before(async () => void (client = await open()));

/** Waits until only the session of the client that stays is left. */
const othersEnded = () => until('the session to end', async () => (await sessionsOf(fixture.service)).length === 1);

/** A new page with a session for the client. */
async function newPage(url = 'about:blank', of = client): Promise<{ targetId: string; session: string }> {
  const { result } = await of.send('Target.createTarget', { url });
  const targetId = String(result?.['targetId']);
  const session = await attach(of, targetId);
  const loaded = () => valueOf(of, 'document.readyState === "complete" && location.href', session);
  await until('the page', async () => (await loaded()) === url);
  return { targetId, session };
}

const contextsOf = (session: string) =>
  client.events.filter(({ method, sessionId }) => {
    return method === 'Runtime.executionContextCreated' && sessionId === session;
  }).length;

/** The reasons of the notices on the connection itself, without the first notice, which has none. */
function reasons(): unknown[] {
  const notices = client.events.filter(({ method, sessionId }) => {
    return method === 'Browserless.stealthNotice' && sessionId === undefined;
  });
  const [first, ...others] = notices.map(({ params }) => params?.['reason']);
  assert.is(first, undefined);
  return others;
}

test('each of four concurrent sessions gets its context before its response', async () => {
  const before = reasons();
  const pages = await Promise.all(Array.from({ length: 4 }, () => newPage()));
  const answers = await Promise.all(
    pages.map(async ({ session }) => {
      const { result } = await client.send('Runtime.enable', {}, session);
      return { result, contexts: contextsOf(session) };
    }),
  );
  assert.equal(
    answers,
    pages.map(() => ({ result: {}, contexts: 1 })),
  );
  assert.equal(reasons(), before);
});

test("invalid commands get the browser's errors, and ids reserved for the server are refused", async () => {
  const before = reasons();
  const { targetId, session } = await newPage();
  const nonsense: [string, object][] = [
    ['Page.createIsolatedWorld', { frameId: 7 }],
    ['Page.createIsolatedWorld', { frameId: 'none', worldName: 'mine' }],
    ['Page.addScriptToEvaluateOnNewDocument', { worldName: {} }],
    ['Runtime.addBinding', { name: ['puppeteer_'] }],
    ['Runtime.evaluate', { expression: { UtilityScript: 1 } }],
    ['Runtime.evaluate', { expression: '1', uniqueContextId: `99.${targetId}` }],
    ['Runtime.callFunctionOn', { functionDeclaration: 'puppeteer_', arguments: [null, { value: {} }, 7] }],
  ];
  await client.send('Runtime.enable', {}, session);
  for (const [method, params] of nonsense) {
    const { error } = await client.send(method, params, session);
    assert.ok(error, `${method} ${JSON.stringify(params)}`);
  }
  client.socket.send(JSON.stringify({ id: 2 ** 30, method: 'Runtime.enable', sessionId: session }));
  const refused = await until('the refusal', () => client.events.find(({ id }) => id === 2 ** 30));
  assert.match(refused.error?.message ?? '', 'shield=false');
  assert.equal((await client.send('Runtime.evaluate', { expression: '1+1' }, session)).result?.['result'], {
    type: 'number',
    value: 2,
    description: '2',
  });
  assert.equal(reasons(), before);
});

test('with more worlds than the shield can track, the session fails open and works', async () => {
  const before = reasons();
  const { session } = await newPage();
  await client.send('Page.enable', {}, session);
  await client.send('Runtime.enable', {}, session);
  for (let at = 0; at <= 100; at++) {
    const params = { source: '', worldName: `world ${at}` };
    await client.send('Page.addScriptToEvaluateOnNewDocument', params, session);
  }
  assert.equal(reasons(), [...before, 'The session has too many isolated worlds']);
  const contexts = contextsOf(session);
  await client.send('Page.navigate', { url: `${fixture.site.url}/small` }, session);
  await until('the worlds', () => contextsOf(session) === contexts + 102);
  assert.is(fixture.service.output().match(/"event":"cdp.shield-opened"/g)?.length, 1);
});

test('the session of an unresponsive page fails open in time, and other sessions continue', async () => {
  const before = reasons();
  const other = await newPage(`${fixture.site.otherUrl}/small`);
  const { targetId, session } = await newPage(`${fixture.site.url}/small`);
  const stuck = await attach(client, targetId);
  void client.send('Runtime.evaluate', { expression: 'for (;;);' }, session);
  const enabling = client.send('Runtime.enable', {}, stuck);
  assert.equal((await client.send('Runtime.enable', {}, other.session)).result, {});
  await until('the session to fail open', () => reasons().length === before.length + 1, 20_000);
  assert.match(String(reasons().at(-1)), 'did not respond within');
  // The page responds once it can, as it does without the shield.
  await client.send('Runtime.terminateExecution', {}, session);
  assert.equal((await enabling).result, {});
  assert.is(contextsOf(stuck), 1);
});

test('a page that is paused by a debugger still responds', async () => {
  const before = reasons();
  const { targetId, session } = await newPage(`${fixture.site.url}/small`);
  await client.send('Debugger.enable', {}, session);
  const running = client.send('Runtime.evaluate', { expression: 'debugger; 7' }, session);
  await until('the page to pause', () => client.events.some(({ method }) => method === 'Debugger.paused'));
  const late = await attach(client, targetId);
  assert.equal((await client.send('Runtime.enable', {}, late)).result, {});
  assert.is(contextsOf(late), 1);
  await client.send('Debugger.resume', {}, session);
  assert.is(Object((await running).result?.['result']).value, 7);
  assert.equal(reasons(), before);
});

test('clients that disconnect midway and browsers that are killed leave nothing behind', async () => {
  const leaving = await open();
  const { session } = await newPage(`${fixture.site.url}/frames`, leaving);
  void leaving.send('Page.enable', {}, session);
  void leaving.send('Runtime.enable', {}, session);
  void leaving.send('Page.reload', {}, session);
  leaving.socket.close();
  await leaving.closed;
  await othersEnded();

  const others = new Set(shells(fixture.service).map(({ pid }) => pid));
  const losing = await open();
  const page = await newPage(`${fixture.site.url}/frames`, losing);
  void losing.send('Runtime.evaluate', { expression: 'for (;;);' }, page.session);
  void losing.send('Runtime.enable', {}, await attach(losing, page.targetId));
  const browser = shells(fixture.service).find(({ pid }) => !others.has(pid));
  assert.ok(browser);
  process.kill(browser.pid, 'SIGKILL');
  assert.is((await losing.closed).code, 1011);
  await othersEnded();
  // The server keeps running, and its stop verifies that nothing is left.
  assert.is(await valueOf(client, '1 + 1', (await newPage()).session), 2);
});
