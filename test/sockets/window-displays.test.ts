// Browsers with a window on virtual displays: a tenant that records its screen sees only its own window, at each
// endpoint, and when a display exits, only its own browser closes.
// @tier ci
import { existsSync } from 'node:fs';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect, type Query, rawClient, type RawClient, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { socketPathsOf } from '../support/listeners.ts';
import { connectPlaywright, rawPlaywright } from '../support/clients/playwright.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { endProcesses, listProcesses, type ProcessInfo, stillAlive } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, service, site } = fixtureSuite('windows on virtual displays', {
  timeoutMs: 120_000,
  tokens: ['ours', 'theirs'].map((name) => ({ name, plan: 'enterprise' })),
  env: { SPARES: '0', TIMEOUT: '110000' },
});
const machineDisplay = process.env['DISPLAY'] ? 'this machine has a display' : undefined;
const check = test.unless(missing('a full Chromium', 'a display') ?? machineDisplay);

const wholeScreen = ['--auto-select-desktop-capture-source=Entire screen'];
/** On a shared display, a small window would leave most of a large one visible. */
const sizes: Record<string, string> = { ours: '--window-size=1300,1000', theirs: '--window-size=500,400' };
const withWindow = (tenant: string, args: string[], kind: object = { headless: false }): Query => ({
  token: tokenOf(tenant),
  launch: JSON.stringify({ ...kind, args: [...args, sizes[tenant]] }),
});

/** Gives a page a color, and makes a click on it record the screen. */
const prepared = (color: 'red' | 'blue') => `(() => {
  document.body.innerHTML = '';
  document.body.style = 'background: ${color}; height: 100vh; margin: 0';
  const record = async () => {
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: true });
    const video = Object.assign(document.createElement('video'), { srcObject: stream, muted: true });
    await video.play();
    // A small picture shows as much, and takes less time to read.
    const canvas = Object.assign(document.createElement('canvas'), { width: video.videoWidth >> 2, height: video.videoHeight >> 2 });
    const context = canvas.getContext('2d');
    const seen = { red: 0, blue: 0 };
    // The first frames may be older than the page.
    for (let turn = 0; turn < 300 && Math.max(seen.red, seen.blue) < 60; turn++) {
      await new Promise(requestAnimationFrame);
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      seen.red = seen.blue = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 1] > 60) continue;
        if (data[at] > 200 && data[at + 2] < 60) seen.red++;
        if (data[at + 2] > 200 && data[at] < 60) seen.blue++;
      }
    }
    return 'red: ' + (seen.red >= 60) + ', blue: ' + (seen.blue >= 60);
  };
  const late = () => new Promise((resolve) => setTimeout(resolve, 5_000, 'no picture'));
  document.onclick = () => { window.recorded = Promise.race([record().catch(String), late()]); };
})()`;

/** Lets a Puppeteer or Playwright page record the screen after a click. */
interface Clickable {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  mouse: { click(x: number, y: number): Promise<unknown> };
}
async function record(page: Clickable, color: 'red' | 'blue'): Promise<unknown> {
  await page.goto(`${site.url}/small`);
  await page.evaluate(prepared(color));
  await page.mouse.click(300, 300);
  return page.evaluate('window.recorded');
}

/** For each endpoint, records the screen from a page with that window. */
const recorders: Record<string, (query: Query) => Promise<unknown>> = {
  CDP: async (query) => {
    const browser = await connect(service, '/', query);
    try {
      return await record(await browser.newPage(), 'blue');
    } finally {
      await browser.close();
    }
  },
  Playwright: async (query) => {
    await using browser = await connectPlaywright(service, '/chromium/playwright', query);
    return await record(await browser.newPage(), 'blue');
  },
  sessions: async ({ token, launch }) => {
    const body = JSON.parse(String(launch));
    const { id } = succeeded(await service.post('/session', body, { token: String(token) })).json<{ id: string }>();
    const browser = await connect(service, `/session/connect/${id}`, { token: String(token) });
    try {
      return await record(await browser.newPage(), 'blue');
    } finally {
      await browser.disconnect();
      await service.get(`/session/${id}`, { method: 'DELETE', token: String(token), query: { force: true } });
    }
  },
  function: async ({ token, launch }) => {
    const code = `export default async ({ page }) => {
      await page.goto('${site.url}/small');
      await page.evaluate(${JSON.stringify(prepared('blue'))});
      await page.mouse.click(300, 300);
      return await page.evaluate('window.recorded');
    }`;
    const query = { launch: String(launch) };
    return succeeded(await service.post('/function', { code }, { token: String(token), query })).text;
  },
  BrowserQL: async ({ token, launch }) => {
    const query = `mutation ($prepared: String!) {
      goto(url: "${site.url}/small") { status }
      prepare: evaluate(content: $prepared) { value }
      click(selector: "body") { time }
      recorded: evaluate(content: "window.recorded") { value }
    }`;
    const body = { query, variables: { prepared: prepared('blue') } };
    const reply = await service.post('/chromium/bql', body, {
      token: String(token),
      query: { launch: String(launch) },
    });
    return succeeded(reply).text;
  },
};

