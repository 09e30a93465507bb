// Sockets: CDP, Playwright, pages, /json, and how their sessions start and end.
import { differs, coveredBy, type Row } from './row.ts';

export const socketRows: readonly Row[] = [
  ...coveredBy('contract/discovery', {
    '/json/version: 200 with the seven keys': '/json/version has seven keys',
    '/json/version without a token is a 401': ['… returns 401 without a token or with a wrong one', '/json/version'],
    '/json/list without a token is a 401': ['… returns 401 without a token or with a wrong one', '/json/list'],
    '/json/protocol without a token is a 401': ['… returns 401 without a token or with a wrong one', '/json/protocol'],
    '/json/new without a token is a 401': 'PUT /json/new returns 401 without a token or with a wrong one',
    '/json/protocol: 200 with version and domains': '/json/protocol has version and domains',
    'PUT /json/new: keys and values': 'PUT /json/new responds as Chromium does, with the URL of its socket',
    '/json/list is empty while nothing runs': '/json/list is empty when no client owns a browser',
  }),

  ...coveredBy('sockets/cdp', {
    'CDP: Puppeteer connects to /chromium': [
      'Puppeteer connects to / and /chromium, opens a page and leaves nothing behind',
      '/chromium',
    ],
    'CDP: Puppeteer connects to /chrome': [
      'Puppeteer connects to / and /chromium, opens a page and leaves nothing behind',
      '/chrome',
    ],
    'CDP: several clients, one after the other':
      'Puppeteer connects to / and /chromium, opens a page and leaves nothing behind',
    'CDP: a second client of a browser; numbConnected is 1, 2, 1, then the session is gone':
      'numbConnected counts the clients of a browser, which closes after the last one',
    'CDP: a wrong token is rejected': ['refused handshakes get HTTP responses with bodies', 'wrong'],
    'CDP: the time limit disconnects both clients of a browser':
      'the time limit disconnects all clients of a browser and counts as a timeout',
    'CDP: reaching the time limit counts as timed out and not as successful':
      'the time limit disconnects all clients of a browser and counts as a timeout',
    'CDP: navigating a page to file: closes the connection':
      'file: URLs end the session no matter how they are requested',
    'CDP: one slot, two clients: queued 1, successful 2':
      'with one slot, a second client waits, a full queue rejects, and the metrics count both',
    'CDP: time in the queue does not count':
      'with one slot, a second client waits, a full queue rejects, and the metrics count both',
    'CDP: trackingId=all is rejected': ['refused handshakes get HTTP responses with bodies', 'all'],
    'CDP: a trackingId that is taken is rejected':
      'a tracking id in use is rejected, and /kill with it ends its session',
    'CDP: a killed browser disconnects its client, and its directory is removed':
      'when a browser crashes, its clients are notified and its profile is removed',
    'pages: a socket of a running page responds to Page.enable': [
      '/sessions lists the browser and its pages; /json/list and page sockets lead to the pages',
      'Page.enable',
    ],
    'pages: the socket returned by PUT /json/new accepts commands':
      'PUT /json/new reserves a page, which opens when a client connects to its socket',
    'pages: a socket without a token is a 401': [
      'refused handshakes get HTTP responses with bodies',
      '/devtools/page/unknown',
    ],
    'pages: an unknown id is a 404': ['refused handshakes get HTTP responses with bodies', '/devtools/page/unknown'],
    '/kill/<browserId> disconnects its clients': '/kill disconnects every client with its close code',
    '/kill/<trackingId> disconnects its client': 'a tracking id in use is rejected, and /kill with it ends its session',
  }),

  ...coveredBy('live/views', {
    'Browserless.liveURL returns liveURL and liveURLId; anyone with the link sees and controls the page':
      'the first frame arrives immediately, and a click changes the page and the frame',
    'Browserless.liveURL: interactive: false is for watching only':
      'view-only: no message except acknowledgments has any effect',
    'Browserless.closeLiveURL closes the link, Browserless.liveComplete reports it':
      'each end is reported once, with its reason, to the client and as a message to the viewer',
  }),

  ...coveredBy('sockets/admission', {
    'CDP: no token is a 401 and counts as unauthorized, not as rejected':
      'a missing or wrong token is counted as unauthorized and nothing else',
    'Playwright: no token is a 401 and counts as unauthorized': [
      'a missing or wrong token is counted as unauthorized and nothing else',
      '/chromium/playwright',
    ],
    'Firefox: a wrong or missing token is a 401': [
      'a missing or wrong token is counted as unauthorized and nothing else',
      '/firefox/playwright',
    ],
    'CDP: a server without a token accepts everyone': 'a server without a token accepts clients with or without one',
    'Playwright: a server without a token accepts everyone':
      'a server without a token accepts clients with or without one',
    'Playwright: a connection that closed normally counts as successful':
      'a server without a token accepts clients with or without one',
    'CDP: without slots and queue, a client gets a 429 and counts as rejected':
      'without slots and a queue, every socket gets a 429 and counts as rejected',
    'Playwright: without slots and queue, a client gets a 429 and counts as rejected': [
      'without slots and a queue, every socket gets a 429 and counts as rejected',
      '/chromium/playwright',
    ],
    'Firefox: without slots and queue, a client gets a 429 and counts as rejected': [
      'without slots and a queue, every socket gets a 429 and counts as rejected',
      '/firefox/playwright',
    ],
    'Playwright: one slot, two clients: queued 1, successful 2':
      'with one slot, a second Playwright client waits and both succeed',
    'an additional client of a running browser bypasses a full queue':
      'a running browser accepts more clients while all slots are taken',
    'a client that names a missing browser does not bypass a full queue':
      'a running browser accepts more clients while all slots are taken',
    'an additional client is accepted while the machine is under pressure':
      'an overloaded machine rejects new browsers, but not more clients of a running one',
    'TIMEOUT=-1 with ?timeout=: the client is disconnected, timed out 1':
      '?timeout= disconnects a client even with TIMEOUT=-1, and counts as timed out',
    '/kill/all disconnects all CDP and Playwright clients':
      '/kill/all disconnects the clients of all browsers, and /sessions is empty immediately',
    'temporary directory: removed after /kill, and /sessions is empty immediately':
      '/kill/all disconnects the clients of all browsers, and /sessions is empty immediately',
    'temporary directory: removed after a failed start, which is a 500':
      'a browser that fails to start gives its client a 500 and leaves no directory behind',
  }),

  ...coveredBy('sockets/launch', {
    'CDP: ignoreDefaultArgs true': 'launch options work in the query, in launch and in base64',
    'CDP: a file chooser accepts a file': 'a file chooser accepts a file',
    'temporary directory: removed when the client disconnects':
      'temporary profiles are removed with their session, named ones are kept',
    'userDataDir: created and kept': 'temporary profiles are removed with their session, named ones are kept',
    '--user-data-dir among the switches: created and kept': [
      'temporary profiles are removed with their session, named ones are kept',
      '--user-data-dir',
    ],
    'headless true: --headless=new': 'headless=true starts a full browser without a window',
    'headless false: no --headless switch': 'headless=false opens a window on the virtual display',
  }),
  ...coveredBy('sockets/launch-switches', {
    '--headless=new among the switches': '--headless=new starts a full browser on every endpoint',
  }),
  ...coveredBy('unit/playwright', {
    'Playwright: --headless=new for the full browser, --headless=old is dropped':
      'headless: --headless=new for the full browser, and --headless=old is dropped',
    'a client gets the library of its minor version':
      'a client gets the version with its minor, regardless of patch and language',
    'WebKit: the build for each version, else the nearest older, else newer':
      'uses the requested Playwright build, otherwise the nearest older one, otherwise the nearest newer one',
  }),
  ...coveredBy('endings/matrix', {
    'temporary directory: removed when the server stops': 'SIGTERM: every client is notified, nothing is left behind',
    'temporary directory: removed after each ending of each kind of client': ['…: …', 'the client disconnects'],
  }),

  ...coveredBy('sockets/playwright', {
    'Playwright: connects, with each installed version':
      'each installed version connects, opens a page and takes a screenshot',
    'Playwright: connectOverCDP, by socket and by URL': 'connectOverCDP works with the WebSocket URL and the HTTP URL',
    'Playwright: both orders of the path':
      'both path orders and other browser prefixes work, and /sessions lists the session',
    'Playwright: the error for a rejected connection shows its status':
      'the library shows the status of a refused handshake',
    'Playwright: /kill and the time limit close the connection':
      '/kill, the time limit and a crash close the connection with different codes',
    'Playwright: a client that is not Playwright is a 400 with the documented message':
      'refused handshakes get HTTP responses with the reason',
    'Playwright: navigating a page to file: closes the connection with 1008':
      'a file: URL ends the session with 1008, and a binary message with 1003',
    'Playwright: a client that disconnects before its browser starts leaves nothing behind':
      'a client that disconnects in any way leaves nothing behind, even before its browser has started',
    'WebKit: a 404 that names what to install, in both orders of the path':
      'a browser that is not installed returns a 404 that names the setting to change',
  }),
  ...coveredBy('sockets/playwright-firefox', {
    'Firefox: connect and a new context':
      'Playwright …: pages, input, screenshots and cookies work, and the egress cannot be bypassed',
    'Firefox: several versions of the client': [
      'Playwright …: pages, input, screenshots and cookies work, and the egress cannot be bypassed',
      '1.52',
    ],
    'Firefox: a server without a token accepts everyone':
      'connects on a server without a token; slots, time limits and /kill work as for Chromium',
    'Firefox: one slot, two clients: the second waits':
      'connects on a server without a token; slots, time limits and /kill work as for Chromium',
    'Firefox: ?timeout=500 closes the connection': [
      'connects on a server without a token; slots, time limits and /kill work as for Chromium',
      'timedout',
    ],
    'Firefox: /kill by tracking id, removed from /sessions immediately': [
      'connects on a server without a token; slots, time limits and /kill work as for Chromium',
      'to-kill',
    ],
  }),
  ...differs({
    'close codes: killed, timed out, and crashed browsers show as 1006':
      'Killed, timed-out and crashed sessions close with 1006',
    'a browser without launch options is a full one': 'A full browser by default',
  }),
];
