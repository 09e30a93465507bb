// Launch options, with the test that verifies the effect of each on each kind of call.
import { type Row, coveredBy } from './row.ts';

const chromium = 'launch.{args,acceptInsecureCerts,headless,ignoreDefaultArgs}';

export const launchRows: readonly Row[] = [
  ...coveredBy('promises/effects', {
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
  ...coveredBy('promises/effects-playwright', {
    'all options that can be combined: Firefox': 'launch.{args,headless,slowMo,firefoxUserPrefs}@playwright-firefox',
    'all options that can be combined: WebKit': 'launch.headless@playwright-webkit',
    'what fails before a browser runs: …': {
      firefox: 'launch.{timeout,proxy}@playwright-firefox',
      webkit: 'launch.{timeout,proxy}@playwright-webkit',
    },
  }),
  ...coveredBy('promises/effects-running', {
    'humanlike, slowMo: …': { 'bql-kept': 'launch.slowMo@bql-kept', 'bql-session': 'launch.slowMo@bql-session' },
    'launch: session': 'launch.{args,headless,slowMo}@session',
    'launch: bql-session': 'launch.args@bql-session',
  }),
  ...coveredBy('sockets/stealth', {
    'launch.stealth, timezone: …': {
      'a socket': 'launch.{stealth,timezone}@cdp',
      BrowserQL: 'launch.{stealth,timezone}@bql',
      '/function': 'launch.{stealth,timezone}@code',
      'REST on a page': 'launch.{stealth,timezone}@page',
    },
    'launch.stealth, timezone on an audit': 'launch.{stealth,timezone}@audit',
  }),
  ...coveredBy('sockets/stealth-playwright', {
    'launch.stealth, timezone: Playwright …': { 1.63: 'launch.{stealth,timezone}@playwright' },
  }),
  // WebKit does not run where the tests run, so this tests how the server would start it.
  ...coveredBy('unit/playwright', {
    'WebKit: headless, slowMo and proxy, but no switches': 'launch.slowMo@playwright-webkit',
  }),
  ...coveredBy('contract/proxies', {
    'a proxy in …: its password does not appear in processes, sessions, logs, or metrics': {
      'launch.proxy': 'launch.proxy@page',
    },
  }),
  ...coveredBy('bql/actions', { 'slowMo pauses after each user action': 'launch.slowMo@bql' }),
  ...coveredBy('sockets/launch-effects', {
    'slowMo delays each command of a client, in launch and as a parameter': 'launch.slowMo@cdp',
    'slowMo on a running browser affects only the client that sets it': 'launch.slowMo@attach',
    'defaultViewport sizes the first page, new pages and popups (…)': 'launch.defaultViewport@cdp',
  }),
];
