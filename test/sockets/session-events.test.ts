// Events of sessions (opened, page-opened, page-closed, ended) for every kind of session. The tests read them from the
// server's log at its most verbose level, which subscribes to them.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, sessionsOf } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('session events', { env: { LOG_LEVEL: 'debug', MAX_RECONNECT_TIME: '20000' } });

/** The session's events so far, without the prefix `session.`. */
const eventsOf = (id: string) =>
  service
    .logs()
    .filter(({ event, session }) => event?.startsWith('session.') && session === id)
    .map(({ event }) => String(event).slice('session.'.length));

/** The sessions opened after the given number of log lines. */
const openedSince = (lines: number) =>
  service
    .logs()
    .slice(lines)
    .filter(({ event }) => event === 'session.opened')
    .map(({ session }) => String(session));

/** Runs the work, which opens one session, and returns that session's events from start to end. */
async function eventsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = service.logs().length;
  await work();
  const [id = '', ...others] = openedSince(before);
  assert.equal(others, []);
  await until('the session to end', () => eventsOf(id).includes('ended'));
  const events = eventsOf(id);
  const pages = (type: string) => events.filter((event) => event === type).length;
  assert.is(events[0], 'opened');
  assert.is(events.at(-1), 'ended');
  assert.is(events.filter((event) => event === 'ended').length, 1);
  assert.is(pages('page-closed'), pages('page-opened'), 'each page that opened has closed');
  return events;
}

const oneJob = ['opened', 'page-opened', 'page-closed', 'ended'];

test.proves('LOG_LEVEL');
test.peer('management and settings');
test('a REST job on a pooled page sends each event once', async () => {
  assert.equal(await eventsDuring(async () => succeeded(await service.post('/content', { html: 'x' }))), oneJob);
});

test.peer('management and settings');
test('a failed job ends its session too', async () => {
  const events = await eventsDuring(async () =>
    refused(await service.post('/content', { html: 'x', waitForSelector: { selector: '#no', timeout: 50 } }), 408),
  );
  assert.equal(events, oneJob);
});

test('a job on its own browser sends the events', async () => {
  const query = { launch: '{"args":["--lang=de"]}' };
  assert.equal(
    await eventsDuring(async () => succeeded(await service.post('/content', { html: 'x' }, { query }))),
    oneJob,
  );
});

test('a CDP session reports its pages and its end', async () => {
  const events = await eventsDuring(async () => {
    const browser = await connect(service);
    const page = await browser.newPage();
    await page.close();
    await browser.newPage();
    await browser.close();
  });
  assert.ok(events.filter((event) => event === 'page-opened').length >= 2);
});

test('a Playwright session reports each of its pages and its end', async () => {
  const events = await eventsDuring(async () => {
    const browser = await connectPlaywright(service, '/chromium/playwright');
    const page = await browser.newPage();
    await page.close();
    await browser.newPage();
    await browser.close();
  });
  assert.is(events.filter((event) => event === 'page-opened').length, 2);
});

test('a stored session is opened when it is created, and reports pages as clients connect and disconnect', async () => {
  const events = await eventsDuring(async () => {
    const { id } = succeeded(await service.post('/session', {})).json<{ id: string }>();
    assert.equal(eventsOf(id), ['opened']);
    const browser = await connect(service, `/session/connect/${id}`);
    await browser.newPage();
    await browser.close();
    await until('the browser to close', () => eventsOf(id).at(-1) === 'page-closed');
    refused(await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }), 204);
  });
  assert.ok(events.includes('page-opened'));
});

test('a kept browser ends once, when no client has reconnected', async () => {
  await eventsDuring(async () => {
    const browser = await connect(service);
    const session = await browser.target().createCDPSession();
    // A command of this server; Puppeteer knows only Chromium's commands.
    await session.send('Browserless.reconnect' as 'Page.enable', { timeout: 300 } as object);
    await browser.disconnect();
  });
});

test('BrowserQL sends the events on a pooled page and on a kept browser', async () => {
  const query = 'mutation { goto(url: "about:blank") { status } }';
  assert.equal(await eventsDuring(async () => succeeded(await service.post('/chromium/bql', { query }))), oneJob);
  const keeping = 'mutation { goto(url: "about:blank") { status } reconnect(timeout: 300) { browserWSEndpoint } }';
  await eventsDuring(async () => succeeded(await service.post('/chromium/bql', { query: keeping })));
});

test.peer('management and settings');
test('/kill ends each kind of session once', async () => {
  await eventsDuring(async () => {
    await connect(service);
    refused(await service.get('/kill/all'), 204);
    assert.equal(await sessionsOf(service), []);
  });
  await eventsDuring(async () => {
    const before = service.logs().length;
    const running = service.post('/content', { html: 'x', waitForTimeout: 30_000 });
    await until('its session', () => openedSince(before).length === 1);
    refused(await service.get('/kill/all'), 204);
    assert.ok((await running).status >= 400);
  });
});
