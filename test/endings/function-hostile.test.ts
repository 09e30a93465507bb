// Hostile code for /function: it ends with a clear status, reaches only its own context, and leaves nothing behind.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('function, hostile code', { env: { TOKEN: 'browserless', SPARES: '1' } });

const asCode = { headers: { 'content-type': 'application/javascript' } };
const run = (code: string, query: Record<string, string> = {}, signal?: AbortSignal): Promise<Reply> =>
  fixture.service.post('/function', code, { ...asCode, query, ...(signal ? { signal } : {}) });

test.after.each(async () => {
  await until('the request to end', async () => {
    const { pressure } = (await fixture.service.get('/pressure')).json<{ pressure: { running: number } }>();
    return pressure.running === 0 && (await fixture.service.get('/sessions')).json<unknown[]>().length === 0;
  });
  assert.is(succeeded(await run('export default () => "still here"')).text, 'still here\n');
});

test('endless loops stop at the time limit in the host, in the page, and while the module loads', async () => {
  for (const code of [
    'export default () => { for (;;); }',
    'export default ({ page }) => page.evaluate(() => { for (;;); })',
    'for (;;); export default () => 1',
    'export default () => new Promise(() => {})',
  ]) {
    refused(await run(code, { timeout: '1000' }), 408, 'Request has timed out');
  }
});

test('code stops when its client disconnects', async () => {
  const leave = new AbortController();
  const code = `export default async () => { await fetch('${fixture.site.url}/lib.js'); for (;;); }`;
  const reply = run(code, {}, leave.signal).then(
    () => 'answered',
    () => 'gone',
  );
  await fixture.site.waitForRequest('/lib.js');
  leave.abort();
  assert.is(await reply, 'gone');
});

test(
  'code that fills memory loses its page and is not retried',
  async () => {
    const launch = JSON.stringify({ args: ['--js-flags=--max-old-space-size=128'] });
    const code = `export default async () => {
  await fetch('${fixture.site.url}/shout.js');
  const all = [];
  for (;;) all.push(new Array(1e6).fill(all.length));
}`;
    refused(await run(code, { launch, timeout: '30000' }), 500, /crashed/);
    assert.is(fixture.site.requests.filter(({ path }) => path === '/shout.js').length, 1);
  },
  { timeoutMs: 120_000 },
);

test.shows('private-addresses', 'function');
test('code cannot reach the server or read a secret', async () => {
  const code = `export default async ({ page }) => {
  const tries = {};
  for (const path of ['/sessions', '/config', '/json/list']) {
    tries[path] = await fetch('${fixture.service.url}' + path).then((reply) => reply.status, () => 'refused');
  }
  tries.socket = await new Promise((resolve) => {
    const socket = new WebSocket('${fixture.service.url.replace('http', 'ws')}/?token=browserless');
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  });
  tries.page = await page.goto('${fixture.service.url}/sessions?token=browserless').then(() => 'loaded', () => 'refused');
  return { tries, seen: [location.href, document.cookie, Object.keys(window).filter((name) => /browserd/.test(name)).length] };
}`;
  assert.equal(succeeded(await run(code)).json(), {
    tries: {
      '/sessions': 'refused',
      '/config': 'refused',
      '/json/list': 'refused',
      socket: 'refused',
      page: 'refused',
    },
    seen: ['http://function.localhost/', '', 0],
  });
});

