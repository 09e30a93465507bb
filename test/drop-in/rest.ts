// The page routes: content, pdf, screenshot, scrape, performance.
import { coveredBy, type Row } from './row.ts';

/** What the four page routes have in common, each under /, /chromium and /chrome. */
const pageRoute = (route: string): Row[] =>
  coveredBy(`contract/${route}`, {
    [`${route}: opens a url; the response has the type and the five X-Response headers`]: '…: url',
    [`${route}: html instead of a url`]: 'html',
    [`${route}: GET is rejected in text`]: '…: GET returns 404',
    [`${route}: waitForFunction, sync`]: 'waitForFunction, sync',
    [`${route}: waitForFunction, async`]: 'waitForFunction, async',
    [`${route}: waitForSelector`]: 'waitForSelector',
    [`${route}: waitForTimeout`]: 'waitForTimeout',
    [`${route}: waitForEvent receives an event of the page`]: 'waitForEvent',
    [`${route}: cookies with a domain`]: 'cookies with domain',
    [`${route}: gotoOptions.waitUntil`]: 'gotoOptions',
    [`${route}: requestInterceptors respond with a body`]: 'requestInterceptors',
    [`${route}: ?timeout=10 is a 408`]: '…: ?timeout=10',
    [`${route}: a full server is a 429, Too many requests`]: '…: returns 429 when the server is full',
    [`${route}: a server without a token does not require one`]: '…: works without a token if none is configured',
    [`${route}: a wrong or missing token is a 401`]: '…: returns 401 without a token',
    [`${route}: neither url nor html is a 400 with the documented message`]: '…: returns 400 without url and html',
    [`${route}: a client that disconnects early counts as an error, not as a success`]:
      '…: counts an early disconnect as an error',
    [`${route}: a self-signed target with acceptInsecureCerts`]: 'a self-signed target',
    [`${route}: under /edge, or a 404 if Edge is not installed`]: '/edge/…: names EDGE_PATH if Edge is missing',
  });

