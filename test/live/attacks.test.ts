// Live views under attack: guessed links, pages from other sites, garbage, floods, viewers that do not read, and what
// is left afterward.
import * as assert from 'uvu/assert';
import { handshake, type RawClient, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { socketOf, watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('attacks on live views', {
  env: { TOKEN: 'live-token', TIMEOUT: '0', LOG_LEVEL: 'debug', SPARES: '0' },
});
let client: RawClient;
let sessionId: string;

test.before(async () => {
  client = await rawClient(socketUrl(service, '/chromium'));
  ({ sessionId } = await openPage(client, `${site.url}/live/form`));
});

/** Creates a link to the page with the form. */
async function newLink(options: object = {}): Promise<{ link: string; id: string }> {
  const { result } = await client.send('Browserless.liveURL', options, sessionId);
  assert.is(result?.['error'], null);
  return { link: String(result?.['liveURL']), id: String(result?.['liveURLId']) };
}

const close = (id: string) => client.send('Browserless.closeLiveURL', { liveURLId: id }, sessionId);

test('invalid options are rejected with their name and a fix', async () => {
  const wrong: [object, RegExp][] = [
    [{ quality: 0 }, /"quality" must be a whole number from 1 to 100, got 0/],
    [{ quality: 101 }, /"quality" must be a whole number from 1 to 100, got 101/],
    [{ type: 'webp' }, /"type" must be one of "jpeg", "png", got "webp"/],
    [{ timeout: -1 }, /"timeout" must be a number from 0 to \d+, got -1/],
    [{ timeout: 2 ** 40 }, /"timeout" must be a number from 0 to \d+, got 1099511627776/],
    [{ interactive: 'no' }, /interactive.*true or false/],
    [{ interactive: true, interactable: false }, /"interactive" and "interactable" are aliases/],
    [{ instructions: 'x'.repeat(501) }, /instructions.*at most 500/],
    [{ resizeable: true }, /resizeable/],
  ];
  for (const [options, message] of wrong) {
    const { result } = await client.send('Browserless.liveURL', options, sessionId);
    assert.match(String(result?.['error']), message, JSON.stringify(result));
    assert.is(result?.['liveURL'], null);
  }
  const { result } = await client.send('Browserless.closeLiveURL', {}, sessionId);
  assert.match(String(result?.['error']), /liveURLId/);
});

test.shows('foreign-site', 'live views');
test("only the server's own pages can open the socket", async () => {
  const { link, id } = await newLink();
  const path = new URL(socketOf(link)).pathname;
  for (const origin of ['https://evil.example', 'null', `${site.url}`]) {
    const { status, text } = await handshake(service, path, { token: '' }, { Origin: origin });
    assert.is(status, 403, origin);
    assert.match(text, 'Only pages from this server');
  }
  const viewer = await watchLive(link, { headers: { Origin: service.url } });
  await viewer.nextFrame();
  await viewer.leave();
  await close(id);
});

test("a client cannot close another session's link", async () => {
  const { id } = await newLink();
  const other = await rawClient(socketUrl(service, '/chromium'));
  const page = await openPage(other, `${site.url}/live/form`);
  const { result } = await other.send('Browserless.closeLiveURL', { liveURLId: id }, page.sessionId);
  assert.match(String(result?.['error']), 'has no live view');
  other.socket.close();
  assert.is((await close(id)).result?.['error'], null);
});

test("garbage closes only its sender's socket", async () => {
  const { link, id } = await newLink();
  const honest = await watchLive(link);
  await honest.nextFrame();
  const garbage: [string | Buffer, number][] = [
    ['{', 1008],
    ['[]', 1008],
    ['null', 1008],
    ['{"t":"constructor"}', 1008],
    ['{"t":"nobody"}', 1008],
    ['{"t":"move","x":-1,"y":0,"b":0,"m":0}', 1008],
    ['{"t":"move","x":1.5,"y":0,"b":0,"m":0}', 1008],
    ['{"t":"move","x":1e9,"y":0,"b":0,"m":0}', 1008],
    ['{"t":"move","x":1,"y":0,"b":0,"m":0,"extra":1}', 1008],
    ['{"t":"down","x":1,"y":1,"n":9,"b":0,"c":1,"m":0}', 1008],
    ['{"t":"key","d":true,"key":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","code":"","kc":0,"r":false,"l":0,"m":0}', 1008],
    ['{"t":"size","w":1,"h":1,"dpr":1}', 1008],
    ['{"t":"ack","seq":-1}', 1008],
    [`{"t":"text","text":"${'x'.repeat(1_001)}"}`, 1008],
    [`{"t":"go","url":"${'x'.repeat(70_000)}"}`, 1008],
    [`{"t":"paste","text":"${'x'.repeat(2 ** 20 + 1)}"}`, 1008],
    [`{"t":"paste","text":"${'x'.repeat(5 * 2 ** 20)}"}`, 1009],
    [Buffer.from([1, 2, 3]), 1003],
  ];
  for (const [message, code] of garbage) {
    const viewer = await watchLive(link);
    viewer.socket.send(message);
    const name = String(message).slice(0, 80);
    assert.is((await viewer.closed).code, code, name);
  }
  await honest.waitForMessage('viewers', ({ n }) => n === 1);
  honest.click(60, 35);
  honest.send({ t: 'paste', text: 'x'.repeat(2 ** 20) });
  await until('a paste of 1 MiB', async () => (await valueOf(client, 'text.value.length', sessionId)) === 2 ** 20);
  await valueOf(client, 'text.value = ""', sessionId);
  await honest.leave();
  await close(id);
});

test.shows('hostile-input', 'live views');
test('random messages close the socket or take effect, but never cause a server error', async () => {
  const { link, id } = await newLink({ showBrowserInterface: false });
  const values = [0, -1, 1, 7, 2 ** 31, 1.5, '', 'x', 'Enter', null, true, [], [{ x: 1, y: 1, id: 0 }], {}, 'end', 'é'];
  const kinds = ['ack', 'move', 'down', 'up', 'wheel', 'touch', 'key', 'compose', 'text', 'paste', 'copy', 'blur'];
  const names = ['seq', 'x', 'y', 'b', 'm', 'n', 'c', 'dx', 'dy', 'k', 'p', 'd', 'key', 'code', 'kc', 'r', 'l', 'text'];
  let state = 20_260_101;
  const pick = <T>(from: readonly T[]): T => {
    // The generator from Numerical Recipes, so that every run sends the same messages.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return from[Math.floor((state / 2 ** 32) * from.length)] as T;
  };
  for (let round = 0; round < 15; round++) {
    const viewer = await watchLive(link);
    for (let sent = 0; sent < 25; sent++) {
      const members = Array.from({ length: 6 }, () => [pick(names), pick(values)]);
      viewer.send({ t: pick(kinds), ...Object.fromEntries(members) });
    }
    viewer.socket.terminate();
    await viewer.closed;
  }
  assert.is(await valueOf(client, '1 + 1', sessionId), 2);
  const errors = service.logs().filter(({ level }) => level === 'error');
  assert.equal(errors, []);
  await close(id);
});

test('a flood of messages closes its socket', async () => {
  const { link, id } = await newLink();
  const viewer = await watchLive(link);
  for (let sent = 0; sent < 10_000; sent++) viewer.send({ t: 'move', x: sent % 700, y: 5, b: 0, m: 0 });
  const { code, reason } = await viewer.closed;
  assert.is(code, 1008);
  assert.match(reason, '200 messages a second');
  await close(id);
});

test('a viewer that does not acknowledge gets two frames, a hidden one gets none', async () => {
  const page = await openPage(client, `${site.url}/live/spinner`);
  const { result } = await client.send('Browserless.liveURL', {}, page.sessionId);
  const link = String(result?.['liveURL']);
  const honest = await watchLive(link);
  const silent = await watchLive(link, { acks: false });
  const hidden = await watchLive(link, { visible: false });
  await until('ten frames', () => honest.frames.length >= 10);
  assert.is(silent.frames.length, 2);
  assert.is(hidden.frames.length, 0);
  // While nobody can see the page, no frames are taken; the next viewer starts with the page's current state.
  honest.send({ t: 'visible', on: false });
  silent.send({ t: 'visible', on: false });
  hidden.send({ t: 'visible', on: true });
  hidden.send({ t: 'visible', on: false });
  const seen = honest.frames.length;
  await valueOf(client, 'document.querySelector("i").remove(); document.body.style.background = "red"', page.sessionId);
  honest.send({ t: 'visible', on: true });
  await until('a frame of the current page', () => honest.frames.length > seen);
  for (const viewer of [honest, silent, hidden]) viewer.socket.terminate();
  await client.send('Target.closeTarget', { targetId: page.targetId });
});

test('a session has at most 20 live views', async () => {
  const links = await Promise.all(Array.from({ length: 20 }, () => newLink()));
  const { result } = await client.send('Browserless.liveURL', {}, sessionId);
  assert.match(String(result?.['error']), '20 live views');
  for (const { id } of links) await close(id);
});

test.shows('guessed-links', 'live views');
test('links cannot be guessed, and do not appear in the log', async () => {
  const { link, id } = await newLink();
  const wrong = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
  for (const tried of ['x', wrong, '%2e%2e%2fsessions', 'constructor']) {
    const { status, text } = await handshake(service, `/live/${tried}`, { token: '' });
    assert.ok([400, 404].includes(status), `${tried}: ${status}`);
    assert.not.match(text, id);
  }
  const viewer = await watchLive(link);
  await viewer.nextFrame();
  await viewer.leave();
  await until('its log entry', () => service.logs().some(({ event }) => event === 'live.viewer'));
  for (const [method, path] of [
    ['POST', `/live/${id}`],
    ['GET', `/live/%zz?i=${id}`],
    ['GET', `/live/${id}/files/1`],
  ] as const) {
    await service.get(path, { method });
  }
  const { text: metrics } = await service.get('/metrics');
  for (const text of [service.output(), metrics]) assert.not.match(text, id.slice(4));
  const statuses = new Set<number>();
  for (let tried = 0; tried < 30; tried++) {
    statuses.add((await handshake(service, `/live/${wrong}`, { token: '' })).status);
  }
  assert.ok(statuses.has(429));
  // Clients with a link can still use it.
  const after = await watchLive(link);
  await after.nextFrame();
  await after.leave();
  await close(id);
});

test('viewers that disconnect abruptly leave nothing behind', async () => {
  const { link } = await newLink();
  for (let round = 0; round < 3; round++) {
    const viewers = await Promise.all([0, 1, 2, 3].map(() => watchLive(link)));
    viewers[0]?.send({ t: 'down', x: 60, y: 195, n: 0, b: 1, c: 1, m: 0 });
    viewers[1]?.send({ t: 'key', d: true, key: 'a', code: 'KeyA', kc: 65, r: false, l: 0, m: 0 });
    viewers[2]?.send({ t: 'size', w: 900, h: 700, dpr: 1 });
    for (const viewer of viewers) viewer.socket.terminate();
    await Promise.all(viewers.map(({ closed }) => closed));
  }
  const again = await watchLive(link);
  await again.waitForMessage('viewers', ({ n }) => n === 1);
  again.socket.terminate();
  // The held keys and buttons have been released, and the page has its own size again.
  await until('800 pixels', async () => (await valueOf(client, 'innerWidth', sessionId)) === 800);
  const pressed =
    'seen.filter(([type]) => type === "mousedown").length - seen.filter(([type]) => type === "mouseup").length';
  await until('the button to be released', async () => (await valueOf(client, pressed, sessionId)) === 0);
  const [session] = await sessionsOf(service);
  assert.is(session?.numbConnected, 1);
});

test('killing the browser or disconnecting its client ends the view', async () => {
  const other = await rawClient(socketUrl(service, '/chromium'));
  const page = await openPage(other, `${site.url}/live/form`);
  const { result } = await other.send('Browserless.liveURL', {}, page.sessionId);
  const viewer = await watchLive(String(result?.['liveURL']));
  await viewer.nextFrame();
  const sessions = await sessionsOf(service);
  await service.get(`/kill/${sessions.at(-1)?.id ?? ''}`);
  assert.is((await viewer.ended()).text, 'The browser has closed.');

  const { link } = await newLink();
  const last = await watchLive(link);
  await last.nextFrame();
  client.socket.close();
  assert.is((await last.ended()).code, 1000);
});
