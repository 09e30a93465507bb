// What the dashboard shows about sessions, queue and recordings, and what people do with them there.
import * as assert from 'uvu/assert';
import { liveViewLimits } from '../../src/base/limits.ts';
import { refused } from '../support/checks/expect.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { type Listener, listenTo, postAsPage, signIn } from '../support/clients/dashboard.ts';
import { send } from '../support/clients/http.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { openPage } from '../support/clients/targets.ts';
import { watchLive } from '../support/clients/viewer.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { concurrently } from '../support/concurrently.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('sessions on the dashboard');
const testInParallel = concurrently(test, 4);
const slots = 6;
let site: Site;
let service: Service;
let cookie: string;
let seen: Listener;

test.before(async () => {
  site = await startSite();
  service = await startService({ env: { TOKEN: 'dash-token', TIMEOUT: '0', CONCURRENT: String(slots), QUEUED: '5' } });
  cookie = await signIn(service);
  seen = await listenTo(service, cookie);
});
test.after(async () => {
  seen.leave();
  await stopAll(service, site);
});

const act = (id: string, action: string) => postAsPage(service, `/dashboard/sessions/${id}/${action}`, { cookie });
const byId = ({ sessions }: Listener['state'], id: string) => sessions?.shown.find((each) => each.id === id);
/** The session with a tracking id, once the dashboard shows it. */
const entryOf = (trackingId: string) =>
  seen.sees(trackingId, ({ sessions }) => sessions?.shown.find((each) => each.trackingId === trackingId));

testInParallel('shows titles as text, viewers, and links to watch and control, and kills sessions', async () => {
  const browser = await connect(service, '/chromium', { trackingId: 'shown' });
  const page = await browser.newPage();
  await page.goto(`${site.url}/live/form`);
  await page.evaluate(`document.title = '<img src=x onerror=alert(1)>' + 'x'.repeat(1000)`);
  const { id, ...entry } = await entryOf('shown');
  assert.equal(
    [entry.route, entry.browser, entry.clients, entry.viewers, entry.recording, entry.mayRecord, entry.closed],
    ['/chromium', 'Chromium', 1, 0, false, false, ''],
  );
  const titled = await seen.sees('the new title', ({ sessions }) =>
    sessions?.shown.find(({ title }) => title.startsWith('<img src=x onerror=alert(1)>x')),
  );
  assert.is(titled.title.length, 200);
  const links: string[] = [];
  for (const [action, interactive] of [
    ['watch', false],
    ['take-over', true],
  ] as const) {
    const { url } = (await act(id, action)).json<{ url: string }>();
    links.push(url);
    const viewer = await watchLive(url);
    const hello = await viewer.waitForMessage('hello');
    assert.equal([hello.interactive, hello.ui, hello.resizable], [interactive, true, false]);
    await viewer.nextFrame();
    if (!interactive) await seen.sees('a viewer', (state) => byId(state, id)?.viewers === 1);
    await viewer.leave();
  }
  assert.is((await act(id, 'watch')).json<{ url: string }>().url, links[0], 'opening it again returns the same link');
  const followed = await postAsPage(service, `/dashboard/sessions/${id}/watch`, { cookie, accept: 'text/html' });
  assert.is(followed.status, 303);
  assert.is(`${service.url}${followed.headers['location']}`, links[0]);
  refused(await act(id, 'record'), 400, 'record=true');
  const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
  assert.is((await act(id, 'kill')).status, 204);
  await gone;
  await seen.sees('the session to be gone', (state) => byId(state, id) === undefined);
  refused(await act(id, 'kill'), 404, 'This session has ended.');
});

