// Query parameters of the routes that need a browser, with the test that observes the effect of each on each kind of
// call.
import { type Row, seenBy } from './row.ts';

/** All parameters of a residential proxy, and another one that the combined requests cover. */
const together = '{trackingId,proxy,proxyCountry,proxyCity,proxyState,proxySticky,proxyLocaleMatch}';

export const parameterRows: readonly Row[] = [
  ...seenBy('profiles/doors', {
    '/content in a …': { context: 'profile@page' },
    '/function': 'profile@code',
    '/performance': 'profile@audit',
    'BrowserQL, on a page of the pool and on a browser of its own': 'profile@bql',
    'a CDP socket in a …': { context: 'profile@cdp' },
    'a Playwright socket of …': { '1.51': 'profile@playwright' },
    'Firefox and WebKit, where they are installed': 'profile@{playwright-firefox,playwright-webkit}',
    'a browser that runs already takes none': 'profile@{bql-kept,attach}',
    'a session takes its own alone': 'profile@{session,bql-session}',
  }),
  ...seenBy('sockets/allowed-domains', {
    'the list of the call: …': {
      page: 'allowedDomains@page',
      code: 'allowedDomains@code',
      audit: 'allowedDomains@audit',
      bql: 'allowedDomains@bql',
      cdp: 'allowedDomains@cdp',
      'playwright chromium': 'allowedDomains@playwright',
    },
    'the list of the call: Firefox and WebKit, where they are installed':
      'allowedDomains@{playwright-firefox,playwright-webkit}',
    'BrowserQL: proxy(server:), and a kept browser, which takes no other list': 'allowedDomains@{bql-kept,attach}',
    'POST /session: its documents, their proxies and its clients': 'allowedDomains@{session,bql-session}',
  }),
  ...seenBy('promises/effects', {
    'all that can stand together: …': {
      page: `${together}@page`,
      code: `${together}@code`,
      audit: `${together}@audit`,
      bql: `${together}@bql`,
      cdp: `${together}@cdp`,
      playwright: `${together}@playwright`,
    },
    'a proxy of the caller that is not there, and no token: …': {
      page: 'token@page',
      code: '{token,externalProxyServer}@code',
      audit: '{token,externalProxyServer}@audit',
      bql: '{token,externalProxyServer}@bql',
      cdp: 'token@cdp',
      playwright: 'token@playwright',
    },
    'a time limit that is over at once: …': {
      code: 'timeout@code',
      audit: 'timeout@audit',
      bql: 'timeout@bql',
      cdp: 'timeout@cdp',
    },
    'blockAds: cdp': 'blockAds@cdp',
    'isolation: …': { code: 'isolation@code', bql: 'isolation@bql' },
  }),
  ...seenBy('promises/effects-playwright', {
    'all that can stand together: Firefox': `${together}@playwright-firefox`,
    'all that can stand together: WebKit':
      '{trackingId,timeout,proxy,proxyCountry,proxyCity,proxyState,proxySticky}@playwright-webkit',
    'what ends before a browser runs: …': {
      firefox: '{token,isolation,externalProxyServer}@playwright-firefox',
      webkit: '{token,isolation,externalProxyServer}@playwright-webkit',
    },
  }),
  ...seenBy('promises/effects-running', {
    'token and timeout: …': {
      'bql-kept': '{token,timeout}@bql-kept',
      'bql-session': '{token,timeout}@bql-session',
      attach: '{token,timeout}@attach',
      session: '{token,timeout}@session',
    },
    'humanlike, slowMo: …': { 'bql-kept': 'humanlike@bql-kept', 'bql-session': 'humanlike@bql-session' },
    'a session without a proxy refuses one that its client names':
      '{proxy,proxyCountry,proxyCity,proxyState,externalProxyServer}@session',
  }),
  ...seenBy('contract/query', { 'timeout ends a call, zero and the server default do not': 'timeout@page' }),
  ...seenBy('contract/proxies', {
    '…: plain pages, TLS pages and sockets go through the proxy of externalProxyServer': 'externalProxyServer@page',
  }),
  ...seenBy('contract/function', {
    '?blockAds keeps advertisements from every page of the code, beside its own interception': 'blockAds@code',
    'the console goes to the log, and with ?debug=true into the error': 'debug@code',
  }),
  ...seenBy('page/ads', {
    '…: requests of advertisers are refused, those of the site are not': { 'in the query': 'blockAds@page' },
  }),
  ...seenBy('page/consent', { 'pdf: in the query as well': 'blockConsentModals@page' }),
  ...seenBy('bql/blocking', {
    'blockAds: advertisements are neither asked for nor seen': 'blockAds@bql',
    'blockConsentModals: the dialog is refused before the next step': 'blockConsentModals@bql',
    'blockConsentModals: on a kept browser, whether it began with it or not': 'blockConsentModals@bql-kept',
    'blockConsentModals: in a session, and in a window that a page opened': 'blockConsentModals@bql-session',
  }),
  ...seenBy('bql/actions', {
    'humanlike moves in curves, turns the wheel and corrects its mistakes': 'humanlike@bql',
  }),
  ...seenBy('sockets/isolation', {
    'a client gets what it chooses, and a process where its options need one': 'isolation@cdp',
    'where there is no choice, isolation=context is refused with what to do': 'isolation@{audit,playwright,session}',
    'a REST call gets a process of its own with isolation=process': 'isolation@page',
  }),
  ...seenBy('sockets/launch-effects', {
    'ttl: the browser waits for a reconnection with its pages, then ends': 'ttl@cdp',
  }),
  ...seenBy('recording/commands', {
    '…: navigations across sites and a new size, as WebM that plays': { 'headless shell': 'record@cdp' },
    'record=all records from the start, until the client closes the browser; a second client may join': 'record@attach',
    'a session of POST /session, by chrome-remote-interface': 'record@session',
  }),
  ...seenBy('recording/replay', {
    'three tabs and a popup, until the session ends; a page that closes keeps what happened in it': 'replay@cdp',
    'Playwright over CDP and chrome-remote-interface stop it; without replay=true there is none to stop':
      'replay@{attach,session}',
  }),
  ...seenBy('bql/replay', {
    'replay=true: recorded until stopSessionRecording, or the end of the document': 'replay@bql',
    'a kept browser and a session: each document begins a replay of its own': 'replay@{bql-kept,bql-session}',
  }),
  ...seenBy('sockets/captcha', {
    '…: solveCaptchas=true solves without being asked': { 'puppeteer-core': 'solveCaptchas@cdp' },
    'solveCaptchas=true on a socket to a browser that runs, and to a session': 'solveCaptchas@{attach,session}',
  }),
  ...seenBy('sockets/proxies', {
    'a socket with externalProxyServer, its password nowhere': 'externalProxyServer@cdp',
  }),
  ...seenBy('sockets/playwright', {
    'the proxy of the browser, and one of a context, take its pages and the requests of Playwright':
      'externalProxyServer@playwright',
    '/kill, the time limit and a crash end the connection with their own codes': 'timeout@playwright',
  }),
  ...seenBy('sockets/playwright-firefox', {
    'without a token configured it connects; one slot, a limit and /kill hold as for Chromium':
      'timeout@playwright-firefox',
  }),
  ...seenBy('sockets/shield-probes', {
    'a client of a stealth browser is not seen, with shield=false it is': 'shield@cdp',
    'clients of one page, and those that come back, are not seen, with shield=false they are': 'shield@attach',
    'a client of a stealth session is not seen, with shield=false it is': 'shield@session',
  }),
];
