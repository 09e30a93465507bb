// Options of Browserless.liveURL that change what a viewer receives, and the settings of a live view's page.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { buildUi } from '../../src/build/pages.ts';
import { type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { type Viewer, watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('options of live views', {
  env: async () => {
    await buildUi(join(import.meta.dirname, '../..'));
    return { TIMEOUT: '0', SPARES: '0', LIVE_MAX_VIEWERS: '1', LIVE_FRAME_ANCESTORS: 'https://app.example.com' };
  },
});
let client: RawClient;

test.before(async () => (client = await rawClient(socketUrl(service, '/chromium'))));

/** Creates a link to a client's page. */
async function linkTo(sessionId: string, options: object): Promise<string> {
  const { result } = await client.send('Browserless.liveURL', options, sessionId);
  assert.is(result?.['error'], null);
  return String(result?.['liveURL']);
}

test.proves('Browserless.liveURL:quality Browserless.liveURL:type');
test('type and quality apply to the frame of a static page', async () => {
  const { sessionId } = await openPage(client, `${site.url}/live/tall`);
  const rest = async (options: object, kind: 'jpeg' | 'png', from: number): Promise<number> => {
    const viewer = await watchLive(await linkTo(sessionId, options));
    const still = await until('the sharp frame', () => viewer.frames.slice(from).find((each) => each.kind === kind));
    await viewer.leave();
    return still.bytes.length;
  };
  await rest({}, 'png', 0);
  const [best, worst] = [await rest({ type: 'jpeg' }, 'jpeg', 1), await rest({ type: 'jpeg', quality: 1 }, 'jpeg', 1)];
  assert.ok(worst < best, `${worst} and ${best} bytes`);
});

test.proves('Browserless.liveURL:compressed');
test('compressed: a slow viewer gets lower-quality frames, unless it is false', async () => {
  const slow = async (options: object): Promise<{ viewer: Viewer; stop(): void }> => {
    const { sessionId } = await openPage(client, `${site.url}/live/noise`);
    const viewer = await watchLive(await linkTo(sessionId, { quality: 90, ...options }), { acks: false });
    const acks = setInterval(() => viewer.send({ t: 'ack', seq: viewer.frames.at(-1)?.seq ?? 0 }), 250);
    return { viewer, stop: () => clearInterval(acks) };
  };
  const sizes = ({ viewer }: { viewer: Viewer }) => viewer.frames.map(({ bytes }) => bytes.length);
  const adapting = await slow({});
  const best = (await adapting.viewer.nextFrame()).bytes.length;
  await until('a lower-quality frame', () => sizes(adapting).some((size) => size < best * 0.7));
  adapting.stop();
  adapting.viewer.socket.terminate();
  const fixed = await slow({ compressed: false });
  await until('enough frames for more than two quality steps', () => fixed.viewer.frames.length > 20);
  assert.ok(Math.min(...sizes(fixed)) > best * 0.7, `${Math.min(...sizes(fixed))} and ${best} bytes`);
  fixed.stop();
  fixed.viewer.socket.terminate();
});

test.proves('Browserless.liveURL:emulateComponents');
test('emulateComponents: false passes the click to the page itself', async () => {
  const { sessionId } = await openPage(client, `${site.url}/live/form`);
  const viewer = await watchLive(await linkTo(sessionId, { emulateComponents: false }));
  viewer.click(60, 235);
  const heard = () => valueOf(client, 'seen.some(([type, id]) => type === "mousedown" && id === "select")', sessionId);
  await until('the mouse press', heard);
  assert.is(viewer.messages.filter(({ t }) => t === 'select').length, 0);
  await viewer.leave();
});

test.proves('Browserless.liveURL:timeout Browserless.liveURL:interactable Browserless.liveURL:instructions');
test('interactable is an alias of interactive; timeout and instructions are sent to the viewer', async () => {
  const { sessionId } = await openPage(client, `${site.url}/live/form`);
  const began = Date.now();
  const asked = { interactable: false, timeout: 60_000, instructions: 'Enter the code' };
  const viewer = await watchLive(await linkTo(sessionId, asked));
  const { interactive, instructions, expiresAt } = await viewer.waitForMessage('hello');
  assert.is(interactive, false);
  assert.is(instructions, 'Enter the code');
  assert.ok(expiresAt !== null && expiresAt >= began + 60_000 && expiresAt <= Date.now() + 60_000);
  await viewer.leave();
});

test.proves('LIVE_MAX_VIEWERS LIVE_FRAME_ANCESTORS');
test('the page has frame-ancestors and a theme, and returns a 429 when the view is full', async () => {
  const { sessionId } = await openPage(client, `${site.url}/live/form`);
  const link = await linkTo(sessionId, {});
  const show = (query = '') => fetch(`${link}${query}`, { headers: { accept: 'text/html' } });
  const page = await show('&theme=dark');
  assert.is(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/app\.example\.com$/);
  assert.is(page.headers.get('x-frame-options'), null);
  assert.match(await page.text(), 'data-theme="dark"');
  const viewer = await watchLive(link);
  await viewer.waitForMessage('hello');
  const full = await show();
  assert.is(full.status, 429);
  assert.match(await full.text(), 'LIVE_MAX_VIEWERS allows (1)');
  await viewer.leave();
});
