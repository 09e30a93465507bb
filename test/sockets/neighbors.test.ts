// Virtual browsers in one process: a client cannot see, stop or slow down another one, no matter what it sends.
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { everyCommand, type ForeignIds } from '../support/checks/every-command.ts';
import { noSessions, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { member, openPage, valueOf } from '../support/clients/targets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('neighbours in one process', {
  env: { SESSION_ISOLATION: 'context', PAGE_BUSY_MS: '4000', CONCURRENT: '300', TIMEOUT: '0' },
});
/** Another origin. */
let victimSite: Site;

test.before(async () => void (victimSite = await startSite()));
test.after(() => victimSite.close());

const open = () => rawClient(socketUrl(service, '/'));

async function leave(...clients: RawClient[]): Promise<void> {
  for (const { socket } of clients) socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
  await noSessions(service);
}

const secret = 'only-for-the-victim';

interface Victim {
  client: RawClient;
  targetId: string;
  sessionId: string;
  ids: ForeignIds;
}

/** A client that has a page with secrets, and is subscribed to all events. */
async function openVictim(): Promise<Victim> {
  const client = await open();
  await client.send('Target.setDiscoverTargets', { discover: true });
  const { targetId, sessionId } = await openPage(client, `${victimSite.url}/small?${secret}`);
  for (const domain of ['Page', 'Network', 'Runtime', 'DOM', 'Log', 'ServiceWorker']) {
    await client.send(`${domain}.enable`, {}, sessionId);
  }
  await valueOf(
    client,
    `document.cookie = 'name=${secret}'; localStorage.name = '${secret}'; document.title = '${secret}'`,
    sessionId,
  );
  // A new page first has no title, then its URL as the title.
  await until('titles', async () => {
    const targets = (await client.send('Target.getTargets')).result?.['targetInfos'];
    return Array.isArray(targets) && targets.every((target) => member(target, 'title') !== '');
  });
  const { result } = await client.send('Target.getTargetInfo', { targetId });
  const window = await client.send('Browser.getWindowForTarget', { targetId });
  return {
    client,
    targetId,
    sessionId,
    ids: {
      targetId,
      sessionId,
      contextId: String(member(result?.['targetInfo'], 'browserContextId')),
      windowId: Number(window.result?.['windowId']),
      guid: 'no-download',
      origin: victimSite.url,
    },
  };
}

/** What the victim's page shows and stores. */
async function stateOf({ client, sessionId }: Victim): Promise<string> {
  const inPage = await valueOf(
    client,
    `Promise.all([document.title, document.cookie, localStorage.name, location.href, innerWidth, navigator.userAgent,
      navigator.language, matchMedia('(prefers-color-scheme: dark)').matches, document.visibilityState,
      navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state), navigator.onLine,
      fetch('/small').then(({ status }) => status), document.documentElement.outerHTML].map((each) => each)).then(String)`,
    sessionId,
  );
  const { result: cookies } = await client.send('Storage.getCookies');
  const { result: targets } = await client.send('Target.getTargets');
  const { result: contexts } = await client.send('Target.getBrowserContexts');
  return JSON.stringify([inPage, cookies, targets, contexts]);
}

/** Messages from the browser, except errors, which repeat the request. */
const successfulMessages = (messages: readonly unknown[]) =>
  messages
    .filter((message) => message !== undefined && member(message, 'error') === undefined)
    .map((message) => JSON.stringify(message));

/** Some commands wait for something that never happens; they are abandoned after this time, in milliseconds. */
const responseLimitMs = 1_500;

