// Clients that speak the protocol directly, as WebDriver drivers do: flat sessions, targets that attach automatically,
// several clients on one browser, the order of responses, and what ends when a client disconnects.
import { Buffer } from 'node:buffer';
import * as assert from 'uvu/assert';
import { endAll, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type RefusedCommands, refusedCommands } from '../support/clients/refused-commands.ts';
import { openSession, putFile, token } from '../support/clients/session-files.ts';
import { attach, member, openPage, targetsOf, valueOf } from '../support/clients/targets.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('raw clients', { env: { TOKEN: token } });
let refusals: RefusedCommands;

test.before(() => (refusals = refusedCommands(fixture.service)));
test.after.each(() => endAll(fixture.service));

/** The headless shell keeps cross-site frames in the process of their page unless a switch changes that. */
const isolated = { launch: JSON.stringify({ args: ['--site-per-process'] }) };

test.differs('Every CDP command is allowed');
test('refused and unknown commands get errors and are counted', async () => {
  await refusals.takeNew();
  const { client } = await openSession(fixture.service);
  const unknown = await client.send('Page.nosuch');
  assert.equal(unknown.error, { code: -32601, message: "'Page.nosuch' wasn't found" });
  const refused = await client.send('Tethering.bind', { port: 1 });
  assert.match(refused.error?.message ?? '', 'It opens ports on the server');
  assert.equal(await refusals.takeNew(), ['refused Tethering.bind', 'unknown']);
  assert.equal(await refusals.takeNew(), []);
});

test('sessions are attached, detached and attached again; a detached session is not found', async () => {
  const { client } = await openSession(fixture.service);
  const { targetId, sessionId } = await openPage(client, `${fixture.site.url}/small`);
  assert.is(await valueOf(client, 'document.title', sessionId), 'Small');
  assert.equal((await client.send('Target.detachFromTarget', { sessionId })).result, {});
  await until('the event', () =>
    targetsOf(client, 'Target.detachedFromTarget').some((one) => one.session === sessionId),
  );
  const late = await client.send('Runtime.evaluate', { expression: '1' }, sessionId);
  assert.equal(late.error, { code: -32001, message: 'Session with given id not found.' });
  const again = await attach(client, targetId);
  assert.is.not(again, sessionId);
  assert.is(await valueOf(client, 'document.title', again), 'Small');
  const nested = String((await client.send('Target.attachToBrowserTarget')).result?.['sessionId']);
  assert.match(String((await client.send('Browser.getVersion', {}, nested)).result?.['product']), /Chrome/);
  const third = await client.send('Target.attachToTarget', { targetId, flatten: true }, nested);
  assert.is(await valueOf(client, 'document.title', String(third.result?.['sessionId'])), 'Small');
});

/** Each starts an additional target, and returns that target's message. */
const workers: Record<string, string> = {
  worker: `new Promise((resolve) => {
    const worker = new Worker('/answering-worker.js');
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(1);
  })`,
  'shared worker': `new Promise((resolve) => {
    new SharedWorker('/answering-worker.js').port.onmessage = ({ data }) => resolve(data);
  })`,
  'service worker': `(async () => {
    await navigator.serviceWorker.register('/answering-worker.js');
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
    active.postMessage(1, [port2]);
    return answer;
  })()`,
  'worker of a worker': `new Promise((resolve) => {
    const code = "new Worker('" + location.origin + "/answering-worker.js')";
    const url = URL.createObjectURL(new Blob(['const w = ' + code + '; w.onmessage = ({ data }) => postMessage(data); w.postMessage(1);']));
    new Worker(url).onmessage = ({ data }) => resolve(data);
  })`,
  popup: `new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data));
    open('/small').addEventListener('load', function () { this.opener.postMessage('runs'); });
  })`,
  frame: `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.srcdoc = '<script>parent.postMessage("runs")</script>';
    addEventListener('message', ({ data }) => resolve(data));
    document.body.append(frame);
  })`,
};

