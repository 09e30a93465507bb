// CDP sockets (compatibility.mdx#sockets) with Puppeteer, a bare client, and refused handshakes.
// @runs process
import { existsSync } from 'node:fs';
import * as assert from 'uvu/assert';
import {
  connect,
  endAll,
  handshake,
  noSessions,
  rawClient,
  sessionsOf,
  socketUrl,
} from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('CDP sockets', { env: { TOKEN: 'secret-token', CONCURRENT: '5' } });

test.after.each(() => endAll(service));

interface Target {
  id: string;
  title: string;
  type: string;
  url: string;
  webSocketDebuggerUrl: string;
  devtoolsFrontendUrl: string;
}

test.peer('sockets');
test.peer('sockets', 'CDP: Puppeteer connects to /chrome', 'CDP: several clients, one after the other');
test('Puppeteer connects to / and /chromium, opens a page and leaves nothing behind', async () => {
  for (const path of ['/', '/chrome']) {
    const browser = await connect(service, path);
    assert.is((await browser.pages()).length, 1);
    const page = await browser.newPage();
    await page.goto(`${site.url}/`);
    assert.is(await page.title(), 'Test page');
    await browser.close();
    await noSessions(service);
  }
});

test.peer('sockets');
test.peer('parameters and errors', 'paths: the last segment is the id, regardless of the query');
test('numbConnected counts the clients of a browser, which closes after the last one', async () => {
  const first = await connect(service);
  const [entry] = await sessionsOf(service);
  assert.is(entry?.numbConnected, 1);
  const second = await connect(service, `/devtools/browser/${entry?.id}`);
  assert.is((await sessionsOf(service))[0]?.numbConnected, 2);
  assert.is((await second.pages()).length, 1);
  await first.disconnect();
  await until('one client', async () => (await sessionsOf(service))[0]?.numbConnected === 1);
  assert.match(await second.version(), /Chrome/);
  await second.disconnect();
  await noSessions(service);
});

test.peer('sockets');
test.differs('`devtoolsFrontendUrl` names an internal port of the server');
test('/sessions lists the browser and its pages; /json/list and page sockets lead to the pages', async () => {
  const browser = await connect(service, '/', { trackingId: 'my-id' });
  const page = await browser.newPage();
  await page.goto(`${site.url}/`);
  const entries = (await service.get('/sessions', { query: { trackingId: 'my-id' } })).json<
    { type: string; url?: string; webSocketDebuggerUrl?: string; browserWSEndpoint?: string; launchOptions: object }[]
  >();
  assert.equal(entries.map(({ type }) => type).toSorted(), ['browser', 'page', 'page']);
  const entry = entries.find(({ url }) => url === `${site.url}/`);
  assert.match(entry?.browserWSEndpoint ?? '', new RegExp(`^ws://127.0.0.1:${service.port}/devtools/browser/[\\w-]+$`));

  const targets = (await service.get('/json/list')).json<Target[]>();
  const target = targets.find(({ url }) => url === `${site.url}/`);
  assert.is(target?.type, 'page');
  assert.is(target?.webSocketDebuggerUrl, entry?.webSocketDebuggerUrl);
  assert.match(
    target?.devtoolsFrontendUrl ?? '',
    new RegExp(`^/devtools/inspector.html\\?ws=127.0.0.1:${service.port}/`),
  );
  const client = await rawClient(socketUrl(service, new URL(target?.webSocketDebuggerUrl ?? '').pathname));
  const answer = await client.send('Page.enable');
  assert.equal(answer, { id: 1, result: {} });
  const { result } = await client.send('Browserless.pageId');
  assert.is(result?.['pageId'], target?.id);
  client.socket.close();
  await client.closed;
  assert.not.match(JSON.stringify(entries), /secret-token/);
  await browser.close();
  assert.not.match(service.output(), /secret-token/);
});

test.peer('sockets');
test('PUT /json/new reserves a page, which opens when a client connects to its socket', async () => {
  const reply = succeeded(await service.get('/json/new', { method: 'PUT' }));
  const target = reply.json<Target>();
  assert.match(target.id, /^BLESS[0-9A-Z]{27}$/);
  assert.is(target.title, 'New Tab');
  assert.is(target.url, 'about:blank');
  assert.is((await sessionsOf(service)).length, 0);
  const client = await rawClient(socketUrl(service, new URL(target.webSocketDebuggerUrl).pathname));
  await client.send('Page.enable');
  const { result } = await client.send('Page.navigate', { url: `${site.url}/` });
  assert.type(result?.['frameId'], 'string');
  client.socket.close();
  await noSessions(service);
  refused(await service.get('/json/new'), 404);
});

