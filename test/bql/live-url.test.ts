// BrowserQL: liveURL returns a link that works after the document ends, for as long as the browser is kept alive.
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { operations } from '../../src/api/bql/operations/table.ts';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { attach, member, valueOf } from '../support/clients/targets.ts';
import { type Viewer, watchLive } from '../support/clients/viewer.ts';
import { until } from '../support/until.ts';
import { quickStealth } from './quick-stealth.ts';

const maxReconnectMs = 15_000;
const { test, fixture } = bqlSuite('BrowserQL liveURL', {
  env: { ...quickStealth, TOKEN: 'live-token', LOG_LEVEL: 'debug', MAX_RECONNECT_TIME: String(maxReconnectMs) },
});

test.after.each(async () => {
  for (const { id } of await sessionsOf(fixture.service)) await fixture.service.get(`/kill/${id}`);
  await untilNoSessions();
});

const untilNoSessions = () =>
  until('the browsers to be gone', async () => (await sessionsOf(fixture.service)).length === 0);
const pathOf = (address: string) => new URL(address).pathname;
const statusOf = async (link: string) => (await fetch(link)).status;
const firstBytes = async (viewer: Viewer) => {
  await until('a frame', () => viewer.frames.length > 0);
  return viewer.frames[0]?.bytes.length ?? 0;
};

test.proves('liveURL.instructions');
test('the link works after the document ends; viewers can click and resize, then the size is restored', async () => {
  const { live, reconnect } = await fixture.data(`mutation {
    viewport(width: 500, height: 400) { width }
    goto(url: "SITE/live/form") { status }
    live: liveURL(timeout: 12000, instructions: "Sign in") { liveURL liveURLId }
    reconnect(timeout: 9000) { browserWSEndpoint browserQLEndpoint }
  }`);
  const viewer = await watchLive(live.liveURL);
  const { interactive, resizable, ui, instructions, expiresAt } = await viewer.waitForMessage('hello');
  assert.equal([interactive, resizable, ui, instructions], [true, true, false, 'Sign in']);
  assert.ok((expiresAt ?? Infinity) <= Date.now() + 12_000);

  const client = await rawClient(socketUrl(fixture.service, pathOf(reconnect.browserWSEndpoint)));
  const { result } = await client.send('Target.getTargets');
  const [target] = member(result, 'targetInfos') as { targetId: string }[]; // As the protocol defines.
  const sessionId = await attach(client, target?.targetId ?? '');
  viewer.send({ t: 'size', w: 700, h: 600, dpr: 1 });
  await until('the size of the viewer', async () => (await valueOf(client, 'innerWidth', sessionId)) === 700);
  viewer.click(60, 195);
  const backgroundColor = 'document.body.style.background';
  await until('the click', async () => (await valueOf(client, backgroundColor, sessionId)) === 'rgb(0, 160, 0)');
  viewer.send({ t: 'done', failed: false, note: '' });
  assert.is((await viewer.ended()).reason, 'done');
  const told = await until('its event', () =>
    client.events.find(({ method }) => method === 'Browserless.liveComplete'),
  );
  assert.equal([told.params?.['liveURLId'], told.params?.['reason']], [live.liveURLId, 'done']);
  await until('the size set by the document', async () => (await valueOf(client, 'innerWidth', sessionId)) === 500);
  assert.is(await statusOf(live.liveURL), 404);
  client.socket.close();
  await client.closed;
  await fixture.data('mutation { title { title } }', { path: pathOf(reconnect.browserQLEndpoint) });
  // Not kept alive again: the browser was closed with the response.
  await untilNoSessions();
});

test.proves('liveURL.timeout');
test('when the link expires, viewers are notified and the browser is closed; watching does not extend it', async () => {
  const { live } = await fixture.data(
    'mutation { goto(url: "SITE/live/spinner") { status } live: liveURL(timeout: 2500) { liveURL liveURLId } }',
  );
  const viewer = await watchLive(live.liveURL);
  await viewer.nextFrame();
  const { reason, text } = await viewer.ended();
  assert.equal([reason, text], ['timeout', 'This link has expired.']);
  assert.is(await statusOf(live.liveURL), 404);
  await untilNoSessions();
});