export const restRows: readonly Row[] = [
  ...['content', 'pdf', 'screenshot', 'scrape'].flatMap(pageRoute),

  ...coveredBy('contract/content', {
    'content: the type application/json with a charset': '…: a content type with charset',
    'content: the body of an interceptor is returned': "…: an interceptor's body is used",
    'content: url overrides html': 'url takes precedence over html',
    'content: html responses have no X-Response headers': 'responses for html have no X-Response headers',
    'content: a page with status 404 is a 200 with X-Response-Code 404':
      'a page with status 404 is a successful response',
    'content: X-Response-URL has at most 1000 characters': 'a long final URL is truncated to 1000 characters',
    'content: bestAttempt after a refused connection is an empty page':
      'a refused connection with bestAttempt returns an empty page',
  }),
  ...coveredBy('page/navigate', {
    'content: reading is retried if a navigation interrupts it': 'reads the next page after a refresh',
    'html: network idle values are removed from waitUntil, others stay':
      'html: load waits for a slow resource, domcontentloaded does not, networkidle0 works',
  }),
  ...coveredBy('endings/hazards', {
    'content: reading gives up on a page that keeps navigating':
      'a page that keeps reloading itself does not cause an internal error',
    'content: other failures while reading are immediate errors':
      'a page that fills its heap fails with a reason and does not affect other pages',
  }),
  ...coveredBy('fields/load', {
    'html: waitUntil alone and as a list': 'html: every waitUntil works',
    'the waits run in the order timeout, function, selector, event':
      'the waits run in order: timeout, function, selector, event',
  }),

  ...coveredBy('contract/pdf', {
    'pdf: the type is exactly application/pdf': 'the response has no charset and no Content-Disposition',
    'pdf: options.landscape': '…: options.landscape',
    'pdf: a viewport with deviceScaleFactor 3': '…: viewport with deviceScaleFactor 3',
    'pdf: html with options.fullPage': '…: html with options.fullPage',
    'pdf: fullPage with height is a 400 with the documented message, in JSON': ['…: fullPage with …', 'height'],
    'pdf: fullPage with format is a 400 with the documented message, in JSON': ['…: fullPage with …', 'format'],
    'pdf: a body larger than MAX_PAYLOAD_SIZE is a 400 that names the limit':
      'a body larger than MAX_PAYLOAD_SIZE returns a 400 that names the limit',
  }),

  ...coveredBy('contract/screenshot', {
    'screenshot: a viewport with deviceScaleFactor': '…: viewport with deviceScaleFactor',
    'screenshot: the element that matches a selector': '…: selector',
    'screenshot: a selector that matches nothing is a 400 with the documented message':
      '…: returns 400 if the selector matches nothing',
    'screenshot: options.path is a 400 with the documented message': '…: rejects options.path',
  }),

  ...coveredBy('contract/scrape', {
    'scrape: debugOpts.network': '…: debugOpts.network',
    'scrape: a selector that never appears is an error that says so':
      '…: returns 408 for a selector that never appears',
    'scrape: bestAttempt with one selector of three missing': '…: bestAttempt with one selector missing',
    'scrape: without elements, data is empty': 'elements: [] returns data: []',
  }),
  ...coveredBy('fields/scrape', {
    'scrape: without debugOpts there is no debug': 'without debugOpts there is no debug',
    'scrape: debug has only what was requested': 'debugOpts {} has console and network and nothing else',
  }),

  ...coveredBy('contract/performance', {
    'performance: a report in JSON, in data':
      'returns a full report on a server without a token, and a 408 for a tiny limit',
    'performance: GET is rejected': 'returns errors for a wrong method, a missing token, and a full server',
    'performance: onlyAudits leaves one audit':
      'returns a report of one audit, with settings and budgets; a second request beyond the queue is rejected',
    'performance: budgets':
      'returns a report of one audit, with settings and budgets; a second request beyond the queue is rejected',
    'performance: ?timeout=10 is a 408':
      'returns a full report on a server without a token, and a 408 for a tiny limit',
    'performance: the time limit stops a running audit': 'the deadline stops the audit process and its browser',
    'performance: a full server is a 429': 'returns errors for a wrong method, a missing token, and a full server',
    'performance: a server without a token does not require one':
      'returns a full report on a server without a token, and a 408 for a tiny limit',
    'performance: an unreachable page is a 200 with runtimeError': 'an unreachable page is a result, not an error',
  }),

  ...coveredBy('contract/function', {
    'function: an object with data and type, from JSON': [
      '…/function: {data, type} is returned whole for both kinds of body',
      'application/json; charset=UTF-8',
    ],
    'function: the same from a JavaScript body': [
      '…/function: {data, type} is returned whole for both kinds of body',
      'application/javascript',
    ],
    'function: libraries can be imported from other origins': 'supports imports from absolute URLs',
    'function: an object is JSON': ['each kind of result has the right content type', 'a list'],
    'function: bytes are returned with their type':
      'results of page.screenshot() and page.pdf() have the right content type',
    'function: ?timeout=10 is a 408': ['handles ?timeout=10, a full server, and a server without a token', '10'],
    'function: a full server is a 429': ['handles ?timeout=10, a full server, and a server without a token', '0'],
    'function: a server without a token does not require one':
      'handles ?timeout=10, a full server, and a server without a token',
    'function: an unsupported body type is a 404': [
      'returns errors for unsupported bodies and headers',
      'text/javascript',
    ],
    'function: a wrong token is a 401': ['returns errors for unsupported bodies and headers', 'wrong'],
    'function: a body without code is rejected': ['returns errors for unsupported bodies and headers', 'code'],
    'function: a context of objects, lists, null, and strings is returned unchanged': [
      'context arrives unchanged, and defaults to {}',
      'deep',
    ],
    'function: a context of plain values': ['context arrives unchanged, and defaults to {}', 'number'],
    'function: values of the context are available in the code':
      'page is a Puppeteer page in a browser that only the code uses',
    'function: ?--proxy-server= is accepted': '?--proxy-server= starts a separate browser',
    'function: EXTERNAL can be a URL that the server cannot reach': [
      '…/function: {data, type} is returned whole for both kinds of body',
      'https://nowhere.invalid',
    ],
    'function: EXTERNAL can be an https URL': [
      'page is a Puppeteer page in a browser that only the code uses',
      'https://nowhere.invalid',
    ],
    'function: code that throws is a 400 with its message': 'errors say what failed and where',
  }),

  ...coveredBy('contract/download', {
    'download: a text file that a script offers is returned with its type':
      'a file from a script is returned with its type and name',
    'download: under /chromium and /chrome': 'a file from a site, requested with JSON under each prefix',
    'download: a server without a token does not require one':
      'works without a token, and returns 429 if the server is full',
    'download: a full server is a 429': ['works without a token, and returns 429 if the server is full', 'full'],
    'download: EXTERNAL can be a URL that the server cannot reach': [
      'a file from a script is returned with its type and name',
      'https://nowhere.invalid',
    ],
    'download: EXTERNAL can be an https URL': [
      'a file from a site, requested with JSON under each prefix',
      'https://nowhere.invalid',
    ],
    'download: without a file, the request returns a 408': 'without a complete download, returns a 408 that says why',
  }),
];
