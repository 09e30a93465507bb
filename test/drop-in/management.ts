// Management, CORS, static files, metrics, load, queue, webhooks, directories.
import { differs, heldBy, type Row } from './row.ts';

export const managementRows: readonly Row[] = [
  ...heldBy('contract/discovery', {
    'OPTIONS with CORS: an exact origin': ['CORS_ALLOW_ORIGIN=…', 'https://example.com'],
    'OPTIONS with CORS: *': ['CORS_ALLOW_ORIGIN=…', '*'],
    'OPTIONS with CORS: a glob': ['CORS_ALLOW_ORIGIN=…', 'https://*.example.com'],
    'OPTIONS with CORS: alternatives within the name': ['CORS_ALLOW_ORIGIN=…', 'https://(a|b).example.com'],
    'OPTIONS with CORS: two whole origins': ['CORS_ALLOW_ORIGIN=…', '(https://one.com|https://two.com)'],
    'OPTIONS with CORS: another origin is a 404': ['CORS_ALLOW_ORIGIN=…', 'https://example.com.evil'],
    'CORS headers are on errors too': 'CORS_ALLOW_ORIGIN=…',
    'OPTIONS without CORS is a 404': 'without CORS, OPTIONS is no route and no header is sent',
  }),
  ...heldBy('docs/serving', {
    '/docs leads to the pages about the API with a 301': 'HEAD, other spellings of an address, old addresses',
    'documentation is HTML, without a token':
      'on a server with a token, pages, their script and the description of the API need none',
    'its script is JavaScript, without a token':
      'on a server with a token, pages, their script and the description of the API need none',
    'the description of the API is JSON, without a token':
      'on a server with a token, pages, their script and the description of the API need none',
    'no path leads to files elsewhere': 'addresses outside the documentation are not files',
  }),
  ...heldBy('contract/openapi', {
    '/docs/swagger.json describes the API': 'is the same at /docs/swagger.json, and /docs leads to the reference',
  }),
  ...heldBy('contract/devtools-front-end', {
    'the debugger is a 404 where it is switched off': 'ENABLE_DEBUGGER=false turns off /debugger and the files',
    '/debugger leads to the same path with a slash': '/debugger leads to its page; no redirect carries a token on',
  }),
  ...heldBy('contract/management', {
    '/config is JSON': ['GET … is JSON', '/config'],
    '/meta is JSON': ['GET … is JSON', '/meta'],
    '/metrics is JSON': ['GET … is JSON', '/metrics'],
    '/metrics/total is JSON': ['GET … is JSON', '/metrics/total'],
    '/pressure is JSON': ['GET … is JSON', '/pressure'],
    '/sessions is JSON': ['GET … is JSON', '/sessions'],
    'management without a token is a 401': 'GET … without a token',
    'GET /active is a 204 in text': ['… /active', 'GET'],
    'HEAD /active is a 204 in text': ['… /active', 'HEAD'],
    '/kill/all is a 204': '/kill/all ends every call, and is 204 when nothing runs',
    '/kill of an unknown id is a 404 with its sentence': '/kill of an unknown id',
    'Upgrade: h2c on /config is a 200': 'Upgrade: h2c is answered as an ordinary request',
    'a slash at the end is allowed; case and double slashes count':
      'a slash at the end and a query are allowed, another case and two slashes are not',
    '/metrics: successful calls are counted': '/metrics is a compact list, /metrics/total has the sums',
    '/pressure with Accept: text/plain is the message, 503 when not available':
      '/pressure when everything is taken, and the refusal that follows',
    'queue: the next call waits for the one before': 'a queued call runs when a slot is free',
    'queue: beyond it calls are refused': '/pressure when everything is taken, and the refusal that follows',
  }),

  ...heldBy('unit/limiter', {
    'limiter: runs while there are slots, then queues, then refuses':
      'runs at once while there are slots, then queues, then refuses with Retry-After',
    'limiter: those who wait come in their order': 'hands slots on in the order of arrival',
    'limiter: no slots and no queue refuse all': 'no slots and no queue refuse everything',
    'limiter: a client that leaves while it waits is dropped': 'a client that leaves is taken out of the queue',
  }),
  ...heldBy('machine/lifecycle', {
    'webhook of the queue': ['webhooks are called for queueing, rejection, timeout and error', 'queue'],
    'webhook of a refusal': ['webhooks are called for queueing, rejection, timeout and error', 'reject'],
    'webhook of the limit, and none for what ended in time': [
      'webhooks are called for queueing, rejection, timeout and error',
      'timeout',
    ],
    'webhook of an error, with its message': [
      'webhooks are called for queueing, rejection, timeout and error',
      'error',
    ],
    'an error reaches its caller and does not stop the queue':
      'webhooks are called for queueing, rejection, timeout and error',
    'stop signals end the server in good order with exit code 0':
      '… ends the server with exit code 0 and leaves nothing',
    'older names of settings': 'old names work, ignored names are told',
    'files of metrics: lines are appended and read again': 'METRICS_JSON_PATH keeps the counters over a restart',
  }),
  ...heldBy('contract/query', {
    'limit: TIMEOUT': 'timeout ends a call, zero and the server default do not',
    'limit: ?timeout= in place of TIMEOUT': 'timeout ends a call, zero and the server default do not',
    'limit: none for what ends in time': 'timeout ends a call, zero and the server default do not',
    'limit: TIMEOUT=-1 is none': 'TIMEOUT=-1 means no limit',
  }),
  ...heldBy('endings/endings', {
    'health: a machine under pressure refuses':
      'a machine under pressure refuses with 429 and names the reason in /pressure',
  }),
  ...heldBy('sockets/admission', {
    'health: load of the processors refuses, a machine at rest takes calls':
      'a machine under pressure refuses new browsers, not further clients of a running one',
  }),
  ...heldBy('unit/session-life', {
    'a session ends once, whatever ends it': 'it ends once: pages first, then the end, then its clients',
  }),
  ...heldBy('sockets/session-events', {
    'each kind of session is told of once at its end': '/kill ends a session of each kind once',
    'a request that succeeded is told of once': 'a job over REST, on a page of the pool',
    'a request that failed is told of once': 'a job that fails ends its session as well',
  }),

  ...heldBy('unit/metrics', {
    'metrics: successful': 'a period counts outcomes, times and units, then starts anew',
    'metrics: timed out': ['a period counts outcomes, times and units, then starts anew', 'timedout'],
    'metrics: queued': ['a period counts outcomes, times and units, then starts anew', 'queued'],
    'metrics: unauthorized': ['a period counts outcomes, times and units, then starts anew', 'unauthorized'],
    'metrics: the most at once': 'running calls and the most at once',
    'metrics: totals': 'a total sums periods',
    'files of metrics: at most 10,000 periods, damaged lines are skipped':
      'the history appends periods, skips damaged lines and keeps 10,000',
  }),
  ...heldBy('unit/machine-load', {
    'load: files of control groups, version 2 and 1':
      'the files of version 2 are read before those of version 1, and both with their limits',
    'load: limits that are none': 'a container without limits has those of the machine',
    'load: the machine itself; damaged and missing files':
      'without files, or with some that hold no figures, the machine itself is read, unless they were asked for',
    'load: smoothed': 'the load is smoothed: one busy moment is not the load',
    'load: an overload ends well below its limit': 'an overload begins at the limit and ends well below it',
    'load: the first figure is waited for': 'there is no figure before the first sample, and whoever asks waits for it',
    'load: no sampling after the stop': 'after the stop nothing is read',
  }),
  ...heldBy('machine/storage', {
    'scratch directories: below their root; a root that cannot be written is an error':
      'directories are made all or none',
    'scratch directories: gone after a start that failed':
      'a browser that cannot be started, or dies at once, leaves nothing',
  }),
  ...heldBy('unit/config', {
    'scratch directories: short names, also below a long path':
      'a scratch directory whose path is too long for sockets is refused, or replaced when nobody named it',
    'settings: anything but false is true': 'anything but false is true, the empty text as well',
    'settings: of several names the first counts': 'aliases: the first name wins',
  }),
  ...heldBy('endings/safety', {
    'the environment of the server reaches no browser':
      'tokens and the rest of the environment stay out of the browsers',
  }),
  ...heldBy('unit/launch', {
    'no environment of a caller shows in /sessions': 'executablePath and env are refused by name',
  }),
  ...differs({
    'hooks run before and after calls, with their outcome': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'errors of hooks change nothing': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'files are encrypted with the token': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'arguments of a limited function are passed on': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
  }),
];
