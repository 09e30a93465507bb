// Management, CORS, static files, metrics, load, queue, webhooks, directories.
import { differs, coveredBy, type Row } from './row.ts';

export const managementRows: readonly Row[] = [
  ...coveredBy('contract/discovery', {
    'OPTIONS with CORS: an exact origin': ['CORS_ALLOW_ORIGIN=…', 'https://example.com'],
    'OPTIONS with CORS: *': ['CORS_ALLOW_ORIGIN=…', '*'],
    'OPTIONS with CORS: a glob': ['CORS_ALLOW_ORIGIN=…', 'https://*.example.com'],
    'OPTIONS with CORS: alternatives within the name': ['CORS_ALLOW_ORIGIN=…', 'https://(a|b).example.com'],
    'OPTIONS with CORS: two whole origins': ['CORS_ALLOW_ORIGIN=…', '(https://one.com|https://two.com)'],
    'OPTIONS with CORS: a different origin is a 404': ['CORS_ALLOW_ORIGIN=…', 'https://example.com.evil'],
    'CORS headers are on errors too': 'CORS_ALLOW_ORIGIN=…',
    'OPTIONS without CORS is a 404': 'without CORS, OPTIONS returns 404 without a CORS header',
  }),
  ...coveredBy('docs/serving', {
    '/docs redirects to the API pages with a 301': 'HEAD, redirects from URL variants and old URLs',
    'documentation is HTML, without a token':
      'on a server with a token, pages, their script and the API description do not need it',
    'its script is JavaScript, without a token':
      'on a server with a token, pages, their script and the API description do not need it',
    'the description of the API is JSON, without a token':
      'on a server with a token, pages, their script and the API description do not need it',
    'no path gives access to other files': 'paths outside the documentation return 404',
  }),
  ...coveredBy('contract/openapi', {
    '/docs/swagger.json describes the API': 'is the same at /docs/swagger.json, and /docs redirects to the reference',
  }),
  ...coveredBy('contract/devtools-front-end', {
    'the debugger is a 404 if it is turned off': 'ENABLE_DEBUGGER=false turns off /debugger and the files',
    '/debugger redirects to the same path with a slash':
      '/debugger redirects to its page, and redirects drop the token',
  }),
  ...coveredBy('contract/management', {
    '/config is JSON': ['GET … is JSON', '/config'],
    '/meta is JSON': ['GET … is JSON', '/meta'],
    '/metrics is JSON': ['GET … is JSON', '/metrics'],
    '/metrics/total is JSON': ['GET … is JSON', '/metrics/total'],
    '/pressure is JSON': ['GET … is JSON', '/pressure'],
    '/sessions is JSON': ['GET … is JSON', '/sessions'],
    'management without a token is a 401': 'GET … returns 401 without a token',
    'GET /active is a 204 in text': ['… /active returns an empty 204', 'GET'],
    'HEAD /active is a 204 in text': ['… /active returns an empty 204', 'HEAD'],
    '/kill/all is a 204': '/kill/all stops every request and returns 204',
    '/kill of an unknown id is a 404 with the documented message': '/kill returns 404 for an unknown id',
    'Upgrade: h2c on /config is a 200': 'Upgrade: h2c is handled as an ordinary request',
    'a trailing slash is allowed; paths are case-sensitive':
      'a trailing slash and a query are allowed; a different case is not',
    '/metrics: successful requests are counted': '/metrics returns a list, and /metrics/total returns the totals',
    '/pressure with Accept: text/plain returns the message, and 503 if not available':
      '/pressure reports a full server, and the next request returns 429',
    'queue: the next request waits for the previous one': 'a queued request runs when a slot is free',
    'queue: requests beyond it are rejected': '/pressure reports a full server, and the next request returns 429',
  }),

  ...coveredBy('unit/limiter', {
    'limiter: runs while there are slots, then queues, then rejects':
      'runs immediately while there are slots, then queues, then rejects with Retry-After',
    'limiter: waiting requests run in order': 'grants slots in order of arrival',
    'limiter: without slots and queue, all are rejected': 'with no slots and no queue, every request is rejected',
    'limiter: a client that disconnects while waiting is dropped':
      'a client that disconnects is removed from the queue',
  }),
  ...coveredBy('machine/lifecycle', {
    'webhook for queueing': ['webhooks are called for queueing, rejection, timeout and error', 'queue'],
    'webhook for a rejection': ['webhooks are called for queueing, rejection, timeout and error', 'reject'],
    'webhook for a timeout, and none for requests that finish in time': [
      'webhooks are called for queueing, rejection, timeout and error',
      'timeout',
    ],
    'webhook for an error, with its message': [
      'webhooks are called for queueing, rejection, timeout and error',
      'error',
    ],
    'an error reaches its client and does not stop the queue':
      'webhooks are called for queueing, rejection, timeout and error',
    'stop signals shut the server down cleanly with exit code 0':
      '… stops the server with exit code 0 and leaves nothing behind',
    'older names of settings': 'renamed settings still work, and ignored ones are reported',
    'metrics files: lines are appended and read again': 'METRICS_JSON_PATH preserves the counters across restarts',
  }),
  ...coveredBy('contract/query', {
    'limit: TIMEOUT': 'timeout stops a request; zero and the server default do not',
    'limit: ?timeout= instead of TIMEOUT': 'timeout stops a request; zero and the server default do not',
    'limit: no effect on requests that finish in time': 'timeout stops a request; zero and the server default do not',
    'limit: TIMEOUT=-1 means no limit': 'TIMEOUT=-1 means no limit',
  }),
  ...coveredBy('endings/endings', {
    'health: a machine under pressure rejects requests':
      'a machine under pressure returns 429 and reports the reason in /pressure',
  }),
  ...coveredBy('sockets/admission', {
    'health: CPU load causes rejections, an idle machine accepts requests':
      'an overloaded machine rejects new browsers, but not more clients of a running one',
  }),
  ...coveredBy('unit/session-life', {
    'a session ends once, regardless of the cause': 'ends once: pages first, then the session, then its clients',
  }),
  ...coveredBy('sockets/session-events', {
    'the end of each kind of session is reported once': '/kill ends each kind of session once',
    'a successful request is reported once': 'a REST job on a pooled page sends each event once',
    'a failed request is reported once': 'a failed job ends its session too',
  }),

  ...coveredBy('unit/metrics', {
    'metrics: successful': 'a period counts outcomes, times and units, then starts over',
    'metrics: timed out': ['a period counts outcomes, times and units, then starts over', 'timedout'],
    'metrics: queued': ['a period counts outcomes, times and units, then starts over', 'queued'],
    'metrics: unauthorized': ['a period counts outcomes, times and units, then starts over', 'unauthorized'],
    'metrics: maximum concurrency': 'counts running requests and their maximum',
    'metrics: totals': 'a total sums periods',
    'metrics files: at most 10,000 periods, damaged lines are skipped':
      'the history appends periods, skips corrupt lines and keeps 10,000',
  }),
  ...coveredBy('unit/machine-load', {
    'load: cgroup files, version 2 and 1':
      'cgroup v2 files are preferred over v1 files, and both are read with their limits',
    'load: missing limits': 'a container without limits has the limits of the machine',
    'load: the machine itself, and damaged or missing files':
      'uses the load of the machine if the cgroup files are missing or invalid, unless they are required',
    'load: is smoothed': 'the load is smoothed: a brief spike does not count in full',
    'load: an overload ends well below its limit': 'an overload starts at the limit and ends well below it',
    'load: the first value is awaited': 'there is no value before the first sample, and current() waits for it',
    'load: no sampling after shutdown': 'reads nothing after it is stopped',
  }),
  ...coveredBy('machine/storage', {
    'scratch directories: under their root; a root that is not writable is an error':
      'either all directories are created or none',
    'scratch directories: removed after a failed start':
      'a browser that cannot be started or dies immediately leaves nothing behind',
  }),
  ...coveredBy('unit/config', {
    'scratch directories: short names, even under a long path':
      'a SCRATCH_DIR too long for socket paths is rejected, or replaced if it is the default',
    'settings: anything but false is true': 'anything but false is true, even an empty string',
    'settings: the first of several names wins': 'aliases: the first name wins',
  }),
  ...coveredBy('endings/safety', {
    "the server's environment is not passed to browsers":
      'tokens and the rest of the environment are not passed to browsers',
  }),
  ...coveredBy('unit/launch', {
    "a client's environment does not appear in /sessions": 'executablePath and env are rejected by name',
  }),
  ...differs({
    'hooks run before and after calls, with their outcome': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'errors in hooks have no effect': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'files are encrypted with the token': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
    'arguments of a limited function are forwarded': 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)',
  }),
];
