// Stealth browsers at every endpoint that offers them, with and without a display.
// @tier ci
import type { Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect, handshake } from '../support/clients/clients.ts';
import {
  assertHidden,
  byDocument,
  byFunction,
  byScrape,
  bySocket,
  look,
  type BrowserTraits,
  stealth,
} from '../support/clients/looks.ts';
import { cannotUnshare } from '../support/namespaces.ts';
import { processesMentioning } from '../support/processes.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startProcess, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// Each spare would be another full browser.
const { test, fixture } = fixtureSuite('stealth browsers', { env: { SPARES: '0', TIMEOUT: '60000' } });
const withChromium = test.unless(missing('a full Chromium', 'a display'));
const hidden = (seen: BrowserTraits) => assertHidden(seen, fixture.site);

withChromium('a socket: /stealth', async () => hidden(await bySocket(fixture.service, fixture.site, '/stealth')));

/** Each kind of call that accepts launch.stealth. */
const calls: Record<string, (options: ReturnType<typeof stealth>) => Promise<BrowserTraits>> = {
  cdp: ({ query }) => bySocket(fixture.service, fixture.site, '/', query),
  bql: (options) => byDocument(fixture.service, fixture.site, '/chromium/bql', options),
  code: (options) => byFunction(fixture.service, fixture.site, options),
  page: (options) => byScrape(fixture.service, fixture.site, options),
};
for (const [kind, call] of Object.entries(calls)) {
  test.proves(`launch.{stealth,timezone}@${kind}`);
  withChromium(`launch.stealth, timezone: ${kind}`, async () => {
    const seen = await call(stealth({ timezone: 'Asia/Tokyo' }));
    hidden(seen);
    assert.is(seen.timezone, 'Asia/Tokyo');
  });
}

test.proves('launch.stealth@audit launch.timezone@audit');
withChromium('launch.stealth, timezone on an audit', async () => {
  const body = { url: `${fixture.site.url}/small`, config: { settings: { onlyAudits: ['viewport'] } } };
  const running = fixture.service.post('/performance', body, stealth({ timezone: 'Asia/Tokyo' }));
  const isStealth = ({ command }: { command: string }) => command.includes('AutomationControlled');
  const seen = until('a stealth browser in Tokyo', () => processesMentioning('TZ=Asia/Tokyo').find(isStealth));
  // A refusal fails at once.
  await Promise.all([seen, running.then(succeeded)]);
});

withChromium('/stealth/bql', async () => hidden(await byDocument(fixture.service, fixture.site, '/stealth/bql')));

withChromium('a session, over its socket and with BrowserQL documents', async () => {
  const looks = [
    [{ stealth: true }, 'connect', bySocket],
    [{ browser: 'stealth' }, 'browserQL', byDocument],
  ] as const;
  for (const [body, link, seen] of looks) {
    const made = succeeded(await fixture.service.post('/session', body));
    assert.is(made.headers['x-ignored-parameters'], undefined);
    const { pathname } = new URL(made.json<{ connect: string; browserQL: string }>()[link]);
    hidden(await seen(fixture.service, fixture.site, pathname));
    fixture.site.clear();
  }
});

withChromium('a kept stealth browser stays a stealth browser', async () => {
  const browser = await connect(fixture.service, '/chromium/stealth', {}, { defaultViewport: null });
  const session = await (await browser.newPage()).createCDPSession();
  // Puppeteer's types know only Chromium's protocol.
  const send = session.send.bind(session) as (method: string, params: object) => Promise<Record<string, string>>;
  const { browserWSEndpoint = '' } = await send('Browserless.reconnect', { timeout: 60_000 });
  await browser.close();
  hidden(await bySocket(fixture.service, fixture.site, new URL(browserWSEndpoint).pathname));
});

withChromium('once a route has been used, a spare browser is ready for the next call', async () => {
  await using own = await startService({ env: { SPARES: '1' } });
  const browsers = () =>
    own
      .tree()
      .filter(({ command }) => command.includes('AutomationControlled') && !command.includes('--type='))
      .map(({ pid }) => pid);
  const first = await connect(own, '/chrome/stealth');
  const [pid] = browsers();
  await first.close();
  const spare = await until('a spare browser', () => browsers().find((each) => each !== pid));
  hidden(await bySocket(own, fixture.site, '/chrome/stealth'));
  await until('the spare browser to exit', () => !browsers().includes(spare));
});

test.unless(missing('a full Chromium') ?? cannotUnshare('--mount'))(
  'without a display, a browser without a window looks the same to pages, and Playwright sockets reject stealth',
  async () => {
    const hideXvfb = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null /usr/bin/Xvfb; exec "$@"', 'sh'];
    await using own = await startProcess({ under: hideXvfb, env: { SPARES: '0' } });
    hidden(await byDocument(own, fixture.site, '/stealth/bql'));
    fixture.site.clear();
    hidden(await byFunction(own, fixture.site, stealth()));
    fixture.site.clear();
    const browser = await connect(own, '/stealth', {}, { defaultViewport: null });
    const page = await browser.newPage();
    await page.goto(`${fixture.site.url}/small`);
    hidden(JSON.parse(String(await page.evaluate(look))));
    // Full versions, architecture and the like: empty if only the user agent was changed.
    const hints = await hintsOf(page);
    assert.match(hints, /"architecture":"\w+"/);
    assert.match(hints, /"fullVersionList":\[\{"brand":"[^"]+","version":"\d+\.\d+\.\d+\.\d+"/);
    await browser.close();
    const agent = { 'User-Agent': 'Playwright/1.63.0 (x64; debian 12) node/24.1' };
    const { status, text } = await handshake(own, '/chromium/playwright', stealth().query, agent);
    assert.is(status, 400, text);
    assert.match(text, 'needs a display');
  },
  { timeoutMs: 120_000 },
);

/** The client hints of a page and of its worker, which must be the same. */
async function hintsOf(page: Page): Promise<string> {
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
  assert.is(inWorker, inPage);
  return inPage;
}
