// JSON with millions of values at every entry point that reads JSON, taken from the tables of routes: it is rejected
// with a reason, and the main thread stays free for others.
// @tier ci
import * as assert from 'uvu/assert';
import { directRoutes, jobRoutes, socketRoutes, uiRoutes, uiSocketRoutes } from '../../src/api/routes/table.ts';
import { mounts } from '../../src/api/routes/pipeline/route.ts';
import { endAll, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { openFrames } from '../support/clients/raw-frames.ts';
import { openPage } from '../support/clients/targets.ts';
import { watchLoop } from '../support/event-loop.ts';
import { processSuite } from '../support/fixture.ts';

const loop = watchLoop();
const { test, fixture } = processSuite('huge messages', {
  env: {
    TIMEOUT: '240000',
    SPARES: '1',
    MAX_PAYLOAD_SIZE: String(10 * 2 ** 20),
    PROFILES_KEY: 'k'.repeat(40),
    ...loop.env,
  },
});
const limit = { timeoutMs: 240_000 };
test.after(() => loop[Symbol.dispose]());
test.after.each(() => endAll(fixture.service));

const bytes = 8 * 2 ** 20;
/** Values that can be read instantly, but take a careless reader seconds. */
const shapes = {
  numbers: `[${'1,'.repeat(bytes / 2)}1]`,
  objects: `[${'{},'.repeat(bytes / 3)}{}]`,
  names: `{${Array.from({ length: bytes / 10 }, (_, at) => `"${at + 1e5}":1`).join()}}`,
  depth: '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  quotes: `{"x":"${'\\"'.repeat(bytes / 2)}"}`,
};
/** One of the shapes, rotating by entry point, so that each shape reaches every fifth one. */
function shapesFor(door: number): [shape: string, text: string][] {
  const all = Object.entries(shapes);
  return all.filter((_, at) => (at + door) % all.length === 0);
}

const bodies = [
  // One mount of each: they share their code.
  ...jobRoutes.map((route) => ['POST', `${(route.mounts ?? mounts)[0]?.prefix ?? ''}/${route.name}`]),
  ...[...directRoutes, ...uiRoutes].flatMap(({ method, path }) =>
    method === 'GET' || path === '/drain' ? [] : [[method, path]],
  ),
] as [string, string][];

test.shows('huge-messages', 'HTTP', 'REST', 'function', 'BrowserQL', 'sessions');
test(
  `${bodies.length} routes reject bodies with millions of values`,
  async () => {
    const { service } = fixture;
    const unread = new Set<string>();
    for (const [at, [method, path]] of bodies.entries()) {
      const address = path.replace(/:\w+(\{[^}]*\})?/g, 'nobody');
      for (const [shape, body] of shapesFor(at)) {
        const name = `${method} ${path}, ${shape}`;
        await loop.staysFree(service, name, async () => {
          const { status, text } = await service.post(address, body, { method });
          assert.ok(status < 500, `${name}: ${status} ${text}`);
          if (status < 400) unread.add(`${method} ${path}`);
        });
      }
    }
    // This route reads no body.
    assert.equal([...unread], ['PUT /json/new']);
  },
  limit,
);

/** Paths with ids that lead to a browser. */
async function openPaths(): Promise<string[]> {
  const { service } = fixture;
  const keeper = await rawClient(socketUrl(service, '/'));
  const { sessionId, targetId } = await openPage(keeper, `${fixture.site.url}/plain`);
  const { result: live } = await keeper.send('Browserless.liveURL', {}, sessionId);
  const [entry] = await sessionsOf(service);
  const kept = await rawClient(socketUrl(service, '/'));
  await kept.send('Browserless.reconnect', { timeout: 240_000 });
  const [, second] = await sessionsOf(service);
  const stored = (await service.post('/session', { ttl: 240_000, stealth: true })).json<{ id: string }>();
  const ids: Record<string, string | undefined> = {
    '/devtools/browser': entry?.id,
    '/devtools/page': targetId,
    '/function/connect': entry?.id,
    '/reconnect': second?.id,
    '/session/connect': stored.id,
    '/session/bql': stored.id,
    '/live': String(live?.['liveURLId']),
    '/chromium/live': String(live?.['liveURLId']),
  };
  // One mount of each, too: the paths without the name of another browser, each once.
  const mounted = [...socketRoutes, ...uiSocketRoutes].filter(({ path }) => !/chrome|edge|firefox|webkit/.test(path));
  const unnamed = (path: string) =>
    path
      .split('/')
      .filter((part) => part !== 'chromium')
      .join('/');
  return [...new Map(mounted.map(({ path }) => [unnamed(path), path])).values()].map((path) => {
    const [, front] = /^(.*)\/:id$/.exec(path) ?? [];
    return front === undefined ? path : `${front}/${ids[front] ?? second?.id}`;
  });
}

test.shows('huge-messages', 'CDP', 'Playwright', 'BrowserQL', 'live views');
test(
  'messages with millions of values close the connection at every socket',
  async () => {
    for (const [at, path] of (await openPaths()).entries()) {
      const url = socketUrl(fixture.service, path);
      const headers: Record<string, string> = path.includes('/bql')
        ? { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }
        : { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
      for (const [shape, payload] of shapesFor(at)) {
        await loop.staysFree(fixture.service, `${path}, ${shape}`, async () => {
          const socket = await openFrames(url, headers).catch((cause: unknown) => {
            throw new Error(path, { cause });
          });
          socket.send({ payload });
          assert.ok([1007, 1009, 4400].includes(await socket.closed()), `${path}, ${shape}`);
        });
      }
    }
  },
  limit,
);
