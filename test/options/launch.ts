// Launch options, with the test that verifies the effect of each on each kind of call.
import { type Row, seenBy } from './row.ts';

const chromium = 'launch.{args,acceptInsecureCerts,headless,ignoreDefaultArgs}';

export const launchRows: readonly Row[] = [
  ...seenBy('promises/effects', {
    'all options that can be combined: …': {
      page: `${chromium}@page launch.{userDataDir,defaultViewport}@page`,
      code: `${chromium}@code launch.{userDataDir,defaultViewport}@code`,
      audit: `${chromium}@audit launch.userDataDir@audit`,
      bql: `${chromium}@bql launch.{userDataDir,defaultViewport}@bql`,
      cdp: `${chromium}@cdp launch.userDataDir@cdp`,
      playwright: `${chromium}@playwright`,
    },
    'an unreachable proxy and a wrong token are rejected: …': {
      code: 'launch.proxy@code',
      audit: 'launch.proxy@audit',
      bql: 'launch.proxy@bql',
      cdp: 'launch.proxy@cdp',
      playwright: 'launch.proxy@playwright',
    },
    'launch.timeout: …': { cdp: 'launch.timeout@cdp', playwright: 'launch.timeout@playwright' },
    'slowMo: playwright': 'launch.slowMo@playwright',
  }),
  ...seenBy('promises/effects-playwright', {
    'all options that can be combined: Firefox': 'launch.{args,headless,slowMo,firefoxUserPrefs}@playwright-firefox',
    'all options that can be combined: WebKit': 'launch.headless@playwright-webkit',
    'what fails before a browser runs: …': {
      firefox: 'launch.{timeout,proxy}@playwright-firefox',
      webkit: 'launch.{timeout,proxy}@playwright-webkit',
    },
  }),
  ...seenBy('promises/effects-running', {
    'humanlike, slowMo: …': { 'bql-kept': 'launch.slowMo@bql-kept', 'bql-session': 'launch.slowMo@bql-session' },
    'launch: session': 'launch.{args,headless,slowMo}@session',
    'launch: bql-session': 'launch.args@bql-session',
  }),
  ...seenBy('sockets/stealth', {
    'launch.stealth, timezone: …': {
      'a socket': 'launch.{stealth,timezone}@cdp',
      BrowserQL: 'launch.{stealth,timezone}@bql',
      '/function': 'launch.{stealth,timezone}@code',
      'REST on a page': 'launch.{stealth,timezone}@page',
    },
    'launch.stealth, timezone on an audit': 'launch.{stealth,timezone}@audit',
  }),
  ...seenBy('sockets/stealth-playwright', {
    'launch.stealth, timezone: Playwright …': { 1.63: 'launch.{stealth,timezone}@playwright' },
  }),
  // WebKit does not run where the tests run, so this tests how the server would start it.
  ...seenBy('unit/playwright', {
    'WebKit: headless, slowMo and proxy, but no switches': 'launch.slowMo@playwright-webkit',
  }),
  ...seenBy('contract/proxies', {
    'a proxy in …: its password does not appear in processes, sessions, logs, or metrics': {
      'launch.proxy': 'launch.proxy@page',
    },
  }),
  ...seenBy('bql/actions', { 'slowMo pauses after each user action': 'launch.slowMo@bql' }),
  ...seenBy('sockets/launch-effects', {
    'slowMo delays each command of a client, in launch and as a parameter': 'launch.slowMo@cdp',
    'slowMo on a running browser affects only the client that sets it': 'launch.slowMo@attach',
    'defaultViewport sizes the first page, new pages and popups (…)': 'launch.defaultViewport@cdp',
  }),
];