test.shows('recorded-screen', 'function', 'BrowserQL', 'CDP', 'Playwright', 'sessions');
check("at each endpoint, a tenant that records its screen sees its own window and no other tenant's", async () => {
  const own = await connect(service, '/', withWindow('ours', wholeScreen));
  try {
    const page = await own.newPage();
    assert.is(await record(page, 'red'), 'red: true, blue: false', 'it is visible on its own display');
    for (const [endpoint, recorder] of Object.entries(recorders)) {
      assert.match(String(await recorder(withWindow('theirs', wholeScreen))), 'red: false, blue: true', endpoint);
    }
    const stealthy = await recorders['CDP']?.(withWindow('theirs', wholeScreen, { stealth: true }));
    assert.is(stealthy, 'red: false, blue: true');
    const others = [
      ['--auto-select-tab-capture-source-by-title=Small'],
      ['--use-fake-ui-for-media-stream', '--enable-usermedia-screen-capturing', '--allow-http-screen-capture'],
    ];
    const seen = await Promise.all(others.map((other) => recorders['CDP']?.(withWindow('theirs', other))));
    assert.not.match(seen.join(), 'red: true');
    assert.is(await record(page, 'red'), 'red: true, blue: false', 'it is still visible');
  } finally {
    await own.close();
  }
});

type Window = (of: Service) => Promise<{ told: Promise<string>; again?: () => Promise<unknown> }>;

const launched = { query: { launch: '{"headless":false}' } };
const closeOf = (closed: RawClient['closed']) => closed.then(({ code, reason }) => `${code} ${reason}`);

/** A call that waits for a page to which the site does not respond. */
const waiting =
  (path: string, bodyOf: (url: string) => object, repeated = false): Window =>
  async (of) => {
    site.clear();
    const begun = () => site.waitForRequest('/hang');
    const reply = of.post(path, bodyOf(`${site.url}/hang`), launched);
    await begun();
    const again = () => (site.clear(), begun());
    return { told: reply.then(({ status, text }) => `${status} ${text}`), ...(repeated ? { again } : {}) };
  };

/** Calls with a window that run until their display exits, and what the client receives then. */
const windows: Record<string, Window> = {
  CDP: async (of) => ({ told: closeOf((await rawClient(socketUrl(of, '/', launched.query))).closed) }),
  Playwright: async (of) => ({
    told: closeOf((await rawPlaywright(of, '/chromium/playwright', launched.query)).closed),
  }),
  sessions: async (of) => {
    const { id } = succeeded(await of.post('/session', { headless: false })).json<{ id: string }>();
    return { told: closeOf((await rawClient(socketUrl(of, `/session/connect/${id}`))).closed) };
  },
  // It retries once in another browser, as after any crash.
  REST: waiting('/content', (url) => ({ url }), true),
  function: waiting('/function', (url) => ({
    code: `export default ({ page }) => page.goto('${url}', { timeout: 0 }).catch(() => new Promise(() => {}))`,
  })),
  BrowserQL: waiting('/chromium/bql', (url) => ({ query: `mutation { goto(url: "${url}") { status } }` })),
};

/** Files of the sockets on which these displays listen. */
const filesOf = (processes: ProcessInfo[]) =>
  socketPathsOf(processes.map(({ pid }) => pid)).filter((path) => !path.startsWith('@'));

check('killing a display ends only its own call, with a reason, and leaves nothing behind', async () => {
  const of = await startService({ env: { TOKEN: 'secret-token', SPARES: '0', TIMEOUT: '110000' } });
  const files = new Set<string>();
  try {
    const displays = () => of.tree().filter(({ command }) => command.includes('Xvfb'));
    const neighbor = await rawClient(socketUrl(of, '/', launched.query));
    const { sessionId } = await openPage(neighbor, `${site.url}/small`);
    const [kept] = displays();
    assert.ok(kept);
    for (const [endpoint, open] of Object.entries(windows)) {
      const { told, again } = await open(of);
      const endOne = async () => {
        const own = await until('its display', () => displays().find(({ pid }) => pid !== kept.pid));
        const its = filesOf([own]);
        assert.is(its.length, 1, endpoint);
        assert.not.equal(its, filesOf([kept]), endpoint);
        its.forEach((path) => files.add(path));
        endProcesses([own]);
        await until('the display to exit', () => stillAlive([own]).length === 0);
      };
      await endOne();
      if (again) {
        await again();
        await endOne();
      }
      const began = idleNow();
      assert.match(await told, /its display \(Xvfb\) ended/, endpoint);
      assert.ok(idleNow() - began < 10_000, endpoint);
      assert.match(await told, { BrowserQL: /BROWSER_CRASHED/ }[endpoint] ?? /^(?:1011|500) /);
      await until("only the other client's display", () => displays().length === 1);
      const screenshot = await neighbor.send('Page.captureScreenshot', {}, sessionId);
      assert.ok(String(screenshot.result?.['data']).length > 1_000, `${endpoint}: the other client's window`);
      assert.is(await valueOf(neighbor, 'document.title', sessionId), 'Small', endpoint);
    }
    filesOf([kept]).forEach((path) => files.add(path));
    neighbor.socket.close();
    await neighbor.closed;
  } finally {
    await of.stop();
  }
  const listened = () => filesOf(listProcesses());
  const left = () =>
    [...files].flatMap((path) => {
      const number = /\d+$/.exec(path)?.[0];
      return [path, `/tmp/.X${number}-lock`].filter((each) => existsSync(each));
    });
  // Another server on this machine may have taken a display number in the meantime.
  await until('all files to be removed', () => left().every((path) => listened().includes(path)));
});
