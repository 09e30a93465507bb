// The page routes: content, pdf, screenshot, scrape, performance.
import { heldBy, type Row } from './row.ts';

/** What the four page routes have in common, each under /, /chromium and /chrome. */
const pageRoute = (route: string): Row[] =>
  heldBy(`contract/${route}`, {
    [`${route}: a url is opened; type of the answer and the five X-Response headers`]: '…: url',
    [`${route}: html in place of a url`]: 'html',
    [`${route}: GET is refused in text`]: '…: GET is no route',
    [`${route}: waitForFunction, sync`]: 'waitForFunction, sync',
    [`${route}: waitForFunction, async`]: 'waitForFunction, async',
    [`${route}: waitForSelector`]: 'waitForSelector',
    [`${route}: waitForTimeout`]: 'waitForTimeout',
    [`${route}: waitForEvent hears an event of the page`]: 'waitForEvent',
    [`${route}: cookies with a domain`]: 'cookies with domain',
    [`${route}: gotoOptions.waitUntil`]: 'gotoOptions',
    [`${route}: requestInterceptors answer with a body`]: 'requestInterceptors',
    [`${route}: ?timeout=10 is a 408`]: '…: ?timeout=10',
    [`${route}: a full server is a 429, Too many requests`]: '…: full',
    [`${route}: a server without a token asks for none`]: '…: no token configured, none sent',
    [`${route}: a wrong or missing token is a 401`]: '…: no token sent',
    [`${route}: neither url nor html is a 400 with its sentence`]: '…: neither url nor html',
    [`${route}: a client that leaves early counts as an error, not as a success`]: '…: the client leaves early',
    [`${route}: a self-signed target with acceptInsecureCerts`]: 'a self-signed target',
    [`${route}: below /edge, or a 404 where Edge is not installed`]: '/edge/…: says what is missing',
  });

