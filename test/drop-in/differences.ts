// The entries of the migration page, each by the text of its first cell, with the test that checks what this server
// does instead.
import { coveredBy, type Row } from './row.ts';

export const differences: readonly Row[] = [
  ...coveredBy('unit/http', { '`Accept` must match literally': 'Accept is parsed leniently' }),
  ...coveredBy('contract/management', {
    'A GET with a JSON content type and no body returns a 400': 'GET … with a JSON content type is tolerated',
    '`/config` shows the token': '/config returns the documented names and no token',
    '`/kill` accepts GET': '/kill/all stops every request and returns 204',
    "`/meta` reports browserless's versions": '/meta lists versions',
  }),
  ...coveredBy('contract/graphql', {
    '`POST /graphql` returns data of a hosted service': 'an unknown field returns a 400 with a suggestion',
  }),
  ...coveredBy('fields/page', {
    '`userAgent` must be an object': ['userAgent as …', 'text'],
    'A cookie needs `url` or `domain`':
      'cookies reach the site and its scripts; without url and domain, they belong to the page',
    '`setJavaScriptEnabled: false` does nothing': 'setJavaScriptEnabled',
    '`addScriptTag.path`, `addStyleTag.path` read a file on the server': '….path is rejected',
  }),
  ...coveredBy('fields/network', {
    'Interceptors with `headers` return a 400':
      'requestInterceptors: status, headers, contentType and body reach the page',
  }),
  ...coveredBy('fields/pdf', {
    '`blockAds`, `scrollPage`, `blockConsentModals` in a body return a 400':
      'blockConsentModals, blockAds and scrollPage are accepted',
  }),
  ...coveredBy('fields/budgets', {
    'Only the size of a body is limited': '… rejects bodies that are too expensive to process',
  }),
  ...coveredBy('fields/patterns', { 'A request pattern may run forever': '…: … fails its own request, and only that' }),
  ...coveredBy('contract/function', {
    '`/function` accepts only async functions': 'each kind of result has the right content type',
    "The error response to a JavaScript body has that body's content type":
      'the format of an error follows the request',
  }),
  ...coveredBy('contract/content', {
    'A 500 error has no reason': 'a refused connection returns a 500 that says so, in JSON',
    'An HTML response opens as an ordinary page': 'the response is sandboxed and not sniffed',
    'A full server does not report when to retry': '…: returns 429 when the server is full',
  }),
  ...coveredBy('promises/ignored', {
    'Parameters without effect are silently ignored': 'REST on a page',
    'An unknown parameter of a socket returns a 400': 'a CDP socket',
  }),
  ...coveredBy('contract/compressed-bodies', {
    'Bodies must not be compressed': 'sessions and BrowserQL accept compressed bodies too',
  }),
  ...coveredBy('contract/addresses', {
    'URLs start with `HOST` and `PORT`': 'every URL starts with the Host of its request',
  }),
  ...coveredBy('fields/wrong', {
    "A viewport may omit one dimension (n8n's node does this)": ['…: … = …', 'viewport.height'],
    'JSON errors have only `error`': 'all invalid values are reported in one response',
    'Conflicting options return a 500': ['…: … = …', 'options.clip'],
  }),
  ...coveredBy('fields/load', { 'A load or a wait that takes too long returns a 500': 'waitForSelector.timeout' }),
  ...coveredBy('fields/screenshot', { 'A screenshot is always labeled `image/png`': 'type jpeg' }),
  ...coveredBy('page/navigate', {
    'A request with `bestAttempt` may hang until its limit': 'bestAttempt: a document that never arrives does not hang',
  }),
  ...coveredBy('contract/download', {
    '`/download` sends one file, without its name': 'several files are returned as a complete zip with safe names',
  }),
  ...coveredBy('contract/discovery', {
    '`/json/version` drops the path of `EXTERNAL`': '/json/version returns the external URL',
    '`CORS_ALLOW_ORIGIN=*` allows credentials': ['CORS_ALLOW_ORIGIN=…', '*'],
  }),
  ...coveredBy('contract/query', {
    '`TIMEOUT=-1` ends requests immediately': 'TIMEOUT=-1 means no limit',
    '`1` and `0` are not valid flag values in a query':
      '1 and 0 are accepted as flags, and an empty list as no launch options',
    'An empty list in place of an object returns a 400':
      '1 and 0 are accepted as flags, and an empty list as no launch options',
  }),
  ...coveredBy('contract/function-types', { '`/function` sends `{data, type}` as JSON': 'text of type …' }),
  ...coveredBy('contract/devtools-front-end', {
    '`/debugger/` runs scripts in the browser': '/debugger redirects to its page, and redirects drop the token',
  }),
  ...coveredBy('contract/auth', { '`TOKEN` is one token': 'each of several tokens works' }),
  ...coveredBy('unit/config', {
    '`PROXY_HOST`, `PROXY_PORT`, `PROXY_SSL`':
      'warns once about each browserless setting without effect, and says what to do instead',
    'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)':
      'warns once about each browserless setting without effect, and says what to do instead',
  }),
  ...coveredBy('sockets/sessions', {
    'BrowserQL, sessions, reconnect: paid':
      'POST /session returns five fields, and the session is listed until it is deleted',
  }),

  ...coveredBy('unit/catalog', {
    'A full browser by default': 'an installed headless shell is used unless the request asks for a full browser',
  }),
  ...coveredBy('sockets/isolation', {
    'Each client gets a browser process':
      'a client gets the isolation that it requests, or a process if its options need one',
  }),
  ...coveredBy('sockets/launch-switches', {
    'Every flag reaches the browser':
      'a switch without a row returns a 400 that names it, on every endpoint, in launch and as a parameter',
    'Flags set by the server can be passed again':
      'switches that the server controls are accepted, listed in every response, and not on the command line',
  }),
  ...coveredBy('unit/launch', { '`executablePath` and `env` are used': 'executablePath and env are rejected by name' }),
  ...coveredBy('sockets/profiles', {
    '`userDataDir` may be any directory':
      'a profile outside the allowed directories is rejected by every endpoint and leaves nothing behind',
  }),
  ...coveredBy('sockets/extensions', { '`--load-extension` names a path': 'rejected over REST and sockets: …' }),
  ...coveredBy('page/ads', {
    '`blockAds` loads an extension': 'works on every page of a browser controlled by a client',
  }),
  ...coveredBy('sockets/playwright', {
    'An unknown version of Playwright gets the newest library': 'refused handshakes get HTTP responses with the reason',
    'Binary Playwright messages are forwarded unread': 'a message that cannot be inspected ends the session',
    'Playwright: client certificates, requests without a page':
      'calls that would bypass the server get an error, and the session continues',
  }),
  ...coveredBy('sockets/cdp', {
    'Killed, timed-out and crashed sessions close with 1006': '/kill disconnects every client with its close code',
    'Refusals have no length and an invalid encoding': 'refused handshakes get HTTP responses with bodies',
    'A forbidden URL closes the browser': 'file: URLs end the session no matter how they are requested',
    'Page sockets of Chrome and Edge do not need a token': [
      'refused handshakes get HTTP responses with bodies',
      '/devtools/page/unknown',
    ],
    '`devtoolsFrontendUrl` names an internal port of the server':
      '/sessions lists the browser and its pages; /json/list and page sockets lead to the pages',
  }),
  ...coveredBy('sockets/raw-clients', {
    'Every CDP command is allowed': 'refused and unknown commands get errors and are counted',
  }),
  ...coveredBy('sockets/libraries', {
    'CDP clients name files on the server':
      'DOM.setFileInputFiles accepts the name of a file sent with PUT, and of a 1 MiB file from Browserless.uploadFile',
  }),
  ...coveredBy('sockets/libraries-puppeteer', {
    'CDP clients download into any directory':
      'connect({ downloadBehavior }) downloads into the session, regardless of the directory',
  }),

  ...coveredBy('contract/endpoints', {
    'Without `TOKEN`, anyone may send requests':
      'without a token, only clients in private networks are served, also behind a proxy; documentation is public',
  }),
  ...coveredBy('contract/endpoints-page', {
    'Pages on other sites may send requests':
      'a page from another site cannot use a browser, end a session, or create one',
  }),
  ...coveredBy('endings/safety', {
    'Pages may reach cloud metadata and the server itself': 'pages cannot reach the service under any of its names',
    'Access to private networks can be blocked only in code':
      'BLOCK_PRIVATE_NETWORK applies to everything that a page does: no connection arrives',
  }),

  ...coveredBy('contract/not-offered', {
    'Selenium, WebDriver': ['unsupported route: …', 'WebDriver of Selenium'],
    '`integrationId`': ['unsupported parameter: …', 'integrationId'],
    '`emulationOs`': ['unsupported parameter: …', 'emulationOs'],
    '`/smart-scrape`, `/map`, `/search`, `/crawl`': ['unsupported route: …', 'routes that search and crawl'],
    'The agent protocol, `/chromium/agent`': ['unsupported socket: …', 'agent protocol'],
  }),
  ...coveredBy('unit/coerce', { '`integrations`': ['query: lists and loose flags', 'x'] }),
];
