// Captchas on CDP sockets: the command Browserless.solveCaptcha, its events, and solveCaptchas=true, with Puppeteer and
// Playwright's connectOverCDP; the solver runs on loopback.
import { chromium } from 'playwright-core';
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { type CaptchaSite, startCaptchaSite } from '../bench/lab/captchas/site.ts';
import { startSolver, type TestSolver } from '../bench/lab/captchas/solver.ts';
import { succeeded } from '../support/checks/expect.ts';
import { connect, endAll, type Query, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('captchas on CDP sockets', { timeoutMs: 90_000 });
let service: Service;
let site: CaptchaSite;
let solver: TestSolver;

test.before(async () => {
  [site, solver] = await Promise.all([startCaptchaSite(), startSolver()]);
  service = await startService({ env: { CAPTCHA_SOLVER_URL: solver.url, CAPTCHA_SOLVER_KEY: solver.key } });
});
test.after(() => stopAll(service, site, solver));
test.after.each(() => endAll(service));

const through = (query: Query = {}): Query => ({
  externalProxyServer: site.proxy,
  acceptInsecureCerts: true,
  ...query,
});

interface Report {
  ok: boolean;
  captchaFound: boolean;
  message: string;
  solveAttempted: boolean;
  solved: boolean;
  error: string | null;
}

/** What the tests need of a page and its CDP session, independent of the library. */
interface Client {
  goto(path: string): Promise<unknown>;
  /** The token that the page's callback received. */
  received(): Promise<unknown>;
  solve(params?: object): Promise<Report>;
  /** Names and parameters of the events so far. */
  events: [name: string, params: Record<string, unknown>][];
  close(): Promise<void>;
}

const names = ['Browserless.captchaFound', 'Browserless.captchaAutoSolved'];
const readToken = 'window.receivedToken';

/** Commands and events of this server, which the libraries' types do not include. */
interface AnySession {
  send(method: string, params?: object): Promise<unknown>;
  on(event: string, listener: (params: Record<string, unknown>) => void): unknown;
}

function listen(session: AnySession): Pick<Client, 'solve' | 'events'> {
  const events: Client['events'] = [];
  for (const name of names) session.on(name, (params) => events.push([name, params]));
  return { events, solve: async (params) => (await session.send('Browserless.solveCaptcha', params)) as Report };
}

async function puppeteerClient(browser: Browser): Promise<Client> {
  const page = await browser.newPage();
  const session = (await page.createCDPSession()) as unknown as AnySession;
  // The server learns from the session's first command of this kind that the session is listening.
  await session.send('Browserless.pageId');
  return {
    ...listen(session),
    goto: (path) => page.goto(site.url + path),
    received: () => page.evaluate(readToken),
    close: () => browser.close(),
  };
}

const clients: Record<string, (query: Query) => Promise<Client>> = {
  Puppeteer: async (query) => puppeteerClient(await connect(service, '/', query)),
  async Playwright(query) {
    const browser = await chromium.connectOverCDP(socketUrl(service, '/', query), { timeout: 60_000 });
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = await context.newPage();
    return {
      ...listen((await context.newCDPSession(page)) as unknown as AnySession),
      goto: (path) => page.goto(site.url + path),
      received: () => page.evaluate(readToken),
      close: () => browser.close(),
    };
  },
};

const solved: Omit<Report, 'message'> = {
  ok: true,
  captchaFound: true,
  solveAttempted: true,
  solved: true,
  error: null,
};
const withoutMessage = ({ message, ...rest }: Report) => {
  assert.ok(message);
  return rest;
};
const found = (client: Client) => client.events.filter(([name]) => name === names[0]).map(([, params]) => params);
const autoSolved = (client: Client) => client.events.find(([name]) => name === names[1])?.[1];

for (const [name, open] of Object.entries(clients)) {
  test(`${name}: the command solves the captcha and sends events`, async () => {
    const client = await open(through());
    await client.goto('/recaptcha-test-key');
    assert.equal(withoutMessage(await client.solve()), solved);
    assert.is(await client.received(), 'XXXX.DUMMY.TOKEN.XXXX');
    // The headless shell does not report frames unless a client requests it.
    assert.equal(found(client), [{ type: 'recaptcha', status: 'solving' }]);
    assert.is(autoSolved(client), undefined);
    const again = await client.solve();
    assert.equal([again.ok, again.captchaFound, again.solveAttempted, again.solved], [true, true, false, true]);
    await client.close();
  });

  test.proves('solveCaptchas@cdp');
  test(`${name}: solveCaptchas=true solves captchas automatically`, async () => {
    const client = await open(through({ solveCaptchas: true }));
    await client.goto('/turnstile');
    const { time, ...event } = await until('the event', () => autoSolved(client));
    assert.equal(event, { autoSolved: true, token: 'TOKEN.OF.THE.SOLVER', found: true, solved: true });
    assert.type(time, 'number');
    assert.equal(found(client), [
      { type: 'cloudflare', status: 'found' },
      { type: 'cloudflare', status: 'solving' },
    ]);
    assert.is(await client.received(), 'TOKEN.OF.THE.SOLVER');
    await client.close();
  });
}

test('test keys of three vendors are solved within two seconds, without the solver', async () => {
  const client = await puppeteerClient(await connect(service, '/', through()));
  const callsBefore = solver.calls.length;
  for (const path of ['/recaptcha-test-key', '/hcaptcha', '/turnstile-test-key']) {
    await client.goto(path);
    const began = idleNow();
    assert.equal(withoutMessage(await client.solve()), solved, path);
    const ms = idleNow() - began;
    assert.ok(ms <= 2_000, `${path}: ${ms} ms`);
    assert.is(await client.received(), 'XXXX.DUMMY.TOKEN.XXXX');
  }
  assert.is(solver.calls.length, callsBefore);
  await client.close();
});

test('without a captcha, the command succeeds after appearTimeout and does not block other commands', async () => {
  const client = await puppeteerClient(await connect(service, '/', through()));
  await client.goto('/nothing');
  const began = performance.now();
  let waiting = true;
  const report = client.solve({ appearTimeout: 1_500 }).finally(() => (waiting = false));
  assert.is(await client.received(), undefined);
  assert.ok(waiting);
  assert.equal(await report, {
    ok: true,
    captchaFound: false,
    message: 'No captcha appeared within 1500 ms.',
    solveAttempted: false,
    solved: false,
    error: null,
  });
  assert.ok(performance.now() - began >= 1_400);
  assert.equal(client.events, []);
  for (const appearTimeout of [-1, 'x', 1e9]) {
    const { ok, error } = await client.solve({ appearTimeout });
    assert.equal([ok, /appearTimeout/.test(error ?? '')], [false, true], String(error));
  }
  await client.close();
});

test.proves('solveCaptchas@session');
test.needs('a full Chromium');
test('a full browser reports widgets automatically, only to the sessions of their page, and solves them on request', async () => {
  const args = [`--proxy-server=${site.proxy}`, '--ignore-certificate-errors'];
  const { id } = succeeded(await service.post('/session', { args })).json<{ id: string }>();
  const full = { launch: JSON.stringify({ headless: 'new' }) };
  const browser = await connect(service, `/session/connect/${id}`, full);
  const client = await puppeteerClient(browser);
  const other = await puppeteerClient(browser);
  await client.goto('/hcaptcha');
  await until('the event', () => found(client).length > 0);
  assert.equal(found(other), []);
  const solving = await puppeteerClient(await connect(service, `/session/connect/${id}`, { solveCaptchas: true }));
  await solving.goto('/recaptcha-test-key');
  await until('the event', () => autoSolved(solving)?.['solved']);
  await client.close();
});

test('invisible widgets are neither reported nor solved automatically', async () => {
  const client = await puppeteerClient(await connect(service, '/', through({ solveCaptchas: true })));
  for (const path of ['/recaptcha-v3', '/recaptcha-invisible']) {
    await client.goto(path);
    assert.ok((await client.solve({ appearTimeout: 3_000 })).captchaFound, path);
  }
  assert.equal(
    found(client).map(({ status }) => status),
    ['solving', 'solving'],
  );
  assert.is(autoSolved(client), undefined);
  await client.close();
});

test.proves('solveCaptchas@attach');
test('solveCaptchas=true works on a socket to a running browser', async () => {
  const first = await connect(service, '/', through());
  const [page] = await first.pages();
  await page?.goto(`${site.url}/turnstile`);
  const [entry] = await sessionsOf(service);
  const second = await connect(service, `/devtools/browser/${entry?.id}`, { solveCaptchas: true });
  await until('the token', () => page?.evaluate(readToken));
  await second.disconnect();
  await first.close();
});

/** Longer than the maximum pause between two polls of the solver. */
const quietMs = 3_300;

test('disconnecting the client or closing the page stops the solving', async () => {
  solver.mood = 'slow';
  solver.calls.length = 0;
  const polled = () =>
    new Set(solver.calls.flatMap(({ path, body }) => (path === '/getTaskResult' ? [body['taskId']] : []))).size;
  try {
    const begun = async () => {
      const before = polled();
      const browser = await connect(service, '/', through());
      const client = await puppeteerClient(browser);
      await client.goto('/recaptcha-invisible');
      const report = client.solve().catch((error: unknown) => String(error));
      await until('a poll for the result', () => polled() > before);
      return { browser, report };
    };
    const [left, closed] = [await begun(), await begun()];
    await left.browser.disconnect();
    await (await closed.browser.pages()).at(-1)?.close();
    await Promise.all([left.report, closed.report]);
    const callsBefore = solver.calls.length;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    assert.is(solver.calls.length, callsBefore);
    await closed.browser.close();
  } finally {
    solver.mood = 'ready';
  }
});

test('navigating away while the solver works is reported in the result', async () => {
  solver.mood = 'slow';
  solver.calls.length = 0;
  const client = await puppeteerClient(await connect(service, '/', through()));
  await client.goto('/recaptcha-invisible');
  const report = client.solve();
  await until('a poll for the result', () => solver.calls.some(({ path }) => path === '/getTaskResult'));
  await client.goto('/nothing');
  solver.mood = 'ready';
  const { ok, solved: isSolved, error } = await report;
  assert.equal([ok, isSolved], [false, false]);
  assert.match(error ?? '', 'navigated away');
  await client.close();
});