test.peer('sockets', 'CDP: a wrong token is rejected', 'CDP: trackingId=all is rejected');
test.peer('sockets', 'pages: a socket without a token is a 401', 'pages: an unknown id is a 404');
test.differs('Refusals have no length and an invalid encoding', 'Page sockets of Chrome and Edge do not need a token');
test('refused handshakes get HTTP responses with bodies', async () => {
  const cases: [path: string, query: Record<string, string>, status: number, text: RegExp][] = [
    ['/', { token: '' }, 401, /Bad or missing authentication/],
    ['/', { token: 'wrong' }, 401, /Bad or missing authentication/],
    ['/nowhere', {}, 404, /^Not Found/],
    ['/', { timeout: 'soon' }, 400, /timeout/],
    ['/', { launch: '{broken' }, 400, /Error parsing launch-options/],
    ['/', { trackingId: 'all' }, 400, /trackingId cannot be the reserved word "all"/],
    ['/', { trackingId: 'x'.repeat(33) }, 400, /must be less than 32 characters/],
    ['/', { launch: '{"args":["--remote-debugging-port=9222"]}' }, 400, /remote-debugging/],
    ['/devtools/browser/unknown', {}, 404, /Couldn't locate browser "unknown"/],
    ['/devtools/page/unknown', {}, 404, /Couldn't locate browser "unknown"/],
    ['/devtools/page/unknown', { token: '' }, 401, /authentication/],
    ['/reconnect/unknown', {}, 404, /Couldn't locate browser "unknown"/],
    ['/session/connect/unknown', {}, 404, /Couldn't locate session "unknown"/],
    ['/edge', {}, 404, /Edge is not installed/],
  ];
  for (const [path, query, status, text] of cases) {
    const reply = await handshake(service, path, query);
    assert.is(reply.status, status, `${path} ${JSON.stringify(query)}: ${reply.text}`);
    assert.match(reply.text, text);
    assert.match(String(reply.headers['content-type']), /^text\/plain/);
    assert.is(reply.headers['content-length'], String(new TextEncoder().encode(reply.text).length));
    assert.is(reply.headers['connection'], 'close');
  }
  assert.is((await handshake(service, '/nowhere', {}, { Host: '][' })).status, 404);
  const handicapped = await handshake(service, '/', {}, { 'Sec-WebSocket-Version': '8' });
  assert.is(handicapped.status, 400);
  assert.is(handicapped.headers['sec-websocket-version'], '13');
});

test('an HTTP request to a socket gets a 404 that mentions WebSocket; other upgrades are ordinary requests', async () => {
  refused(await service.get('/chromium'), 404, 'WebSocket');
  succeeded(await service.get('/config', { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } }));
});

test.peer('sockets');
test('a tracking id in use is rejected, and /kill with it ends its session', async () => {
  const browser = await connect(service, '/', { trackingId: 'once' });
  const reply = await handshake(service, '/', { trackingId: 'once' });
  assert.is(reply.status, 400);
  assert.match(reply.text, /A browser session with trackingId "once" already exists/);
  refused(await service.get('/kill/once'), 204);
  await until('the client to be disconnected', () => !browser.connected);
  await noSessions(service);
});

test.peer('sockets');
test.differs('Killed, timed-out and crashed sessions close with 1006');
test('/kill disconnects every client with its close code', async () => {
  const first = await rawClient(socketUrl(service, '/'));
  const [entry] = await sessionsOf(service);
  const second = await rawClient(socketUrl(service, `/devtools/browser/${entry?.id}`));
  refused(await service.get(`/kill/${entry?.id}`), 204);
  assert.equal(await sessionsOf(service), []);
  for (const { closed } of [first, second]) {
    const { code, reason } = await closed;
    assert.is(code, 4410);
    assert.match(reason, /ended by a call to \/kill/);
  }
});

test.peer('sockets');
test('the time limit disconnects all clients of a browser and counts as a timeout', async () => {
  const counted = async () => (await service.get('/metrics/total')).json<{ timedout: number; successful: number }>();
  const before = await counted();
  const first = await rawClient(socketUrl(service, '/', { timeout: 3_000 }));
  const [entry] = await sessionsOf(service);
  const second = await rawClient(socketUrl(service, `/devtools/browser/${entry?.id}`));
  for (const { closed } of [first, second]) assert.is((await closed).code, 4408);
  await noSessions(service);
  const after = await counted();
  assert.ok(after.timedout >= before.timedout + 1);
  assert.is(after.successful, before.successful);
});

test.peer('sockets');
test.differs('A forbidden URL closes the browser');
test('file: URLs end the session no matter how they are requested', async () => {
  for (const url of ['FILE:///etc/hostname', 'view-source:file:///etc/hostname']) {
    const client = await rawClient(socketUrl(service, '/'));
    void client.send('Target.createTarget', { url });
    assert.is((await client.closed).code, 1008);
  }
  // The escaped method name passes the first check, but not the second.
  const client = await rawClient(socketUrl(service, '/'));
  client.socket.send('{"id":9,"method":"Target.create\\u0054arget","params":{"url":"file:///etc/hostname"}}');
  assert.is((await client.closed).code, 1008);
});

test('large messages pass in both directions', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const { result: { targetInfos } = {} } = await client.send('Target.getTargets');
  const page = (targetInfos as { targetId: string; type: string }[]).find(({ type }) => type === 'page');
  const attached = await client.send('Target.attachToTarget', { targetId: page?.targetId, flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  const text = 'ä'.repeat(1_500_000);
  const { result: up } = await client.send(
    'Runtime.evaluate',
    { expression: `${JSON.stringify(text)}.length` },
    sessionId,
  );
  assert.equal(up?.['result'], { type: 'number', value: text.length, description: String(text.length) });
  const { result: down } = await client.send('Runtime.evaluate', { expression: '"ö".repeat(3_000_000)' }, sessionId);
  assert.equal(down?.['result'], { type: 'string', value: 'ö'.repeat(3_000_000) });
  client.socket.close();
});

test('pings are answered and fragmented messages are forwarded', async () => {
  const client = await rawClient(socketUrl(service, '/'));
  const pong = new Promise((resolve) => client.socket.once('pong', (data) => resolve(data.toString())));
  client.socket.ping('beat');
  assert.is(await pong, 'beat');
  const [head, tail] = ['{"id":1000,"method":"Browser.', 'getVersion"}'];
  const answer = new Promise<string>((resolve) => client.socket.once('message', (data) => resolve(data.toString())));
  client.socket.send(head, { fin: false });
  client.socket.send(tail, { fin: true });
  assert.match(await answer, /^\{"id":1000,"result"/);
  client.socket.close();
});

test.peer('sockets');
test('when a browser crashes, its clients are notified and its profile is removed', async () => {
  const client = await rawClient(socketUrl(service, '/', { '--lang': 'fi' }));
  const [entry] = await sessionsOf(service);
  const child = service
    .tree()
    .find(({ command }) => command.includes(entry?.userDataDir ?? '?') && !command.includes('--type='));
  process.kill(child?.pid ?? 0, 'SIGKILL');
  const { code, reason } = await client.closed;
  assert.is(code, 1011);
  assert.match(reason, /ended unexpectedly/);
  await noSessions(service);
  await until('the profile to be gone', () => !existsSync(entry?.userDataDir ?? ''), 20_000);
});

test.peer('sockets');
test.peer('sockets', 'CDP: time in the queue does not count');
test('with one slot, a second client waits, a full queue rejects, and the metrics count both', async () => {
  await using small = await startService({ env: { CONCURRENT: '1', QUEUED: '1' } });
  const first = await connect(small);
  const waiting = connect(small);
  await until('a queued call', async () => {
    const { pressure } = (await small.get('/pressure')).json<{ pressure: { queued: number } }>();
    return pressure.queued === 1;
  });
  const reply = await handshake(small, '/');
  assert.is(reply.status, 429);
  assert.match(reply.text, /Too many requests/);
  await first.disconnect();
  await (await waiting).disconnect();
  const total = () => small.get('/metrics/total').then((answer) => answer.json<Record<string, number>>());
  await until('both to be counted', async () => (await total())['successful'] === 2);
  const { queued, rejected, error } = await total();
  assert.equal({ queued, rejected, error }, { queued: 1, rejected: 1, error: 0 });
  // Time in the queue does not count: the clock starts when the slot is granted.
  const late = await connect(small);
  const beganAt = performance.now();
  const patient = connect(small, '/', { timeout: 5_000 });
  await until('its time limit to expire', () => performance.now() - beganAt > 5_500);
  await late.disconnect();
  await (await patient).disconnect();
});
