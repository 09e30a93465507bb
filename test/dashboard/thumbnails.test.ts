// Thumbnails of sessions: real ones, at most one every five seconds, none if nobody requests them, and a hung page does
// not delay others.
import jpeg from 'jpeg-js';
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { connect } from '../support/clients/clients.ts';
import { listenTo, signIn } from '../support/clients/dashboard.ts';
import { send } from '../support/clients/http.ts';
import { concurrently } from '../support/concurrently.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, service, site } = fixtureSuite('pictures on the dashboard', {
  env: { TOKEN: 'dash-token', TIMEOUT: '0', LOG_LEVEL: 'debug' },
});
const testInParallel = concurrently(test, 2);
let cookie: string;
test.before(async () => void (cookie = await signIn(service)));

const thumbnailOf = (id: string) => send(`${service.url}/dashboard/thumbnails/${id}`, { headers: { cookie } });
/** The log lines about thumbnails taken of a session. */
const taken = (id: string) =>
  service.logs().filter(({ event, session }) => event === 'dashboard.thumbnail' && session === id);

let opened = 0;

async function open(path: string) {
  const trackingId = `pictures-${++opened}`;
  const browser = await connect(service, '/chromium', { trackingId });
  const page = await browser.newPage();
  await page.setViewport({ width: 1_280, height: 720 });
  await page.goto(`${site.url}${path}`);
  const [session] = (await service.get('/sessions', { query: { trackingId } })).json<{ id: string }[]>();
  return { browser, page, id: session?.id ?? '' };
}

testInParallel('a small JPEG of the page, cached for five seconds, without affecting the page', async () => {
  const { browser, page, id } = await open('/live/tall');
  await page.evaluate(`window.seen = [];
    for (const name of ['resize', 'focus', 'blur', 'visibilitychange', 'scroll']) {
      addEventListener(name, () => seen.push(name)); document.addEventListener(name, () => seen.push(name)); }`);
  const before = await page.evaluate('[innerWidth, innerHeight, devicePixelRatio, document.hasFocus()]');
  assert.equal(taken(id), []);
  const first = await thumbnailOf(id);
  assert.equal(
    [first.status, first.headers['content-type'], first.headers['cache-control']],
    [200, 'image/jpeg', 'no-store'],
  );
  const { width, height, data } = jpeg.decode(first.bytes);
  assert.equal([width, height], [320, 180]);
  assert.ok(first.bytes.length < 8_192, `${first.bytes.length} bytes`);
  assert.ok(
    data.some((value, index) => index % 4 === 0 && value < 250),
    'it is not blank',
  );
  const again = await Promise.all(Array.from({ length: 10 }, () => thumbnailOf(id)));
  for (const { bytes } of again) assert.equal(bytes, first.bytes);
  assert.is(taken(id).length, 1);
  await page.goto(`${site.url}/live/form`);
  await until('a new thumbnail', async () => Buffer.compare((await thumbnailOf(id)).bytes, first.bytes) !== 0);
  const [one, two, ...others] = taken(id).map(({ time }) => Date.parse(String(time)));
  assert.equal(others, []);
  assert.ok((two ?? 0) - (one ?? 0) >= 4_900, `after ${(two ?? 0) - (one ?? 0)} ms`);
  await page.goBack();
  assert.equal(await page.evaluate('[innerWidth, innerHeight, devicePixelRatio, document.hasFocus()]'), before);
  await browser.close();
});

testInParallel('a hung page and one with an open dialog get a quick response', async () => {
  const hung = await open('/live/form');
  void hung.page.evaluate('for (;;);').catch(() => {});
  const began = idleNow();
  // The last frame of a page that hangs may still exist.
  const reply = await thumbnailOf(hung.id);
  assert.ok([200, 204].includes(reply.status), reply.text);
  assert.ok(idleNow() - began < 4_000);
  await hung.browser.close();
  const asking = await open('/live/form');
  const dialog = new Promise<void>((resolve) => asking.page.once('dialog', () => resolve()));
  void asking.page.evaluate(`document.body.style.display = 'none'; alert('stop')`).catch(() => {});
  await dialog;
  const start = idleNow();
  assert.ok([200, 204].includes((await thumbnailOf(asking.id)).status));
  assert.ok(idleNow() - start < 4_000);
  await asking.browser.close();
});

test('listening captures no thumbnails; connecting and disconnecting leaves nothing behind', async () => {
  const { browser, id, page } = await open('/live/spinner');
  const before = taken(id).length;
  const targets = async () => {
    const cdp = await browser.target().createCDPSession();
    const { targetInfos } = await cdp.send('Target.getTargets');
    await cdp.detach();
    return targetInfos.length;
  };
  const targetsBefore = await targets();
  for (let round = 0; round < 5; round++) {
    const listeners = await Promise.all([1, 2, 3, 4, 5].map(() => listenTo(service, cookie)));
    await listeners[0]?.sees('the session', ({ sessions }) => sessions?.total === 1);
    for (const listener of listeners) listener.leave();
  }
  assert.is(taken(id).length, before);
  // Twenty are allowed: if any had remained, the last ones would have been rejected.
  const last = await until('twenty free streams', async () => {
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => listenTo(service, cookie)));
    const inside = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (inside.length === 20) return inside;
    for (const listener of inside) listener.leave();
    return undefined;
  });
  for (const listener of last) listener.leave();
  assert.is((await thumbnailOf(id)).status, 200);
  assert.is(await targets(), targetsBefore);
  await page.close();
  await browser.close();
});