testInParallel(
  'dashboard links are separate: the client is notified only of its own, and can have as many as before',
  async () => {
    const client = await rawClient(socketUrl(service, '/chromium', { trackingId: 'linked' }));
    const { sessionId } = await openPage(client, `${site.url}/live/form`);
    const link = async () => (await client.send('Browserless.liveURL', {}, sessionId)).result ?? {};
    const { id } = await entryOf('linked');
    const open = async (action: string) => (await act(id, action)).json<{ url: string }>().url;
    const [watched, ...others] = await Promise.all(Array.from({ length: 5 }, () => open('watch')));
    assert.ok(watched);
    assert.ok(
      others.every((url) => url === watched),
      'concurrent requests get the same link',
    );
    const own = await link();
    const viewer = await watchLive(await open('take-over'));
    await viewer.waitForMessage('hello');
    viewer.send({ t: 'done', failed: false, note: '' });
    assert.is((await viewer.ended()).reason, 'done');
    for (let count = 1; count < liveViewLimits.views; count++) assert.is((await link())['error'], null);
    assert.match(String((await link())['error']), 'can have at most 20 live views. Close one first.');
    await (await watchLive(await open('take-over'))).leave();
    await client.send('Browserless.closeLiveURL', { liveURLId: own['liveURLId'] }, sessionId);
    const told = () => client.events.filter(({ method }) => method === 'Browserless.liveComplete');
    await until('the close of its own link', () => told().length > 0);
    // Each connection to the page receives the event.
    assert.equal([...new Set(told().map(({ params }) => params?.['liveURLId']))], [own['liveURLId']]);
    await openPage(client, `${site.url}/live/spinner`);
    await until('a link to the new page', async () => (await open('watch')) !== watched);
    assert.is((await send(watched, {})).status, 404, 'nobody watched the old one');
    client.socket.close();
    await client.closed;
  },
);

testInParallel('a session with its own client token is listed but cannot be viewed', async () => {
  const browser = await connect(service, '/chromium', { trackingId: 'private', record: true });
  const page = await browser.newPage();
  const cdp = await page.createCDPSession();
  await cdp.send('Browserless.reconnect' as never, { timeout: 30_000, auth: 'mine' } as never);
  const { id } = await entryOf('private');
  await seen.sees('the reason', (state) => byId(state, id)?.closed === 'Protected by a client token');
  for (const action of ['watch', 'take-over', 'record', 'stop-recording']) {
    refused(await act(id, action), 403, 'its own token');
  }
  refused(await send(`${service.url}/dashboard/thumbnails/${id}`, { headers: { cookie } }), 403);
  assert.is((await act(id, 'kill')).status, 204);
});

testInParallel('recordings can be started, stopped, listed, downloaded, and removed', async () => {
  const browser = await connect(service, '/chromium', { trackingId: 'recorded', record: true });
  const page = await browser.newPage();
  await page.goto(`${site.url}/live/spinner`);
  const { id } = await entryOf('recorded');
  await seen.sees('that recording is allowed', (state) => byId(state, id)?.mayRecord);
  refused(await act(id, 'stop-recording'), 400, 'not being recorded');
  assert.is((await act(id, 'record')).status, 204);
  await seen.sees('REC', (state) => byId(state, id)?.recording);
  refused(await act(id, 'record'), 400, 'already');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
  assert.is((await act(id, 'stop-recording')).status, 204);
  const recording = await seen.sees('the recording', ({ recordings }) => recordings?.shown[0]);
  assert.equal([recording.kind, recording.isCutShort], ['video', false]);
  const address = `/dashboard/recordings/${recording.id}`;
  const video = await send(`${service.url}${address}/video.mp4?tab=${recording.video}`, { headers: { cookie } });
  assert.equal([video.status, video.headers['content-type']], [200, 'video/mp4']);
  assert.is(new TextDecoder().decode(video.bytes.subarray(4, 8)), 'ftyp');
  const played = await postAsPage(service, `${address}/play`, { cookie });
  const { url } = played.json<{ url: string }>();
  const key = new URL(url).searchParams.get('i');
  const meta = () => send(`${service.url}/player/${key}/meta`, {});
  assert.is((await meta()).status, 200);
  assert.is((await postAsPage(service, `${address}/delete`, { cookie })).status, 204);
  refused(await meta(), 404);
  await seen.sees('no recording', ({ recordings }) => recordings?.shown.length === 0);
  await browser.close();
  // A replay that ends with its session is listed as soon as it is complete, not at the next check half a minute later.
  const replayed = await connect(service, '/chromium', { trackingId: 'replayed', replay: true });
  await (await replayed.newPage()).goto(`${site.url}/live/form`);
  const entry = await seen.sees('its replay', ({ sessions }) =>
    sessions?.shown.find(({ trackingId, replay: replays }) => trackingId === 'replayed' && replays),
  );
  assert.is(entry.recording, false);
  await replayed.close();
  const replay = await seen.sees('the replay', ({ recordings }) => recordings?.shown[0]);
  assert.is(replay.kind, 'replay');
  const removal = { method: 'DELETE', headers: { authorization: 'Bearer dash-token' } };
  assert.is((await send(`${service.url}/recordings/${replay.id}`, removal)).status, 204);
  await seen.sees('its removal', ({ recordings }) => recordings?.shown.length === 0);
  // A recording that starts and ends between two checks.
  const short = await connect(service, '/chromium', { trackingId: 'short', record: true });
  await (await short.newPage()).goto(`${site.url}/live/form`);
  const shortId = (await entryOf('short')).id;
  for (const action of ['record', 'kill']) assert.is((await act(shortId, action)).status, 204);
  await seen.sees('the short recording', ({ recordings }) => recordings?.shown[0]);
});

