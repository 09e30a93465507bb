// Stealth browsers at every endpoint that offers them, with and without a display.
// @tier ci
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect } from '../support/clients/clients.ts';
import {
  assertHidden,
  byDocument,
  byFunction,
  byScrape,
  bySocket,
  type BrowserTraits,
  stealth,
} from '../support/clients/looks.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { processesMentioning } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('stealth browsers', { timeoutMs: 90_000 });
const withChromium = test.unless(missing('a full Chromium', 'a display'));
let service: ServerProcess;
let site: Site;

test.before(async () => {
  site = await startSite();
  service = await startProcess();
});
test.after(() => stopAll(service, site));
test.before.each(() => site.clear());

for (const path of ['/stealth', '/chromium/stealth', '/chrome/stealth']) {
  withChromium(`a socket: ${path}`, async () => assertHidden(await bySocket(service, site, path), site));
}

/** Each kind of call that accepts launch.stealth. */
const calls: Record<string, (options: ReturnType<typeof stealth>) => Promise<BrowserTraits>> = {
  cdp: ({ query }) => bySocket(service, site, '/', query),
  bql: (options) => byDocument(service, site, '/chromium/bql', options),
  code: (options) => byFunction(service, site, options),
  page: (options) => byScrape(service, site, options),
};
for (const [kind, call] of Object.entries(calls)) {
  test.proves(`launch.{stealth,timezone}@${kind}`);
  withChromium(`launch.stealth, timezone: ${kind}`, async () => {
    const seen = await call(stealth({ timezone: 'Asia/Tokyo' }));
    assertHidden(seen, site);
    assert.is(seen.timezone, 'Asia/Tokyo');
  });
}

test.proves('launch.stealth@audit launch.timezone@audit');
withChromium('launch.stealth, timezone on an audit', async () => {
  const running = service.post('/performance', { url: `${site.url}/small` }, stealth({ timezone: 'Asia/Tokyo' }));
  // Spare browsers of earlier calls have no time zone set.
  const inTokyo = ({ command }: { command: string }) => command.includes('AutomationControlled');
  await until('a stealth browser in Tokyo', () => processesMentioning('TZ=Asia/Tokyo').find(inTokyo));
  succeeded(await running);
});

withChromium('/stealth/bql', async () => assertHidden(await byDocument(service, site, '/stealth/bql'), site));

withChromium('a session, over its socket and with BrowserQL documents', async () => {
  for (const body of [{ stealth: true }, { browser: 'stealth' }]) {
    const made = succeeded(await service.post('/session', body));
    assert.is(made.headers['x-ignored-parameters'], undefined);
    const { connect: socket, browserQL } = made.json<{ connect: string; browserQL: string }>();
    assertHidden(await bySocket(service, site, new URL(socket).pathname), site);
    site.clear();
    assertHidden(await byDocument(service, site, new URL(browserQL).pathname), site);
    site.clear();
  }
});

withChromium('a kept stealth browser stays a stealth browser', async () => {
  const browser = await connect(service, '/stealth', {}, { defaultViewport: null });
  const session = await (await browser.newPage()).createCDPSession();
  // Puppeteer's types know only Chromium's protocol.
  const send = session.send.bind(session) as (method: string, params: object) => Promise<Record<string, string>>;
  const { browserWSEndpoint = '' } = await send('Browserless.reconnect', { timeout: 60_000 });
  await browser.close();
  assertHidden(await bySocket(service, site, new URL(browserWSEndpoint).pathname), site);
});

withChromium('once a route has been used, a spare browser is ready for the next call', async () => {
  const own = await startProcess({ env: { SPARES: '1' } });
  try {
    const browsers = () =>
      own
        .tree()
        .filter(({ command }) => command.includes('AutomationControlled') && !command.includes('--type='))
        .map(({ pid }) => pid);
    const first = await connect(own, '/stealth');
    const [pid] = browsers();
    await first.close();
    const spare = await until('a spare browser', () => browsers().find((each) => each !== pid));
    const second = await connect(own, '/stealth');
    assert.ok(browsers().includes(spare));
    await second.close();
    await until('the spare browser to exit', () => !browsers().includes(spare));
  } finally {
    await own.stop();
  }
});

test.unless(missing('a full Chromium') ?? cannotUnshare('--mount'))(
  'without a display, a browser without a window looks the same to pages',
  async () => {
    const hideXvfb = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null /usr/bin/Xvfb; exec "$@"', 'sh'];
    const own = await startProcess({ under: hideXvfb, env: { SPARES: '0' } });
    try {
      assertHidden(await bySocket(own, site, '/stealth'), site);
      site.clear();
      assertHidden(await byDocument(own, site, '/stealth/bql'), site);
      site.clear();
      assertHidden(await byFunction(own, site, stealth()), site);
      // Full versions, architecture and the like: empty if only the user agent was changed.
      const hints = await bySocketHints(own);
      assert.match(hints, /"architecture":"\w+"/);
      assert.match(hints, /"fullVersionList":\[\{"brand":"[^"]+","version":"\d+\.\d+\.\d+\.\d+"/);
    } finally {
      await own.stop();
    }
  },
);

/** The client hints of a page and of its worker, which must be the same. */
async function bySocketHints(on: ServerProcess): Promise<string> {
  const browser = await connect(on, '/stealth', {}, { defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  const read = "navigator.userAgentData.getHighEntropyValues(['architecture', 'fullVersionList']).then(JSON.stringify)";
  const inPage = String(await page.evaluate(read));
  const inWorker = String(
    await page.evaluate(
      `new Promise((resolve) => {
        const text = ${JSON.stringify(`${read}.then((found) => postMessage(found))`)};
        new Worker(URL.createObjectURL(new Blob([text]))).onmessage = ({ data }) => resolve(data);
      })`,
    ),
  );
  await browser.close();
  assert.is(inWorker, inPage);
  return inPage;
}