test.needs('a full Chromium');
test('the longer of liveURL and reconnect keeps the browser alive, up to MAX_RECONNECT_TIME', async () => {
  const documents = [
    'live: liveURL(timeout: 9000) { liveURL } reconnect(timeout: 300) { browserQLEndpoint }',
    'reconnect(timeout: 9000) { browserQLEndpoint } live: liveURL(timeout: 300) { liveURL }',
    'live: liveURL(timeout: 9000) { liveURL } other: liveURL(timeout: 300) { liveURL }',
    'live: liveURL(timeout: 99000) { liveURL }',
  ];
  const session = (await fixture.service.post('/session', { ttl: 60_000, stealth: true })).json<{
    browserQL: string;
  }>();
  const path = pathOf(session.browserQL);
  const [first, second, third, capped] = await Promise.all([
    ...documents.map((document) => fixture.data(`mutation { ${document} }`)),
    fixture.data(
      'mutation { mark: evaluate(content: "window.mark = 7") { value } liveURL(timeout: 300) { liveURL } }',
      {
        path,
      },
    ),
  ]);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  // The session created with POST /session is listed too, and its page is available to the next document.
  assert.is((await sessionsOf(fixture.service)).filter(({ running }) => running).length, 5);
  assert.is((await fixture.data('mutation { evaluate(content: "mark") { value } }', { path })).evaluate.value, '7');
  const open = await Promise.all([first, second, third, capped].map((data) => statusOf(data?.live.liveURL)));
  assert.equal(
    open.map((status) => status !== 404),
    [true, false, true, true],
  );
  const { expiresAt } = await (await watchLive(capped?.live.liveURL)).waitForMessage('hello');
  assert.ok((expiresAt ?? Infinity) <= Date.now() + maxReconnectMs);
});

test.proves('liveURL.interactable liveURL.quality liveURL.resizable liveURL.showBrowserInterface liveURL.type');
test('each live view of a document has its own options', async () => {
  const { usual, unset, best, plain } = await fixture.data(
    `mutation ($none: Int) {
      goto(url: "SITE/live/tall") { status }
      usual: liveURL { liveURL liveURLId }
      unset: liveURL(quality: $none) { liveURL }
      best: liveURL(quality: 100, type: jpeg) { liveURL }
      plain: liveURL(interactable: false, resizable: false, showBrowserInterface: true, type: png, quality: 1) { liveURL }
    }`,
  );
  assert.match(new URL(usual.liveURL).search, /^\?i=[\w-]{24}$/);
  assert.ok(usual.liveURL.endsWith(usual.liveURLId));
  const sizes: Record<string, number> = {};
  for (const [name, { liveURL }] of Object.entries({ usual, unset, best, plain })) {
    const viewer = await watchLive(liveURL);
    sizes[name] = await firstBytes(viewer);
    const still = await until('the sharp frame', () => viewer.frames[1]);
    const { interactive, resizable, ui, instructions } = await viewer.waitForMessage('hello');
    const expected = name === 'plain' ? ['png', false, false, true, ''] : ['jpeg', true, true, false, ''];
    assert.equal([still.kind, interactive, resizable, ui, instructions], expected);
    await viewer.leave();
  }
  const { usual: moving = 0, unset: same, best: most = 0, plain: least = 0 } = sizes;
  assert.is(same, moving);
  assert.ok(least < moving && moving < most, JSON.stringify(sizes));

  const many = Array.from({ length: 21 }, (_, at) => `l${at}: liveURL { liveURL }`).join(' ');
  await fixture.fails(`mutation { ${many} }`, 'l20', 'BAD_ARGUMENT', '20 live views');
});

