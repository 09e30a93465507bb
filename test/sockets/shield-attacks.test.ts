// The shield with badly behaved clients and pages: it fails open in time, delays no one, and leaves nothing behind.
import process from 'node:process';
import * as assert from 'uvu/assert';
import { rawClient, type RawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { processTree } from '../support/processes.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('attacks on the shield', { timeoutMs: 60_000 });
/** Pages of different sites run in separate processes. */
const launch = JSON.stringify({ stealth: true, args: ['--site-per-process'] });
let service: ServerProcess;
let site: Site;

test.before(async () => {
  site = await startSite();
  service = await startProcess({ env: { SPARES: '0', TIMEOUT: '120000' } });
});
test.after(() => stopAll(service, site));

const open = () => rawClient(socketUrl(service, '/', { launch }));

/** Closes the connection and waits until its session has ended. */
async function leave(client: RawClient): Promise<void> {
  client.socket.close();
  await client.closed;
  await until('the session to end', async () => (await sessionsOf(service)).length === 0);
}

/** A new page with a session for the client. */
async function newPage(client: RawClient, url = 'about:blank'): Promise<{ targetId: string; session: string }> {
  const { result } = await client.send('Target.createTarget', { url });
  const targetId = String(result?.['targetId']);
  const session = await attach(client, targetId);
  await until('the page', async () => {
    const params = { expression: 'document.readyState === "complete" && location.href' };
    const { result: evaluated } = await client.send('Runtime.evaluate', params, session);
    return Object(evaluated?.['result']).value === url;
  });
  return { targetId, session };
}

async function attach(client: RawClient, targetId: string): Promise<string> {
  const { result } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  return String(result?.['sessionId']);
}

const contextsOf = ({ events }: RawClient, session: string) =>
  events.filter(({ method, sessionId }) => method === 'Runtime.executionContextCreated' && sessionId === session);

/** The reasons of the notices on the connection itself; the first notice has no reason. */
const reasonsTo = ({ events }: RawClient) =>
  events
    .filter(({ method, sessionId }) => method === 'Browserless.stealthNotice' && sessionId === undefined)
    .map(({ params }) => params?.['reason']);

test('each of ten concurrent sessions gets its context before its response', async () => {
  const client = await open();
  const pages = await Promise.all(Array.from({ length: 10 }, () => newPage(client)));
  const answers = await Promise.all(
    pages.map(async ({ session }) => {
      const { result } = await client.send('Runtime.enable', {}, session);
      return { result, contexts: contextsOf(client, session).length };
    }),
  );
  assert.equal(
    answers,
    pages.map(() => ({ result: {}, contexts: 1 })),
  );
  assert.equal(reasonsTo(client), [undefined]);
  await leave(client);
});

test("invalid commands get the browser's errors, and ids reserved for the server are refused", async () => {
  const client = await open();
  const { targetId, session } = await newPage(client);
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
  assert.equal(reasonsTo(client), [undefined]);
  await leave(client);
});

test('with more worlds than the shield can track, the session fails open and works', async () => {
  const client = await open();
  const { session } = await newPage(client);
  await client.send('Page.enable', {}, session);
  await client.send('Runtime.enable', {}, session);
  for (let at = 0; at <= 100; at++) {
    const params = { source: '', worldName: `world ${at}` };
    await client.send('Page.addScriptToEvaluateOnNewDocument', params, session);
  }
  assert.equal(reasonsTo(client), [undefined, 'The session has too many isolated worlds']);
  const before = contextsOf(client, session).length;
  await client.send('Page.navigate', { url: `${site.url}/small` }, session);
  await until('the worlds', () => contextsOf(client, session).length === before + 102);
  assert.is(service.output().match(/"event":"cdp.shield-opened"/g)?.length, 1);
  await leave(client);
});

test('the session of an unresponsive page fails open in time, and other sessions continue', async () => {
  const client = await open();
  const other = await newPage(client, `${site.otherUrl}/small`);
  const { targetId, session } = await newPage(client, `${site.url}/small`);
  const stuck = await attach(client, targetId);
  void client.send('Runtime.evaluate', { expression: 'for (;;);' }, session);
  const enabling = client.send('Runtime.enable', {}, stuck);
  assert.equal((await client.send('Runtime.enable', {}, other.session)).result, {});
  await until('the session to fail open', () => reasonsTo(client).length === 2, 20_000);
  assert.match(String(reasonsTo(client)[1]), 'did not respond within');
  // The page responds once it can, as it does without the shield.
  await client.send('Runtime.terminateExecution', {}, session);
  assert.equal((await enabling).result, {});
  assert.is(contextsOf(client, stuck).length, 1);
  await leave(client);
});

test('a page that is paused by a debugger still responds', async () => {
  const client = await open();
  const { targetId, session } = await newPage(client, `${site.url}/small`);
  await client.send('Debugger.enable', {}, session);
  const running = client.send('Runtime.evaluate', { expression: 'debugger; 7' }, session);
  await until('the page to pause', () => client.events.some(({ method }) => method === 'Debugger.paused'));
  const late = await attach(client, targetId);
  assert.equal((await client.send('Runtime.enable', {}, late)).result, {});
  assert.is(contextsOf(client, late).length, 1);
  await client.send('Debugger.resume', {}, session);
  assert.is(Object((await running).result?.['result']).value, 7);
  assert.equal(reasonsTo(client), [undefined]);
  await leave(client);
});

test('clients that disconnect midway and browsers that are killed leave nothing behind', async () => {
  const leaving = await open();
  const { session } = await newPage(leaving, `${site.url}/frames`);
  void leaving.send('Page.enable', {}, session);
  void leaving.send('Runtime.enable', {}, session);
  void leaving.send('Page.reload', {}, session);
  await leave(leaving);

  const losing = await open();
  const page = await newPage(losing, `${site.url}/frames`);
  void losing.send('Runtime.evaluate', { expression: 'for (;;);' }, page.session);
  void losing.send('Runtime.enable', {}, await attach(losing, page.targetId));
  const browser = processTree(service.pid).find(({ parent, command }) => {
    return parent === service.pid && command.includes('--user-data-dir=');
  });
  assert.ok(browser);
  process.kill(browser?.pid ?? 0, 'SIGKILL');
  assert.is((await losing.closed).code, 1011);
  await until('the session to end', async () => (await sessionsOf(service)).length === 0);
  // The server keeps running, and its stop verifies that nothing is left.
  await leave(await open());
});
