// Query parameters of the routes that need a browser, with the test that verifies the effect of each on each kind of
// call.
import { type Row, coveredBy } from './row.ts';

/** All parameters of a residential proxy, and another one that the combined requests cover. */
const together = '{trackingId,proxy,proxyCountry,proxyCity,proxyState,proxySticky,proxyLocaleMatch}';

export const parameterRows: readonly Row[] = [
  ...coveredBy('profiles/endpoints', {
    '/content in a …': { context: 'profile@page' },
    '/function': 'profile@code',
    '/performance': 'profile@audit',
    'BrowserQL, on a pooled page and in a separate browser': 'profile@bql',
    'a CDP socket in a …': { context: 'profile@cdp' },
    'a Playwright … socket': { '1.51': 'profile@playwright' },
    'Firefox and WebKit, if they are installed': 'profile@{playwright-firefox,playwright-webkit}',
    'a running browser does not accept a profile': 'profile@{bql-kept,attach}',
    'a session accepts only its own profile': 'profile@{session,bql-session}',
  }),
  ...coveredBy('sockets/allowed-domains', {
    'allowedDomains in the request: …': {
      page: 'allowedDomains@page',
      code: 'allowedDomains@code',
      audit: 'allowedDomains@audit',
      bql: 'allowedDomains@bql',
      cdp: 'allowedDomains@cdp',
      'playwright chromium': 'allowedDomains@playwright',
    },
    'allowedDomains in the request: Firefox and WebKit, if installed':
      'allowedDomains@{playwright-firefox,playwright-webkit}',
    'BrowserQL: the list applies with proxy(server:) and to a kept browser, which rejects a different list':
      'allowedDomains@{bql-kept,attach}',
    'POST /session: the list applies to its BrowserQL documents, their proxies, and its clients':
      'allowedDomains@{session,bql-session}',
  }),
  ...coveredBy('promises/effects', {
    'all options that can be combined: …': {
      page: `${together}@page`,
      code: `${together}@code`,
      audit: `${together}@audit`,
      bql: `${together}@bql`,
      cdp: `${together}@cdp`,
      playwright: `${together}@playwright`,
    },
    'an unreachable proxy and a wrong token are rejected: …': {
      page: 'token@page',
      code: '{token,externalProxyServer}@code',
      audit: '{token,externalProxyServer}@audit',
      bql: '{token,externalProxyServer}@bql',
      cdp: 'token@cdp',
      playwright: 'token@playwright',
    },
    'a time limit that expires immediately: …': {
      code: 'timeout@code',
      audit: 'timeout@audit',
      bql: 'timeout@bql',
      cdp: 'timeout@cdp',
    },
    'blockAds: cdp': 'blockAds@cdp',
    'isolation: …': { code: 'isolation@code', bql: 'isolation@bql' },
  }),
  ...coveredBy('promises/effects-playwright', {
    'all options that can be combined: Firefox': `${together}@playwright-firefox`,
    'all options that can be combined: WebKit':
      '{trackingId,timeout,proxy,proxyCountry,proxyCity,proxyState,proxySticky}@playwright-webkit',
    'what fails before a browser runs: …': {
      firefox: '{token,isolation,externalProxyServer}@playwright-firefox',
      webkit: '{token,isolation,externalProxyServer}@playwright-webkit',
    },
  }),
  ...coveredBy('promises/effects-running', {
    'token and timeout: …': {
      'bql-kept': '{token,timeout}@bql-kept',
      'bql-session': '{token,timeout}@bql-session',
      attach: '{token,timeout}@attach',
      session: '{token,timeout}@session',
    },
    'humanlike, slowMo: …': { 'bql-kept': 'humanlike@bql-kept', 'bql-session': 'humanlike@bql-session' },
    'a session without a proxy rejects one that its client names':
      '{proxy,proxyCountry,proxyCity,proxyState,externalProxyServer}@session',
  }),
  ...coveredBy('contract/query', { 'timeout stops a request; zero and the server default do not': 'timeout@page' }),
  ...coveredBy('contract/proxies', {
    '…: plain pages, TLS pages, and sockets go through the externalProxyServer proxy': 'externalProxyServer@page',
  }),
  ...coveredBy('contract/function', {
    "?blockAds blocks ads on every page that the code opens, alongside the code's own interception": 'blockAds@code',
    'console output goes to the log and, with ?debug=true, into the error': 'debug@code',
  }),
  ...coveredBy('page/ads', {
    '…: ad requests are blocked, those of the site are not': { 'in the query': 'blockAds@page' },
  }),
  ...coveredBy('page/consent', { 'pdf: works in the query as well': 'blockConsentModals@page' }),
  ...coveredBy('bql/blocking', {
    'blockAds: ads are neither requested nor shown': 'blockAds@bql',
    'blockConsentModals: consent is declined before the next step': 'blockConsentModals@bql',
    'blockConsentModals works after reconnecting, whether or not the browser was started with it':
      'blockConsentModals@bql-kept',
    'blockConsentModals works in a session, and in a window that a page opened': 'blockConsentModals@bql-session',
  }),
  ...coveredBy('bql/actions', {
    'humanlike moves the mouse in curves, scrolls with the wheel and corrects typos': 'humanlike@bql',
  }),
  ...coveredBy('sockets/isolation', {
    'a client gets the isolation that it requests, or a process if its options need one': 'isolation@cdp',
    'where a process is always used, isolation=context is rejected with a fix': 'isolation@{audit,playwright,session}',
    'a REST call gets its own process with isolation=process': 'isolation@page',
  }),
  ...coveredBy('sockets/launch-effects', {
    'ttl: the browser waits for a reconnection with its pages, then closes': 'ttl@cdp',
  }),
  ...coveredBy('recording/commands', {
    '…: cross-site navigations and a new size, as WebM that plays': { 'headless shell': 'record@cdp' },
    'record=all records from the start until the client closes the browser; a second client can join': 'record@attach',
    'chrome-remote-interface can record a session of POST /session': 'record@session',
  }),
  ...coveredBy('recording/replay', {
    'three tabs and a popup are recorded until the session ends; a page that closes keeps its events': 'replay@cdp',
    'Playwright over CDP and chrome-remote-interface can stop it; without replay=true, there is nothing to stop':
      'replay@{attach,session}',
  }),
  ...coveredBy('bql/replay', {
    'replay=true records until stopSessionRecording or the end of the document': 'replay@bql',
    'each document starts a separate replay, in a reconnectable browser and in a session':
      'replay@{bql-kept,bql-session}',
  }),
  ...coveredBy('sockets/captcha', {
    '…: solveCaptchas=true solves captchas automatically': { 'puppeteer-core': 'solveCaptchas@cdp' },
    'solveCaptchas=true works on a socket to a running browser and to a session': 'solveCaptchas@{attach,session}',
  }),
  ...coveredBy('sockets/proxies', {
    'a socket with externalProxyServer uses the proxy, and the password is not exposed': 'externalProxyServer@cdp',
  }),
  ...coveredBy('sockets/playwright', {
    "pages and Playwright's requests use the proxy of the browser or the context": 'externalProxyServer@playwright',
    '/kill, the time limit and a crash close the connection with different codes': 'timeout@playwright',
  }),
  ...coveredBy('sockets/playwright-firefox', {
    'connects on a server without a token; slots, time limits and /kill work as for Chromium':
      'timeout@playwright-firefox',
  }),
  ...coveredBy('sockets/shield-probes', {
    'a client of a stealth browser is detectable only with shield=false': 'shield@cdp',
    'page clients are detectable only with shield=false, and reconnecting clients are not detectable': 'shield@attach',
    'a client of a stealth session is detectable only with shield=false': 'shield@session',
  }),
];