const attachToNew = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
for (const when of ['never', 'first', 'late'] as const) {
  test(`workers, popups and frames run for a client that attaches to new targets ${when}`, async () => {
    const { client } = await openSession(fixture.service);
    if (when === 'first') await client.send('Target.setAutoAttach', attachToNew);
    const { sessionId } = await openPage(client, `${fixture.site.url}/small`);
    const started = Object.entries(workers).map(async ([name, expression]) => {
      const late = new Promise((resolve) => setTimeout(resolve, 10_000, 'nothing').unref());
      return [name, await Promise.race([valueOf(client, expression, sessionId), late])] as const;
    });
    if (when === 'late') await client.send('Target.setAutoAttach', attachToNew);
    for (const [name, said] of await Promise.all(started)) assert.is(said, 'runs', name);
  });
}

test('target discovery reports targets that are created, changed and destroyed', async () => {
  const { client } = await openSession(fixture.service);
  await client.send('Target.setDiscoverTargets', { discover: true });
  assert.ok(targetsOf(client, 'Target.targetCreated').some(({ info }) => info.type === 'page'));
  const { targetId } = await openPage(client, `${fixture.site.url}/small`);
  const changed = () => targetsOf(client, 'Target.targetInfoChanged').map(({ info }) => info);
  await until('its URL', () => changed().some((info) => info.targetId === targetId && info.url.endsWith('/small')));
  await client.send('Target.closeTarget', { targetId });
  const gone = () => client.events.filter(({ method }) => method === 'Target.targetDestroyed');
  await until('the target to be destroyed', () => gone().some(({ params }) => params?.['targetId'] === targetId));
  await client.send('Target.setDiscoverTargets', { discover: false });
  const { length } = client.events;
  await client.send('Target.createTarget', { url: 'about:blank' });
  assert.equal(client.events.slice(length), []);
});

test('pages, out-of-process frames and workers attach automatically, and wait until they are resumed', async () => {
  const { client } = await openSession(fixture.service, isolated);
  const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  await client.send('Target.setAutoAttach', autoAttach);
  const attached = () => targetsOf(client, 'Target.attachedToTarget');
  const [before] = attached();
  assert.is(before?.info.type, 'page', 'the page that already exists');
  const { result } = await client.send('Target.createTarget', { url: `${fixture.site.url}/frames` });
  const page = await until('the page', () => attached().find(({ info }) => info.targetId === result?.['targetId']));
  assert.is(page.waiting, true);
  await client.send('Target.setAutoAttach', autoAttach, page.session);
  await client.send('Runtime.runIfWaitingForDebugger', {}, page.session);
  const frame = await until('the frame', () => attached().find(({ info }) => info.type === 'iframe'));
  assert.equal([frame.parent, frame.waiting], [page.session, true]);
  await client.send('Runtime.runIfWaitingForDebugger', {}, frame.session);
  const origin = await until('the frame to load', async () => {
    const now = await valueOf(client, 'document.title === "Small" && location.origin', frame.session);
    return now === false ? undefined : now;
  });
  assert.is(origin, fixture.site.otherUrl);
  await valueOf(client, 'window.worker = new Worker("data:text/javascript,self.answer = 42"), 1', page.session);
  const worker = await until('the worker', () => attached().find(({ info }) => info.type === 'worker'));
  assert.is(worker.parent, page.session);
  await client.send('Runtime.runIfWaitingForDebugger', {}, worker.session);
  await until('its script', async () => (await valueOf(client, 'self.answer', worker.session)) === 42);
});

test('200 responses arrive in the order of their commands', async () => {
  const { client } = await openSession(fixture.service);
  const { sessionId } = await openPage(client, `${fixture.site.url}/small`);
  const order: number[] = [];
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  const values = await Promise.all(
    numbers.map(async (number) => {
      const value = await valueOf(client, `${number} * 2`, sessionId);
      order.push(number);
      return value;
    }),
  );
  assert.equal(order, numbers);
  assert.equal(
    values,
    numbers.map((number) => number * 2),
  );
});