test('invalid arguments are reported and do not keep the browser alive; unsupported environments are reported', async () => {
  const wrong: Record<string, string> = {
    'timeout: 0': '"timeout" must be 1 to',
    'timeout: -5': '"timeout" must be 1 to',
    'timeout: 1e12': '"timeout" must be 1 to',
    'quality: 0': '"quality" must be 1 to 100, got 0.',
    'quality: 101': '"quality" must be 1 to 100, got 101.',
    [`instructions: "${'x'.repeat(501)}"`]: '"instructions" must have at most 500 characters.',
  };
  const steps = Object.keys(wrong).map((args, at) => `s${at}: liveURL(${args}) { liveURL }`);
  const { data, errors = [] } = await fixture.run(`mutation { ${steps.join(' ')} after: title { title } }`);
  assert.equal(
    Object.values(data).slice(0, -1),
    steps.map(() => null),
  );
  assert.is(data['after'].title, '');
  for (const [at, message] of Object.values(wrong).entries()) assert.match(errors[at]?.message ?? '', message);
  await untilNoSessions();
  const untyped = {
    'type: webp': 'LiveURLStreamType',
    'quality: 1.5': 'Int cannot represent',
    'resizable: "yes"': 'Boolean cannot represent',
    'interactive: true': 'Unknown argument "interactive"',
  };
  for (const [args, message] of Object.entries(untyped)) {
    const { status, text } = await fixture.send(`mutation { liveURL(${args}) { liveURL } }`);
    assert.is(status, 400);
    assert.match(text.replaceAll('\\', ''), message);
  }
  // A page in an environment that cannot keep browsers alive.
  const call = { args: {}, session: { environment: {} }, info: { fieldNodes: [] } };
  const failed: unknown = await operations['liveURL']?.run(call as never).catch((error: unknown) => error);
  assert.match(String(failed), 'StepError: This browser cannot be kept open.');
});

test('the browser is kept alive only if the document reached liveURL, even if it then timed out', async () => {
  const branch = (name: string) => `mutation { content(html: "<h1>x</h1>") { status }
    ${name}(selector: "h1") { liveURL(timeout: 9000) { liveURL } } }`;
  assert.is((await fixture.data(branch('ifnot')))['ifnot'], null);
  await untilNoSessions();
  const taken = await fixture.data(branch('if'));
  await (await watchLive(taken['if'].liveURL.liveURL)).nextFrame();
  const late = await fixture.send('mutation { liveURL { liveURL } waitForTimeout(time: 20000) { time } }', {
    query: { timeout: 3_000 },
  });
  assert.is(late.status, 408);
  const { data } = late.json<{ data: { liveURL: { liveURL: string } } }>();
  await (await watchLive(data.liveURL.liveURL)).nextFrame();
});

test('over a socket: new pages have the original size, and the log does not contain the link', async () => {
  const query = { launch: JSON.stringify({ defaultViewport: { width: 640, height: 480 } }) };
  const client = createClient({
    url: socketUrl(fixture.service, '/chromium/bql', query),
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
  });
  const ask = (document: string) =>
    new Promise<any>((resolve, reject) => {
      let answer: unknown;
      client.subscribe(
        { query: placed(document, fixture) },
        { next: (value) => (answer = value), error: reject, complete: () => resolve(answer) },
      );
    });
  const width = async () => (await ask('mutation { evaluate(content: "innerWidth") { value } }')).data.evaluate.value;
  const { data } = await ask(
    'mutation { goto(url: "SITE/live/form") { status } liveURL(timeout: 9000) { liveURL liveURLId } }',
  );
  assert.is(await width(), '640');
  const viewer = await watchLive(data.liveURL.liveURL);
  viewer.send({ t: 'size', w: 900, h: 600, dpr: 1 });
  await until('the size of the viewer', async () => (await width()) === '900');
  await client.dispose();
  await until('the socket to be gone', async () => (await sessionsOf(fixture.service))[0]?.numbConnected === 0);
  viewer.click(60, 195);
  await viewer.nextFrame();
  await viewer.leave();
  // The page gets its size back when the server has seen that the viewer left.
  const restored = 'new Promise((done) => setInterval(() => innerWidth === 640 && done(innerWidth), 20))';
  const next = await fixture.data(`mutation { evaluate(content: "${restored}") { value } liveURL { liveURL } }`, {
    path: `/chromium/bql/${(await sessionsOf(fixture.service))[0]?.id}`,
  });
  assert.is(next.evaluate.value, '640');
  await until('its log line', () => fixture.service.logs().some(({ event }) => event === 'live.viewer'));
  assert.not.match(fixture.service.output(), data.liveURL.liveURLId.slice(4));
});