export const restRows: readonly Row[] = [
  ...['content', 'pdf', 'screenshot', 'scrape'].flatMap(pageRoute),

  ...heldBy('contract/content', {
    'content: the type application/json with a charset': '…: a content type with charset',
    'content: the body of an interceptor is what comes back': "…: an interceptor's body is used",
    'content: url wins over html': 'url wins over html',
    'content: html answers have no X-Response headers': 'html answers carry no X-Response headers',
    'content: a page that answers 404 is a 200 with X-Response-Code 404': 'a page that answers 404 is an answer',
    'content: X-Response-URL has at most 1000 characters': 'a long final URL is cut to 1000 characters',
    'content: bestAttempt after a refused connection is an empty page':
      'a refused connection with bestAttempt is an empty page',
  }),
  ...heldBy('page/navigate', {
    'content: the reading starts again when a navigation comes in between':
      'reads the next page when a refresh interrupts',
    'html: values of an idle network are left out of waitUntil, others stay':
      'html: load waits for a slow resource, domcontentloaded does not, networkidle0 works',
  }),
  ...heldBy('endings/hazards', {
    'content: the reading gives up on a page that never stands still': 'a page that reloads itself for ever',
    'content: other failures while reading are errors at once': 'a page that fills its heap fails alone, with a reason',
  }),
  ...heldBy('fields/load', {
    'html: waitUntil alone and as a list': 'html: every waitUntil works',
    'the waits run in the order timeout, function, selector, event':
      'the waits run in their order: timeout, function, selector, event',
  }),

  ...heldBy('contract/pdf', {
    'pdf: the type is application/pdf and nothing more': 'the answer has no charset and no Content-Disposition',
    'pdf: options.landscape': '…: options.landscape',
    'pdf: a viewport with deviceScaleFactor 3': '…: viewport with deviceScaleFactor 3',
    'pdf: html with options.fullPage': '…: html with options.fullPage',
    'pdf: fullPage with height is a 400 with its sentence, in JSON': ['…: fullPage with …', 'height'],
    'pdf: fullPage with format is a 400 with its sentence, in JSON': ['…: fullPage with …', 'format'],
    'pdf: a body above MAX_PAYLOAD_SIZE is a 400 that names the limit': 'a body above MAX_PAYLOAD_SIZE names the limit',
  }),

  ...heldBy('contract/screenshot', {
    'screenshot: a viewport with deviceScaleFactor': '…: viewport with deviceScaleFactor',
    'screenshot: the element of a selector': '…: selector',
    'screenshot: a selector that finds nothing is a 400 with its sentence': '…: a selector that finds nothing',
    'screenshot: options.path is a 400 with its sentence': '…: options.path',
  }),

  ...heldBy('contract/scrape', {
    'scrape: debugOpts.network': '…: debugOpts.network',
    'scrape: a selector that never appears is an error that says so': '…: a selector that never appears',
    'scrape: bestAttempt with one selector of three missing': '…: bestAttempt with one selector missing',
    'scrape: no elements, no data': 'elements: [] gives data: []',
  }),
  ...heldBy('fields/scrape', {
    'scrape: without debugOpts there is no debug': 'without debugOpts there is no debug',
    'scrape: debug has only what was asked for': 'debugOpts {} has console and network and nothing else',
  }),

  ...heldBy('contract/performance', {
    'performance: a report in JSON, in data':
      'a whole report on a server without a token; a limit that is over at once',
    'performance: GET is refused': 'methods, tokens and a full server',
    'performance: onlyAudits leaves one audit':
      'a report of one audit, with settings and budgets; a second call beyond the queue is refused',
    'performance: budgets':
      'a report of one audit, with settings and budgets; a second call beyond the queue is refused',
    'performance: ?timeout=10 is a 408': 'a whole report on a server without a token; a limit that is over at once',
    'performance: the limit ends a running audit': 'the deadline ends the process and its browser',
    'performance: a full server is a 429': 'methods, tokens and a full server',
    'performance: a server without a token asks for none':
      'a whole report on a server without a token; a limit that is over at once',
    'performance: a page that cannot be reached is a 200 with runtimeError':
      'a page that cannot be reached is a result',
  }),

  ...heldBy('contract/function', {
    'function: an object with data and type, from JSON': [
      '…/function: {data, type} comes back whole, from both kinds of body',
      'application/json; charset=UTF-8',
    ],
    'function: the same from a JavaScript body': [
      '…/function: {data, type} comes back whole, from both kinds of body',
      'application/javascript',
    ],
    'function: libraries are imported from elsewhere': 'imports from absolute addresses',
    'function: an object is JSON': ['every kind of result has its type', 'a list'],
    'function: bytes come back with their type': 'page.screenshot() and page.pdf() come back as what they are',
    'function: ?timeout=10 is a 408': ['?timeout=10, a server that is full, one without a token', '10'],
    'function: a full server is a 429': ['?timeout=10, a server that is full, one without a token', '0'],
    'function: a server without a token asks for none': '?timeout=10, a server that is full, one without a token',
    'function: another type of body is a 404': ['bodies and headers that do not fit', 'text/javascript'],
    'function: a wrong token is a 401': ['bodies and headers that do not fit', 'wrong'],
    'function: a body without code is refused': ['bodies and headers that do not fit', 'code'],
    'function: a context of objects, lists, null and texts comes back equal': [
      'context arrives as it was sent; without one it is {}',
      'deep',
    ],
    'function: a context of plain values': ['context arrives as it was sent; without one it is {}', 'number'],
    'function: values of the context are there in the code':
      'page is a page of Puppeteer, in a browser of the code alone',
    'function: ?--proxy-server= is taken': '?--proxy-server= gives a browser of its own',
    'function: EXTERNAL may be an address that the server cannot reach': [
      '…/function: {data, type} comes back whole, from both kinds of body',
      'https://nowhere.invalid',
    ],
    'function: EXTERNAL may be an https address': [
      'page is a page of Puppeteer, in a browser of the code alone',
      'https://nowhere.invalid',
    ],
    'function: code that throws is a 400 with its message': 'failures say what and where',
  }),

  ...heldBy('contract/download', {
    'download: a text file that a script offers comes back with its type':
      'a file of a script comes back with type and name',
    'download: below /chromium and /chrome': 'a file of a site, asked for with JSON under each prefix',
    'download: a server without a token asks for none': 'a server without a token, and one that is full',
    'download: a full server is a 429': ['a server without a token, and one that is full', 'full'],
    'download: EXTERNAL may be an address that the server cannot reach': [
      'a file of a script comes back with type and name',
      'https://nowhere.invalid',
    ],
    'download: EXTERNAL may be an https address': [
      'a file of a site, asked for with JSON under each prefix',
      'https://nowhere.invalid',
    ],
    'download: without a file the call ends with a 408': 'without a download it is a 408 that says so',
  }),
];