test(
  'commands beyond the context are rejected, and other contexts are not visible',
  async () => {
    // Another request in the same browser, whose page must stay hidden.
    const otherRequest = run(
      `export default async ({ page }) => { await page.goto('${fixture.site.url}/'); await fetch('${fixture.site.url}/lib.js'); await page.waitForSelector('#never', { timeout: 0 }); }`,
      { timeout: '120000' },
    );
    await fixture.site.waitForRequest('/lib.js');
    const code = `export default async ({ page, context }) => {
  const session = await page.createCDPSession();
  const browser = session.connection();
  const send = (target, method, params) => target.send(method, params).then((result) => result, (error) => error.message);
  const { targetInfos } = await browser.send('Target.getTargets');
  const refused = {};
  for (const [method, params] of Object.entries(context.browser)) refused[method] = await send(browser, method, params);
  for (const [method, params] of Object.entries(context.page)) refused['page ' + method] = await send(session, method, params);
  return { urls: targetInfos.map(({ url }) => url), refused };
}`;
    const context = {
      browser: {
        'Target.exposeDevToolsProtocol': { targetId: 'x' },
        'Target.attachToBrowserTarget': {},
        'Target.setRemoteLocations': { locations: [] },
        'Target.attachToTarget': { targetId: '0'.repeat(32), flatten: true },
        'Target.closeTarget': { targetId: '0'.repeat(32) },
        'Target.createBrowserContext': { proxyServer: 'http://127.0.0.1:1' },
        'Target.disposeBrowserContext': { browserContextId: '0'.repeat(32) },
        'Target.createTarget': { url: 'file:///etc/passwd' },
        'Browser.crash': {},
        'Tracing.start': {},
        'SystemInfo.getProcessInfo': {},
        'Extensions.loadUnpacked': { path: '/' },
      },
      page: {
        'Page.navigate': { url: 'file:///etc/passwd' },
        'DOM.setFileInputFiles': { files: ['/etc/passwd'], nodeId: 1 },
        'Input.dispatchDragEvent': {
          type: 'drop',
          x: 1,
          y: 1,
          data: { items: [], files: ['/etc/passwd'], dragOperationsMask: 1 },
        },
        'Network.loadNetworkResource': {
          url: 'file:///etc/passwd',
          options: { disableCache: false, includeCredentials: false },
        },
        'Browser.crash': {},
        'Target.createTarget': { url: 'about:blank' },
        'Target.setDiscoverTargets': { discover: true },
        'Tethering.bind': { port: 12345 },
        'Memory.simulatePressureNotification': { level: 'critical' },
      },
    };
    const reply = succeeded(await fixture.service.post('/function', { code, context }));
    const { urls, refused: answers } = reply.json<{ urls: string[]; refused: Record<string, unknown> }>();
    assert.equal(urls, ['about:blank']);
    assert.is(Object.keys(answers).length, Object.keys(context.browser).length + Object.keys(context.page).length);
    for (const [method, answer] of Object.entries(answers)) {
      assert.ok(
        typeof answer === 'string' && /not available|cannot|No target|Failed to find/.test(answer),
        `${method}: ${JSON.stringify(answer)}`,
      );
    }
    const sessions = (await fixture.service.get('/sessions')).json<{ id: string }[]>();
    for (const { id } of sessions) await fixture.service.get(`/kill/${id}`);
    refused(await otherRequest, 500);
  },
  { timeoutMs: 120_000 },
);

test('a page that replaces the host does not get its channel', async () => {
  const code = `export default () => { location.href = '${fixture.site.url}/'; return new Promise(() => {}); }`;
  refused(await run(code), 400, 'The code navigated the page that it runs in', 'page.goto()');
});

test('console output is limited', async () => {
  const code = "export default () => { for (let i = 0; i < 20_000; i++) console.log('line', i); return 'done'; }";
  const before = fixture.service.logs().length;
  assert.is(succeeded(await run(code)).text, 'done\n');
  const lines = () =>
    fixture.service
      .logs()
      .slice(before)
      .filter(({ event }) => event === 'function.console');
  await until('the lines to arrive', () => lines().length >= 1_000);
  assert.is(lines().length, 1_000);
});

test('overwritten built-ins affect only the code', async () => {
  for (const code of [
    'JSON.stringify = () => { throw new Error("mine") }; export default () => ({ a: 1 })',
    'Array.prototype.map = () => { throw new Error("mine") }; export default () => "text"',
    'Promise.prototype.then = function () { return this }; export default () => 1',
  ]) {
    const reply = await run(code, { timeout: '2000' });
    assert.ok([200, 400, 408].includes(reply.status), `${code}: ${reply.status} ${reply.text}`);
  }
});