test('a command with files holds back the commands after it', async () => {
  const { client, id } = await openSession(fixture.service);
  const { sessionId } = await openPage(client, `${fixture.site.url}/small`);
  await putFile(fixture.service, id, { name: 'note.txt', body: 'hello' });
  await valueOf(client, 'document.body.innerHTML = "<input type=file>"', sessionId);
  const { result } = await client.send(
    'Runtime.evaluate',
    { expression: 'document.querySelector("input")' },
    sessionId,
  );
  const objectId = member(result?.['result'], 'objectId');
  for (let round = 0; round < 5; round++) {
    // None of these waits for the previous one.
    void valueOf(client, 'document.querySelector("input").value = ""', sessionId);
    const files = ['note.txt'];
    void client.send('DOM.setFileInputFiles', { objectId, files }, sessionId);
    assert.is(await valueOf(client, 'document.querySelector("input").files[0]?.name', sessionId), 'note.txt');
  }
  const answers: string[] = [];
  const commands: [method: string, params?: object][] = [
    ['Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/somewhere' }],
    ['Browser.getVersion'],
    ['Browserless.uploadFile', { name: 'b', data: Buffer.from('b').toString('base64') }],
    ['Page.nosuch'],
    ['Browserless.pageId'],
    ['Target.getTargets'],
  ];
  await Promise.all(commands.map(([method, params]) => client.send(method, params).then(() => answers.push(method))));
  // The browser responds later than the server: the order is kept only within each of the two.
  const server = ['Browserless.uploadFile', 'Page.nosuch', 'Browserless.pageId'];
  assert.equal(
    answers.filter((method) => server.includes(method)),
    server,
  );
  assert.equal(
    answers.filter((method) => !server.includes(method)),
    ['Browser.setDownloadBehavior', 'Browser.getVersion', 'Target.getTargets'],
  );
});

test('two clients of one browser that use the same command ids each get their own responses', async () => {
  const { client, id } = await openSession(fixture.service);
  const other = await rawClient(socketUrl(fixture.service, `/devtools/browser/${id}`));
  const { targetId, sessionId } = await openPage(client, `${fixture.site.url}/small`);
  // Bring both clients to the same command id.
  const theirs = await attach(other, targetId);
  for (let sent = 2; sent < 10; sent++) await other.send('Browser.getVersion');
  const pairs = Array.from({ length: 40 }, (_, index) => index);
  const [first, second] = await Promise.all([
    Promise.all(pairs.map((number) => valueOf(client, `'first ${number}'`, sessionId))),
    Promise.all(pairs.map((number) => valueOf(other, `'second ${number}'`, theirs))),
  ]);
  assert.equal(
    first,
    pairs.map((number) => `first ${number}`),
  );
  assert.equal(
    second,
    pairs.map((number) => `second ${number}`),
  );
  const stolen = await other.send('Runtime.evaluate', { expression: '1' }, sessionId);
  assert.is(stolen.error?.code, -32001, "another client's session");
});

test("a client's settings end when it disconnects, while another client stays connected", async () => {
  const { client: staying, id } = await openSession(fixture.service);
  const { targetId, sessionId } = await openPage(staying, `${fixture.site.url}/small`);
  const leaving = await rawClient(socketUrl(fixture.service, `/devtools/browser/${id}`));
  const theirs = await attach(leaving, targetId);
  const metrics = { width: 321, height: 200, deviceScaleFactor: 1, mobile: false };
  await leaving.send('Emulation.setDeviceMetricsOverride', metrics, theirs);
  await leaving.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' }, theirs);
  await leaving.send('Fetch.enable', {}, theirs);
  const state = () => valueOf(staying, 'innerWidth + " " + new Date(0).getHours()', sessionId);
  await until('the emulation', async () => (await state()) === '321 9');
  await valueOf(staying, 'window.got = undefined, void fetch("/json").then(() => (window.got = "json"))', sessionId);
  await until('the request to be held', () => leaving.events.some(({ method }) => method === 'Fetch.requestPaused'));
  assert.is(await valueOf(staying, 'window.got', sessionId), undefined);
  leaving.socket.close();
  await until('the request to continue', async () => (await valueOf(staying, 'window.got', sessionId)) === 'json');
  // Chromium's headless shell 153 keeps the size.
  await until('the emulation to end', async () => !String(await state()).endsWith(' 9'));
  assert.is((await sessionsOf(fixture.service)).length, 1);
});