testInParallel('requests and sessions without a thumbnail say why', async () => {
  const playwright = await connectPlaywright(service, '/chromium/playwright', { trackingId: 'pw' });
  assert.is((await entryOf('pw')).closed, 'No preview for Playwright');
  const call = service.post('/function?trackingId=rest', {
    code: `export default async () => { await new Promise((resolve) => setTimeout(resolve, 60_000)); }`,
  });
  const rest = await entryOf('rest');
  assert.equal([rest.closed, rest.route, rest.title], ['No preview for REST requests', '/function', '']);
  const stored = (await service.post('/session', { ttl: 60_000 })).json<{ id: string }>().id;
  const asleep = await seen.sees('the stored session', (state) => byId(state, stored));
  assert.is(asleep.closed, 'Idle: no client or browser');
  refused(await act(rest.id, 'watch'), 404, 'No preview for REST requests');
  for (const id of [rest.id, stored]) assert.is((await act(id, 'kill')).status, 204);
  refused(await call, 500, 'ended from the dashboard');
  await playwright.close();
});

test('shows forty sessions, and the queue behind those that have a browser', async () => {
  const stored = Array.from({ length: 34 }, () => service.post('/session', { ttl: 60_000 }));
  const opening = Array.from({ length: slots }, (_, index) =>
    rawClient(socketUrl(service, '/chromium', { trackingId: `many-${index}` })),
  );
  const clients = await Promise.all(opening);
  for (const reply of await Promise.all(stored)) assert.is(reply.status, 200, reply.text);
  await seen.sees('all', ({ sessions, figures }) => sessions?.total === 34 + slots && figures?.running === slots);
  const closed = seen.state.sessions?.shown.map((each) => each.closed) ?? [];
  assert.is(closed.filter((why) => why === '').length, slots);
  const before = Date.now();
  const leaving = new AbortController();
  const waiting = service
    .post('/content?trackingId=waits', { url: `${site.url}/live/form` }, { signal: leaving.signal })
    .catch(() => undefined);
  const { shown } = await seen.sees('the queue', ({ queue }) => queue?.total === 1 && queue);
  assert.equal([shown[0]?.route, shown[0]?.trackingId], ['/content', 'waits']);
  assert.ok((shown[0]?.since ?? 0) >= before - 1_000);
  assert.is(seen.state.figures?.waiting, 1);
  leaving.abort();
  await waiting;
  await seen.sees('an empty queue', ({ queue }) => queue?.total === 0);
  const times = seen.messages.map(({ now }) => now);
  const quickest = times.slice(3).map((time, index) => time - (times[index + 2] ?? 0));
  assert.ok(quickest.filter((ms) => ms < 500).length <= 12, `messages came after ${quickest.join()} ms`);
  for (const { socket } of clients) socket.close();
  await service.get('/kill/all');
  await seen.sees('none', ({ sessions }) => sessions?.total === 0);
});
