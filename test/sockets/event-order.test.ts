// The order of answers and events of browser sessions, compared with a plain Chromium: client libraries look for the
// session of a new page when they read the answer to the command that created it.
// @tier ci
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Query, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, service, site } = fixtureSuite('order of events', { env: { SPARES: '0' } });
let reader: Reader;
test.before(async () => {
  reader = await startReader(['--remote-debugging-port=0']);
});
test.after(() => reader.close());

const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
/** How clients attach: Playwright, Puppeteer, and those that do not attach at all. */
const filters: Record<string, object[] | undefined> = {
  pages: [{ type: 'page' }],
  tabs: [{ type: 'page', exclude: true }, {}],
  none: undefined,
};

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string; targetId?: string; targetInfo?: { type: string; targetId: string } };
}

/** The answers and the events of a client that creates and closes pages, in their order, by step. */
async function conversation(url: string, filter: object[] | undefined, isDiscovering: boolean) {
  const client = await rawClient(url);
  const types = new Map<string, string>();
  let seen: string[] = [];
  client.socket.on('message', (data) => {
    const { id, method = '', params = {} }: Message = JSON.parse(data.toString());
    const { sessionId = '', targetId = '', targetInfo } = params;
    if (targetInfo) types.set(targetInfo.targetId, targetInfo.type).set(sessionId, targetInfo.type);
    const type = targetInfo?.type ?? types.get(sessionId) ?? types.get(targetId) ?? '';
    // Their number depends on when the title and the URL change, and sessions with the browser are targets too.
    if (method === 'Target.targetInfoChanged' || type === 'browser') return;
    seen.push(id === undefined ? `${method} ${type}` : 'answer');
  });
  const steps: Record<string, string[]> = {};
  const step = async (name: string, method: string, params: object = {}) => {
    seen = [];
    const { result = {}, error } = await client.send(method, params);
    assert.is(error, undefined, name);
    const until = seen.slice();
    // What comes after the answer has come when another command is answered.
    await client.send('Browser.getVersion');
    steps[name] = [
      ...until,
      ...seen
        .slice(until.length)
        .filter((each) => each !== 'answer')
        .toSorted(),
    ];
    return result;
  };
  try {
    if (isDiscovering) await step('discover', 'Target.setDiscoverTargets', { discover: true });
    if (filter) await step('attach', 'Target.setAutoAttach', { ...attach, filter });
    const { browserContextId } = await step('context', 'Target.createBrowserContext');
    for (const name of ['page', 'second page']) {
      const { targetId } = await step(name, 'Target.createTarget', { url: 'about:blank', browserContextId });
      await step(`attach to ${name}`, 'Target.attachToTarget', { targetId, flatten: true });
    }
    // The targets that were there before are those of the browser's own.
    for (const name of ['discover', 'attach']) if (steps[name]) steps[name] = [...new Set(steps[name])];
    return steps;
  } finally {
    client.socket.close();
    await client.closed;
  }
}

const servers: Record<string, Query> = {
  'one root': {},
  'ad blocking': { blockAds: true },
  'a size': { launch: '{"defaultViewport":{"width":500,"height":400}}' },
  'a recording': { replay: true },
};

for (const [attaches, filter] of Object.entries(filters)) {
  for (const isDiscovering of [true, false]) {
    test(`attaching to ${attaches}${isDiscovering ? ', with events of targets' : ''}: as in plain Chromium`, async () => {
      const plain = await conversation(reader.browser.wsEndpoint(), filter, isDiscovering);
      for (const [name, query] of Object.entries(servers)) {
        const ours = await conversation(socketUrl(service, '/', query), filter, isDiscovering);
        assert.equal(ours, plain, name);
      }
    });
  }
}

test('Playwright over CDP opens pages beside ad blocking, a size, a recording, and a second client', async () => {
  for (const [name, query] of Object.entries(servers)) {
    const browser = await chromium.connectOverCDP(socketUrl(service, '/', { ...query, trackingId: 'order' }));
    try {
      const [session] = (await sessionsOf(service)).filter(({ trackingId }) => trackingId === 'order');
      const other = await rawClient(socketUrl(service, `/devtools/browser/${session?.id}`));
      await other.send('Target.setAutoAttach', { ...attach, waitForDebuggerOnStart: false });
      const context = await browser.newContext();
      for (let count = 0; count < 5; count++) {
        const page = await context.newPage();
        await page.goto(`${site.url}/small`);
        assert.is(await page.title(), 'Small', name);
      }
      other.socket.close();
    } finally {
      await browser.close();
    }
  }
});