test('a client that disconnects while commands run does not disturb others', async () => {
  const { client: staying, id } = await openSession(fixture.service);
  const { targetId, sessionId } = await openPage(staying, `${fixture.site.url}/small`);
  for (let round = 0; round < 3; round++) {
    const leaving = await rawClient(socketUrl(fixture.service, `/devtools/browser/${id}`));
    const theirs = await attach(leaving, targetId);
    for (let command = 0; command < 20; command++) {
      const expression = `new Promise((done) => setTimeout(done, ${command * 10}))`;
      void leaving.send('Runtime.evaluate', { expression, awaitPromise: true }, theirs);
    }
    if (round === 1) leaving.socket.terminate();
    else leaving.socket.close();
    await leaving.closed;
  }
  assert.is(await valueOf(staying, '1 + 1', sessionId), 2);
  const [entry] = await until('one client', async () => {
    const entries = await sessionsOf(fixture.service);
    return entries[0]?.numbConnected === 1 && entries;
  });
  assert.is(entry?.id, id);
  assert.equal(
    fixture.service.logs().filter(({ level }) => level === 'error'),
    [],
  );
});

test('a page socket is a session of its page and its frames, and closes when the page does', async () => {
  const { client } = await openSession(fixture.service, isolated);
  const { targetId } = await openPage(client, `${fixture.site.url}/frames`);
  const page = await rawClient(socketUrl(fixture.service, `/devtools/page/${targetId}`));
  assert.is(await valueOf(page, 'document.title'), 'Frames');
  await page.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  const [frame] = await until('the frame', () => {
    const found = targetsOf(page, 'Target.attachedToTarget').filter(({ info }) => info.type === 'iframe');
    return found.length > 0 && found;
  });
  assert.is(await valueOf(page, 'location.origin', frame?.session), fixture.site.otherUrl);
  assert.is(frame?.parent, undefined, 'its parent is the connection itself');
  const print = await page.send('Page.printToPDF', { transferMode: 'ReturnAsStream' });
  const { result: chunk } = await page.send('IO.read', { handle: print.result?.['stream'], size: 100 });
  assert.match(Buffer.from(String(chunk?.['data']), 'base64').toString('latin1'), /^%PDF/);
  await client.send('Target.closeTarget', { targetId });
  assert.is((await page.closed).code, 1000);
});

test("blockAds: events of the server's own sessions do not reach clients", async () => {
  const { client } = await openSession(fixture.service, { blockAds: true });
  await client.send('Browser.getVersion');
  assert.equal(client.events, []);
  const { targetId } = await openPage(client, `${fixture.site.url}/small`);
  const page = await rawClient(socketUrl(fixture.service, `/devtools/page/${targetId}`));
  await page.send('Page.navigate', { url: `${fixture.site.url}/ads` });
  const advertised = `document.readyState === 'complete' && document.title === 'Ads' && 'ad ' + document.documentElement.dataset.ad`;
  const ad = await until('the page', () => valueOf(page, advertised));
  assert.is(ad, 'ad undefined', 'its script was blocked');
  assert.equal(page.events, []);
  assert.equal(
    client.events.map(({ method }) => method),
    ['Target.attachedToTarget'],
  );
});
