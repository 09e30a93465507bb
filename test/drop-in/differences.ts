// The entries of the migration page, each by the text of its first cell, with the test that checks what this server
// does instead.
import { heldBy, type Row } from './row.ts';

export const differences: readonly Row[] = [
  ...heldBy('unit/http', { '`Accept` must match literally': 'Accept is read leniently' }),
  ...heldBy('contract/management', {
    'A GET with a JSON content type and no body returns a 400': 'GET … with a JSON content type is tolerated',
    '`/config` shows the token': '/config holds the names of the contract and no token',
    '`/kill` accepts GET': '/kill/all ends every call, and is 204 when nothing runs',
    '`/meta` has the versions of browserless': '/meta names versions',
  }),
  ...heldBy('contract/graphql', {
    '`POST /graphql` returns figures of a hosted service': 'a field that the schema has not is a 400 with a suggestion',
  }),
  ...heldBy('fields/page', {
    '`userAgent` must be an object': ['userAgent as …', 'text'],
    'A cookie needs `url` or `domain`':
      'cookies reach the site and the script; without url and domain they belong to the page',
    '`setJavaScriptEnabled: false` does nothing': 'setJavaScriptEnabled',
    '`addScriptTag.path`, `addStyleTag.path` read a file on the server': '….path is refused',
  }),
  ...heldBy('fields/network', {
    'Interceptors with `headers` return a 400':
      'requestInterceptors: status, headers, contentType and body reach the page',
  }),
  ...heldBy('fields/pdf', {
    '`blockAds`, `scrollPage`, `blockConsentModals` in a body return a 400':
      'blockConsentModals, blockAds and scrollPage are tolerated',
  }),
  ...heldBy('fields/budgets', { 'Only the size of a body is limited': '… refuses bodies that are made of too much' }),
  ...heldBy('fields/patterns', { 'A request pattern may run forever': '…: … ends the call, and only that' }),
  ...heldBy('contract/function', {
    '`/function` accepts only async functions': 'every kind of result has its type',
    'An error for a JavaScript body has the type of that body': 'the form of an error follows the request',
  }),
  ...heldBy('contract/content', {
    'A 500 error has no reason': 'a refused connection is a 500 that says so, in JSON',
    'An HTML response opens as an ordinary page': 'the answer cannot run as ours in a browser',
    'A full server does not say when to retry': '…: full',
  }),
  ...heldBy('promises/ignored', {
    'Parameters without effect are silently ignored': 'REST on a page',
    'An unknown parameter of a socket returns a 400': 'a CDP socket',
  }),
  ...heldBy('contract/compressed-bodies', {
    'Bodies must not be compressed': 'every route with a body reads them: sessions and BrowserQL',
  }),
  ...heldBy('contract/addresses', {
    'URLs start with `HOST` and `PORT`': 'every address begins with the Host of its request',
  }),
  ...heldBy('fields/wrong', {
    "A viewport may have only one dimension (n8n's node does this)": ['…: … = …', 'viewport.height'],
    'JSON errors have only `error`': 'all wrong values are named in one answer',
    'Conflicting options return a 500': ['…: … = …', 'options.clip'],
  }),
  ...heldBy('fields/load', { 'A load or a wait that takes too long returns a 500': 'waitForSelector.timeout' }),
  ...heldBy('fields/screenshot', { 'A screenshot is always labeled `image/png`': 'type jpeg' }),
  ...heldBy('page/navigate', {
    'A request with `bestAttempt` may hang until its limit': 'bestAttempt: a document that never comes does not hang',
  }),
  ...heldBy('contract/download', {
    '`/download` sends one file, without its name': 'several files come as a zip, complete, with harmless names',
  }),
  ...heldBy('contract/discovery', {
    '`/json/version` drops the path of `EXTERNAL`': '/json/version names the external address',
    '`CORS_ALLOW_ORIGIN=*` allows credentials': ['CORS_ALLOW_ORIGIN=…', '*'],
  }),
  ...heldBy('contract/query', {
    '`TIMEOUT=-1` ends requests immediately': 'TIMEOUT=-1 means no limit',
    '`1` and `0` are not flags in a query': '1 and 0 are flags, and an empty list is no launch options',
    'An empty list in place of an object returns a 400': '1 and 0 are flags, and an empty list is no launch options',
  }),
  ...heldBy('contract/function-types', { '`/function` sends `{data, type}` as JSON': 'text of the type …' }),
  ...heldBy('contract/devtools-front-end', {
    '`/debugger/` runs scripts in the browser': '/debugger leads to its page; no redirect carries a token on',
  }),
  ...heldBy('contract/auth', { '`TOKEN` is one token': 'of several tokens each one works' }),
  ...heldBy('unit/config', {
    '`PROXY_HOST`, `PROXY_PORT`, `PROXY_SSL`':
      'every setting of browserless without effect is named once, with what to do instead',
    'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)':
      'every setting of browserless without effect is named once, with what to do instead',
  }),
  ...heldBy('sockets/sessions', {
    'BrowserQL, sessions, reconnect: paid': 'the five answers, and what the registry shows',
  }),

  ...heldBy('unit/catalog', {
    'A full browser by default':
      'an installed headless shell serves ordinary requests, a full browser those that ask for it',
  }),
  ...heldBy('sockets/isolation', {
    'Each client gets a browser process': 'a client gets what it chooses, and a process where its options need one',
  }),
  ...heldBy('sockets/launch-switches', {
    'Every flag reaches the browser':
      'a switch without a row is a 400 that names it, on every door, in both ways of giving it',
    'Flags set by the server can be passed again':
      'what the server decides is taken, named in every answer, and not on the command line',
  }),
  ...heldBy('unit/launch', { '`executablePath` and `env` are used': 'executablePath and env are refused by name' }),
  ...heldBy('sockets/profiles', {
    '`userDataDir` may be any directory': 'a profile elsewhere is refused by every door, at once, and nothing is left',
  }),
  ...heldBy('sockets/extensions', { '`--load-extension` names a path': 'refused over REST and sockets: …' }),
  ...heldBy('page/ads', { '`blockAds` loads an extension': 'every page of a browser that a client drives' }),
  ...heldBy('sockets/playwright', {
    'An unknown version of Playwright gets the newest library':
      'refusals are HTTP answers, in the order of the contract',
    'Binary Playwright messages are forwarded unread': 'a message that cannot be looked at ends the session',
    'Playwright: client certificates, requests without a page':
      'what would reach past the server is answered with an error, and the session goes on',
  }),
  ...heldBy('sockets/cdp', {
    'Killed, timed out and crashed sessions close with 1006': '/kill ends every client with its code',
    'Refusals have no length and an invalid encoding': 'refusals are HTTP answers with bodies',
    'A forbidden address closes the browser': 'file: addresses end the session, whatever way they are asked for',
    'Page sockets of Chrome and Edge need no token': [
      'refusals are HTTP answers with bodies',
      '/devtools/page/unknown',
    ],
    '`devtoolsFrontendUrl` names an internal port of the server':
      '/sessions shows browser and pages; /json/list and page sockets lead to them',
  }),
  ...heldBy('sockets/raw-clients', {
    'Every CDP command is allowed': 'what is refused and what no browser knows is told, and counted',
  }),
  ...heldBy('sockets/libraries', {
    'CDP clients name files on the server':
      'DOM.setFileInputFiles takes the name of a file that was put, and one of Browserless.uploadFile of 1 MiB',
  }),
  ...heldBy('sockets/libraries-puppeteer', {
    'CDP clients download into any directory':
      'connect({ downloadBehavior }) downloads into the session, whatever directory it names',
  }),

  ...heldBy('contract/doors', {
    'Without `TOKEN`, anyone may send requests':
      'without a token only private networks are served, also behind a proxy; documentation is open',
  }),
  ...heldBy('contract/doors-page', {
    'Pages of other sites may send requests': 'a page of another site takes no browser, ends no session and makes none',
  }),
  ...heldBy('endings/safety', {
    'Pages may reach cloud metadata and the server itself':
      'the service itself cannot be reached from a page, under none of its names',
    'Private networks can be closed only in code':
      'BLOCK_PRIVATE_NETWORK holds for everything that a page does: not one packet arrives',
  }),

  ...heldBy('contract/not-offered', {
    'Selenium, WebDriver': ['no route: …', 'WebDriver of Selenium'],
    '`integrationId`': ['no parameter of a request: …', 'integrationId'],
    '`emulationOs`': ['no parameter of a request: …', 'emulationOs'],
    '`/smart-scrape`, `/map`, `/search`, `/crawl`': ['no route: …', 'routes that search and crawl'],
    'The agent protocol, `/chromium/agent`': ['no socket: …', 'agent protocol'],
  }),
  ...heldBy('unit/coerce', { '`integrations`': ['query: lists and loose flags', 'x'] }),
];