/** Sends commands without waiting in between; returns the responses when all have arrived or the time limit expires. */
async function sendAll(
  client: RawClient,
  commands: ReturnType<typeof everyCommand>,
  sessionId?: string,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  const sent = commands.map(({ method, params }) =>
    client.send(method, params, sessionId).then(
      (answer) => answers.push(answer),
      () => undefined,
    ),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([Promise.all(sent), new Promise((resolve) => (timer = setTimeout(resolve, responseLimitMs)))]);
  clearTimeout(timer);
  return answers;
}

/**
 * Some commands end the renderer that the pages of one client share; a page that is opening or closing at that moment
 * may never respond. @returns undefined when the page has not opened in time
 */
const openInTime = (client: RawClient) =>
  Promise.race([openPage(client, `${site.url}/small`), pause(5_000, undefined, { ref: false })]);

const separate = ['Browser.', 'Debugger.', 'Emulation.', 'Page.', 'Runtime.', 'Target.'];

test.shows('other-client', 'CDP');
test(
  "no command sent with another client's ids affects or reveals that client",
  async () => {
    const victim = await openVictim();
    const before = await stateOf(victim);
    const heard = victim.client.events.length;
    const attacker = await open();
    // To the attacker, the victim's session does not exist.
    const foreign = await attacker.send('Runtime.evaluate', { expression: '1' }, victim.sessionId);
    assert.equal(foreign.error, { code: -32001, message: 'Session with given id not found.' });
    const commands = everyCommand(victim.ids).filter(({ method }) => method !== 'Browser.close');
    const answers = await sendAll(attacker, commands);
    const nested = String((await attacker.send('Target.attachToBrowserTarget')).result?.['sessionId']);
    answers.push(...(await sendAll(attacker, commands, nested)));
    // Some commands stop or end the page that receives them, so the domains that have such commands use separate pages.
    const pageOf = ({ method }: { method: string }) =>
      separate.find((domain) => method.startsWith(domain)) ?? 'one page';
    for (const some of Map.groupBy(commands, pageOf).values()) {
      const { targetId, sessionId } = await until('a page', () => openInTime(attacker));
      answers.push(...(await sendAll(attacker, some, sessionId)));
      void attacker.send('Target.closeTarget', { targetId }).catch(() => {});
    }
    assert.is(await stateOf(victim), before);
    // The server's own heartbeat is no news.
    const isNews = ({ method = '' }) => !/^(?:Network\.|Runtime\.|Browserless\.heartbeat$)/.test(method);
    const news = victim.client.events.slice(heard).filter(isNews);
    assert.equal(news, [], 'the victim noticed something');
    const all = successfulMessages([...answers, ...attacker.events]);
    assert.ok(all.length > 250, `${all.length} responses and events`);
    for (const text of all) {
      assert.not.match(text, secret);
      assert.not.match(text, victim.targetId);
      assert.not.match(text, victim.sessionId);
    }
    await leave(victim.client, attacker);
  },
  { timeoutMs: 120_000 },
);

/** Writes to every kind of storage available to a page. */
const store = `(async () => {
  document.cookie = 'name=${secret}; max-age=1000';
  localStorage.name = sessionStorage.name = '${secret}';
  await new Promise((resolve, reject) => {
    const request = indexedDB.open('${secret}', 1);
    request.onsuccess = resolve;
    request.onerror = reject;
  });
  await (await caches.open('${secret}')).put('/kept', new Response('${secret}'));
  const root = await navigator.storage.getDirectory();
  await root.getFileHandle('${secret}', { create: true });
  await navigator.serviceWorker.register('/sw/worker.js').catch(() => undefined);
  window.worker = new SharedWorker(URL.createObjectURL(new Blob(['onconnect = () => undefined'])), '${secret}');
  window.channel = new BroadcastChannel('shared');
  window.heard = [];
  channel.onmessage = ({ data }) => heard.push(data);
  navigator.locks.request('shared', () => new Promise(() => undefined));
  return 'stored';
})()`;

/** Reads all of them, and posts to any listener. */
const look = `(async () => {
  const names = [];
  for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
  new BroadcastChannel('shared').postMessage('hello');
  const lock = await navigator.locks.request('shared', { ifAvailable: true }, (held) => held !== null);
  const workers = await navigator.serviceWorker.getRegistrations();
  return [document.cookie, localStorage.name, sessionStorage.name, (await indexedDB.databases()).length,
    (await caches.keys()).length, names.length, workers.length, lock].join();
})()`;

test('every kind of storage is separate, even on the same site', async () => {
  const [first, second] = [await open(), await open()];
  const url = `${site.url}/small`;
  const mine = await openPage(first, url);
  assert.is(await valueOf(first, store, mine.sessionId), 'stored');
  const theirs = await openPage(second, url);
  assert.is(await valueOf(second, look, theirs.sessionId), ',,,0,0,0,0,true');
  // The same script finds what the page itself has stored.
  const again = await openPage(first, url);
  assert.match(
    String(await valueOf(first, look, again.sessionId)),
    new RegExp(`^name=${secret},${secret},,1,1,1,\\d,false$`),
  );
  await until('its own channel', () => valueOf(first, 'heard.length === 1', mine.sessionId));
  await leave(first, second);
});

test("a client's permissions and certificate settings do not affect another client", async () => {
  const [first, second] = [await open(), await open()];
  const [mine, theirs] = [await openPage(first, `${site.url}/small`), await openPage(second, `${site.url}/small`)];
  assert.equal((await first.send('Browser.grantPermissions', { permissions: ['geolocation'] })).result, {});
  const state = `navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)`;
  assert.is(await valueOf(first, state, mine.sessionId), 'granted');
  assert.is(await valueOf(second, state, theirs.sessionId), 'prompt');
  await first.send('Security.setIgnoreCertificateErrors', { ignore: true });
  const visited = async (client: RawClient, sessionId: string) =>
    (await client.send('Page.navigate', { url: `${site.secureUrl}/small` }, sessionId)).result?.['errorText'];
  assert.is(await visited(first, mine.sessionId), undefined);
  assert.match(String(await visited(second, theirs.sessionId)), 'ERR_CERT');
  await leave(first, second);
});

test('a client sees one browser, no matter how many other clients there are', async () => {
  const clients = [await open(), await open(), await open()];
  for (const client of clients) await client.send('Target.attachToBrowserTarget');
  const [client] = clients;
  assert.ok(client);
  const { result } = await client.send('Target.getTargets', { filter: [{}] });
  const infos = member(result, 'targetInfos');
  assert.ok(Array.isArray(infos));
  const ids = infos.filter((info) => member(info, 'type') === 'browser').map((info) => member(info, 'targetId'));
  assert.is(ids.length, 1);
  const own = await client.send('Target.getTargetInfo');
  assert.is(member(own.result?.['targetInfo'], 'targetId'), ids[0]);
  const attached = await client.send('Target.attachToTarget', { targetId: ids[0], flatten: true });
  const version = await client.send('Browser.getVersion', {}, String(attached.result?.['sessionId']));
  assert.ok(member(version.result, 'product'));
  await leave(...clients);
});

test(
  'a trace contains only the pages of the client that records it',
  async () => {
    const victim = await openVictim();
    const tracer = await open();
    const { sessionId } = await openPage(tracer, `${site.url}/small?own-page`);
    const record = async (session?: string) => {
      const before = tracer.events.length;
      const started = await tracer.send(
        'Tracing.start',
        { categories: '-*,devtools.timeline,loading,disabled-by-default-devtools.screenshot,navigation' },
        session,
      );
      assert.equal(started.result, {}, JSON.stringify(started.error));
      await tracer.send('Page.reload', {}, sessionId);
      await victim.client.send('Page.reload', {}, victim.sessionId);
      const other = await openPage(victim.client, `${victimSite.url}/small?${secret}-2`);
      await victim.client.send('Target.closeTarget', { targetId: other.targetId });
      await until('the page', () => valueOf(tracer, 'document.readyState === "complete"', sessionId));
      assert.equal((await tracer.send('Tracing.end', {}, session)).result, {});
      const complete = await until(
        'the trace',
        () => tracer.events.slice(before).find(({ method }) => method === 'Tracing.tracingComplete'),
        30_000,
      );
      return {
        complete,
        events: tracer.events.slice(before).filter(({ method }) => method === 'Tracing.dataCollected'),
      };
    };
    for (const session of [undefined, sessionId]) {
      const { events } = await record(session);
      const text = JSON.stringify(events);
      assert.match(text, 'own-page');
      assert.not.match(text, secret);
      assert.not.match(text, victim.targetId);
      assert.not.match(text, new URL(victimSite.url).port);
    }
    // A process allows one trace at a time: the error says what to do.
    assert.equal((await tracer.send('Tracing.start', {})).result, {});
    const second = await victim.client.send('Tracing.start', {});
    assert.match(second.error?.message ?? '', 'isolation=process');
    await leave(victim.client, tracer);
  },
  { timeoutMs: 120_000 },
);

test.shows('hanging-page', 'CDP');
test.proves('PAGE_BUSY_MS');
test(
  'a page that keeps a CPU busy is terminated, and other clients keep working',
  async () => {
    const [client, otherClient] = [await open(), await open()];
    const mine = await openPage(client, `${site.url}/small`);
    const theirs = await openPage(otherClient, `${site.url}/small`);
    await client.send('Inspector.enable', {}, mine.sessionId);
    void client.send('Runtime.evaluate', { expression: 'while (true);' }, mine.sessionId);
    await until(
      'the renderer to crash',
      () => client.events.some(({ method }) => method === 'Inspector.targetCrashed'),
      60_000,
    );
    assert.is(await valueOf(otherClient, 'document.title', theirs.sessionId), 'Small');
    assert.ok(service.logs().some(({ event }) => event === 'page.busy-exceeded'));
    // The client continues with another page.
    const again = await openPage(client, `${site.url}/small`);
    assert.is(await valueOf(client, 'document.title', again.sessionId), 'Small');
    await leave(client, otherClient);
  },
  { timeoutMs: 120_000 },
);
