// POST /function/{id}: code on the first page of a running browser, which clients can watch
// (compatibility.mdx#code-in-requests).
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { rawClient, type SessionEntry, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('function in a running browser', { env: { MAX_RECONNECT_TIME: '60000' } });
test.after.each(async () => {
  await service.get('/kill/all');
  await until('all sessions to end', async () => (await sessionsOf(service)).length === 0, 30_000);
});

const keep = 'reconnect(timeout: 30000) { browserQLEndpoint }';

/** Starts a browser that stays open. @returns its id */
async function start(steps = ''): Promise<string> {
  const reply = await service.post('/chromium/bql', { query: `mutation { ${steps} ${keep} }` });
  const { data } = succeeded(reply).json<{ data: { reconnect: { browserQLEndpoint: string } } }>();
  return data.reconnect.browserQLEndpoint.split('/').at(-1) ?? '';
}

const run = (id: string, code: string, context: unknown = {}) => service.post(`/function/${id}`, { code, context });

for (const isolation of ['process', 'context'] as const) {
  test(`code continues on the page, which stays as the code leaves it: isolation=${isolation}`, async () => {
    const query = `mutation { goto(url: "${site.url}/small") { status } ${keep} }`;
    const begun = await service.post('/chromium/bql', { query }, { query: { isolation } });
    const id = /\/bql\/([\w-]+)"/.exec(succeeded(begun).text)?.[1] ?? '';
    const code = `export default async ({ page, context }) => {
      const title = await page.title();
      await page.setRequestInterception(true);
      await page.evaluate((name) => { document.title = name; }, context.name);
      return { title, pages: (await page.browser().pages()).length };
    }`;
    assert.equal(succeeded(await run(id, code, { name: 'Changed' })).json(), { title: 'Small', pages: 1 });
    // Neither the code's interception nor its own page is left behind.
    const next = `mutation { title { title } goto(url: "${site.url}/small") { status } ${keep} }`;
    const { data } = succeeded(await service.post(`/chromium/bql/${id}`, { query: next })).json<{ data: any }>();
    assert.equal([data.title.title, data.goto.status], ['Changed', 200]);
    const pages = (await service.get('/sessions')).json<SessionEntry[]>().filter(({ type }) => type === 'page');
    assert.equal(
      pages.map(({ url }) => url),
      [`${site.url}/small`],
    );
    // Like /function: bytes with their type, and errors with their line.
    succeeded(await run(id, 'export default ({ page }) => page.screenshot()'), 'image/png');
    refused(await run(id, `export default () => {\n throw new Error('on purpose'); }`), 400, 'on purpose (line 2');
  });
}

test('the subscription `console` reports what the code writes, while it runs', async () => {
  const client = createClient({
    url: socketUrl(service, '/chromium/bql'),
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
  });
  const told: any[] = [];
  const { promise: begun, resolve } = Promise.withResolvers<any>();
  client.subscribe({ query: `mutation { ${keep} }` }, { next: resolve, error: resolve, complete: () => {} });
  client.subscribe(
    { query: 'subscription { console { type text location { url } } }' },
    { next: ({ data }) => told.push(data), error: () => {}, complete: () => {} },
  );
  const id = (await begun).data.reconnect.browserQLEndpoint.split('/').at(-1);
  const running = run(id, `export default () => { console.warn('two', { b: 1 }); return new Promise(() => {}); }`);
  await until('the line', () => told.length > 0);
  assert.equal(told, [{ console: { type: 'warning', text: 'two {"b":1}', location: null } }]);
  await client.dispose();
  await service.get('/kill/all');
  assert.ok((await running).status >= 400);
});

test('rejects unknown browsers and content types, and clients without the token of the browser', async () => {
  const code = 'export default () => 1';
  refused(await run('00000000-0000-4000-8000-000000000000', code), 404);
  const id = await start();
  refused(await service.post(`/function/${id}`, 'text', { headers: { 'content-type': 'text/plain' } }), 404);
  const client = await rawClient(socketUrl(service, `/devtools/browser/${id}`));
  await client.send('Browserless.reconnect', { timeout: 20_000, auth: 'its-own' });
  refused(await run(id, code), 401);
  assert.is((await service.post(`/function/${id}`, { code }, { token: 'its-own' })).text, '1\n');
  client.socket.close();
});
