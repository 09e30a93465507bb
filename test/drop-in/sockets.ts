// Sockets: CDP, Playwright, pages, /json, and how their sessions start and end.
import { differs, heldBy, type Row } from './row.ts';

export const socketRows: readonly Row[] = [
  ...heldBy('contract/discovery', {
    '/json/version: 200 with the seven keys': '/json/version has seven keys',
    '/json/version without a token is a 401': ['… without and with a wrong token', '/json/version'],
    '/json/list without a token is a 401': ['… without and with a wrong token', '/json/list'],
    '/json/protocol without a token is a 401': ['… without and with a wrong token', '/json/protocol'],
    '/json/new without a token is a 401': 'PUT /json/new without and with a wrong token',
    '/json/protocol: 200 with version and domains': '/json/protocol has version and domains',
    'PUT /json/new: keys and values': 'PUT /json/new answers as Chromium does, with the address of its socket',
    '/json/list is empty while nothing runs': '/json/list is empty when no client owns a browser',
  }),

  ...heldBy('sockets/cdp', {
    'CDP: Puppeteer connects to /chromium': [
      'puppeteer connects to / and /chromium, opens a page and leaves nothing',
      '/chromium',
    ],
    'CDP: Puppeteer connects to /chrome': [
      'puppeteer connects to / and /chromium, opens a page and leaves nothing',
      '/chrome',
    ],
    'CDP: several clients, one after the other':
      'puppeteer connects to / and /chromium, opens a page and leaves nothing',
    'CDP: a second client of a browser; numbConnected is 1, 2, 1, then the session is gone':
      'a second client on the same browser: 1, 2, 1, none',
    'CDP: a wrong token is refused': ['refusals are HTTP answers with bodies', 'wrong'],
    'CDP: the limit ends both clients of a browser':
      'the time limit ends all clients of a browser and counts as a timeout',
    'CDP: the limit counts as timed out and not as successful':
      'the time limit ends all clients of a browser and counts as a timeout',
    'CDP: a page that is sent to file: ends the connection':
      'file: addresses end the session, whatever way they are asked for',
    'CDP: one slot, two clients: queued 1, successful 2':
      'one slot: the second client waits, a full queue refuses, metrics count',
    'CDP: time in the queue does not count': 'one slot: the second client waits, a full queue refuses, metrics count',
    'CDP: trackingId=all is refused': ['refusals are HTTP answers with bodies', 'all'],
    'CDP: a trackingId that is taken is refused': 'a tracking id is taken once, and frees with its session',
    'CDP: a killed browser ends its client, and its directory goes':
      'a browser that crashes tells its clients so and is gone',
    'pages: a socket of a running page answers Page.enable': [
      '/sessions shows browser and pages; /json/list and page sockets lead to them',
      'Page.enable',
    ],
    'pages: the socket that PUT /json/new promised takes commands':
      'PUT /json/new promises a page that its socket opens',
    'pages: a socket without a token is a 401': ['refusals are HTTP answers with bodies', '/devtools/page/unknown'],
    'pages: an unknown id is a 404': ['refusals are HTTP answers with bodies', '/devtools/page/unknown'],
    '/kill/<browserId> ends its clients': '/kill ends every client with its code',
    '/kill/<trackingId> ends its client': 'a tracking id is taken once, and frees with its session',
  }),

  ...heldBy('live/views', {
    'Browserless.liveURL answers liveURL and liveURLId; who has the link sees the page and acts in it':
      'a picture comes at once, and what a viewer presses changes the page and the picture',
    'Browserless.liveURL: interactive: false is for watching only':
      'view only: no message but acknowledgements has any effect',
    'Browserless.closeLiveURL ends the link, Browserless.liveComplete tells it':
      'each end is told once, with its reason, to the client and in a sentence to the viewer',
  }),

  ...heldBy('sockets/admission', {
    'CDP: no token is a 401 and counts as unauthorized, not as rejected':
      'no token and a wrong one are counted as unauthorized, and as nothing else',
    'Playwright: no token is a 401 and counts as unauthorized': [
      'no token and a wrong one are counted as unauthorized, and as nothing else',
      '/chromium/playwright',
    ],
    'Firefox: a wrong token and none are a 401': [
      'no token and a wrong one are counted as unauthorized, and as nothing else',
      '/firefox/playwright',
    ],
    'CDP: a server without a token takes everyone':
      'on a server without a token everyone connects, with or without one',
    'Playwright: a server without a token takes everyone':
      'on a server without a token everyone connects, with or without one',
    'Playwright: a connection that ended well counts as successful':
      'on a server without a token everyone connects, with or without one',
    'CDP: without slots and queue it is a 429, and rejected':
      'without slots and queue every socket is a 429, which counts as rejected',
    'Playwright: without slots and queue it is a 429, and rejected': [
      'without slots and queue every socket is a 429, which counts as rejected',
      '/chromium/playwright',
    ],
    'Firefox: without slots and queue it is a 429, and rejected': [
      'without slots and queue every socket is a 429, which counts as rejected',
      '/firefox/playwright',
    ],
    'Playwright: one slot, two clients: queued 1, successful 2':
      'two Playwright clients and one slot: the second waits, both succeed',
    'a further client of a running browser passes a full queue':
      'a running browser takes further clients while everything is full',
    'one that names a browser which is not there does not':
      'a running browser takes further clients while everything is full',
    'a further client passes while the machine is under pressure':
      'a machine under pressure refuses new browsers, not further clients of a running one',
    'TIMEOUT=-1 with ?timeout=: the client is ended, timed out 1':
      '?timeout= ends clients also where TIMEOUT=-1 sets no limit, and counts as timed out',
    '/kill/all ends all clients, of CDP and Playwright':
      '/kill/all ends the clients of all browsers, which are off the list at once',
    'temporary directory: gone after /kill, and /sessions empty at once':
      '/kill/all ends the clients of all browsers, which are off the list at once',
    'temporary directory: gone after a start that failed, which shows as 500':
      'a browser that does not start is a 500 for its client, and leaves no directory',
  }),

  ...heldBy('sockets/launch', {
    'CDP: ignoreDefaultArgs true': 'launch options arrive: flags of the query, of launch and of base64',
    'CDP: a file chooser takes a file': 'a file chooser takes a file',
    'temporary directory: gone when the client leaves': 'temporary profiles go with their session, named ones stay',
    'userDataDir: created and kept': 'temporary profiles go with their session, named ones stay',
    '--user-data-dir among the switches: created and kept': [
      'temporary profiles go with their session, named ones stay',
      '--user-data-dir',
    ],
    'headless true: --headless=new': 'headless=true is a full browser without a window',
    'headless false: no such switch': 'headless=false is a window on the virtual display',
  }),
  ...heldBy('sockets/launch-switches', {
    '--headless=new among the switches': '--headless=new is the full browser on every door',
  }),
  ...heldBy('unit/playwright', {
    'Playwright: --headless=new for the full browser, --headless=old is dropped':
      'headless: --headless=new for the full browser, --headless=old dropped',
    'a client gets the library of its minor version':
      'a client gets the version of its minor, whatever its patch and language',
    'WebKit: the build for each version, else the nearest older, else newer':
      'of Playwright’s builds the wanted one, else the nearest older, else the nearest newer',
  }),
  ...heldBy('endings/matrix', {
    'temporary directory: gone when the server stops':
      'the server is told to stop (SIGTERM): every client is told, nothing is left',
    'temporary directory: gone after each ending of each kind of client': ['…: …', 'the client disconnects'],
  }),

  ...heldBy('sockets/playwright', {
    'Playwright: connects, with each installed version':
      'each installed version connects, opens a page and takes a screenshot',
    'Playwright: connectOverCDP, by socket and by address':
      'connectOverCDP works with any version, by socket and by address',
    'Playwright: both orders of the path':
      'both orders of the path, other browsers by their prefix, and the session that /sessions shows',
    'Playwright: the error of a refusal shows its status': 'the library shows the reason of a refusal',
    'Playwright: /kill and the limit end the connection':
      '/kill, the time limit and a crash end the connection with their own codes',
    'Playwright: a client that is not Playwright is a 400 with its sentence':
      'refusals are HTTP answers, in the order of the contract',
    'Playwright: a page that is sent to file: ends the connection, 1008':
      'a file address ends the session with 1008, and a binary message with 1003',
    'Playwright: a client that leaves before its browser is there leaves nothing':
      'a client that leaves in any way leaves nothing, also before its browser is there',
    'WebKit: a 404 that names what to install, in both orders of the path':
      'a browser that is not installed is named, with what to do',
  }),
  ...heldBy('sockets/playwright-firefox', {
    'Firefox: connect and a new context': 'Playwright …: pages, input, pictures, cookies, and no way around the egress',
    'Firefox: several versions of the client': [
      'Playwright …: pages, input, pictures, cookies, and no way around the egress',
      '1.52',
    ],
    'Firefox: a server without a token takes everyone':
      'without a token configured it connects; one slot, a limit and /kill hold as for Chromium',
    'Firefox: one slot, two clients: the second waits':
      'without a token configured it connects; one slot, a limit and /kill hold as for Chromium',
    'Firefox: ?timeout=500 ends the connection': [
      'without a token configured it connects; one slot, a limit and /kill hold as for Chromium',
      'timedout',
    ],
    'Firefox: /kill by tracking id, off /sessions at once': [
      'without a token configured it connects; one slot, a limit and /kill hold as for Chromium',
      'to-kill',
    ],
  }),
  ...differs({
    'connection ends: killed, timed out and crashed browsers show as close code 1006':
      'Killed, timed out and crashed sessions close with 1006',
    'a browser without launch options is a full one': 'A full browser by default',
  }),
];
