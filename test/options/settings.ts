// Settings, with the test that verifies how each changes the server or the part of it that acts on the setting.
import { type Row, coveredBy } from './row.ts';

export const settingRows: readonly Row[] = [
  ...coveredBy('machine/settings', {
    'ALLOWED_LAUNCH_ARGS allows switches that the server does not know': 'ALLOWED_LAUNCH_ARGS',
    'HOST is the address on which the server listens': 'HOST',
    'a shared browser is replaced when it exceeds …': {
      RECYCLE_AGE_MS: 'RECYCLE_AGE_MS',
      RECYCLE_MEMORY_MB: 'RECYCLE_MEMORY_MB',
    },
    'CPU load: the sample interval, the smoothing and the end of an overload follow the settings':
      'HEALTH MAX_CPU_PERCENT CPU_SAMPLE_INTERVAL_MS CPU_EMA_ALPHA CPU_OVERLOAD_HYSTERESIS',
    'FAILED_HEALTH_URL is called when the machine is overloaded': 'FAILED_HEALTH_URL MAX_MEMORY_PERCENT',
    'CORS methods, headers, credentials and max age come from the settings':
      'CORS CORS_{ALLOW_METHODS,ALLOW_HEADERS,EXPOSE_HEADERS,ALLOW_CREDENTIALS,MAX_AGE}',
    'each browser is started from the path in its setting': '{SHELL,CHROMIUM,CHROME,EDGE,FIREFOX,WEBKIT}_PATH',
    'SESSION_ISOLATION gives socket clients their own process or a context in a shared one': 'SESSION_ISOLATION',
  }),
  ...coveredBy('accounts/processes', {
    'SHARED_PROCESSES=server: tenants share a process': 'SHARED_PROCESSES',
  }),
  ...coveredBy('cluster/attacks', {
    'settings: errors name the missing or invalid setting': 'NODE_URL CLUSTER_NODES',
  }),
  ...coveredBy('cluster/outage', {
    'killed under load: sessions survive, new ones start immediately within shares of the limits, and it learns about all':
      'CLUSTER_URL CLUSTER_STRICT',
  }),
  ...coveredBy('cluster/balancers', {
    '…: a request with an id goes straight to its server': { nginx: 'NODE_NAME' },
  }),
  ...coveredBy('cluster/failures', {
    'a server with a different secret is rejected by the others, and the log says why': 'CLUSTER_SECRET',
  }),
  ...coveredBy('machine/software-key', {
    'the key from the documentation starts a server and limits its concurrency': 'KEY_PUBLIC KEY',
    'a new key in the file takes effect without interrupting anything': 'KEY_FILE',
  }),
  ...coveredBy('sockets/extensions', {
    'puppeteer.connect: the extension changes a page, and its path is not exposed': 'EXTENSIONS_DIR',
  }),
  ...coveredBy('live/options', {
    'the page has frame-ancestors and a theme, and returns a 429 when the view is full':
      'LIVE_{MAX_VIEWERS,FRAME_ANCESTORS}',
  }),
  ...coveredBy('live/files', {
    'attacks with other tickets, names, sizes, origins and links are rejected': 'LIVE_UPLOAD_BYTES',
  }),
  ...coveredBy('recording/keeping', {
    'after the server stops or is killed, the restarted server has its recordings, and garbage does no harm':
      'RECORDINGS_DIR RECORDINGS_DAYS',
    'RECORDINGS_BYTES: the oldest recordings are removed, and one that is too large by itself is stopped':
      'RECORDINGS_BYTES',
  }),
  ...coveredBy('recording/replay', { 'REPLAY_MASK=…: … values are shown': { password: 'REPLAY_MASK' } }),
  ...coveredBy('unit/machine-load', {
    'uses the load of the machine if the cgroup files are missing or invalid, unless they are required':
      'MACHINE_STATS_SOURCE',
  }),
  ...coveredBy('machine/lifecycle', {
    'a port in use makes startup fail with the reason': 'PORT',
    'while draining, running requests finish and new ones get a 503 with Retry-After': 'DRAIN_TIMEOUT_MS',
    'ISOLATION=process: each request has its own browser, which closes when the request ends': 'ISOLATION',
    'a browser is replaced after RECYCLE_JOBS requests': 'RECYCLE_JOBS',
    'webhooks are called for queueing, rejection, timeout and error':
      'CONCURRENT QUEUED {QUEUE,REJECT,TIMEOUT,ERROR}_ALERT_URL',
    'METRICS_JSON_PATH preserves the counters across restarts': 'METRICS_JSON_PATH',
  }),
  ...coveredBy('machine/stopping', {
    'SOCKET_DRAIN_MS=0 closes sockets immediately, DRAIN_TIMEOUT_MS=0 also ends jobs':
      'SOCKET_DRAIN_MS DRAIN_TIMEOUT_MS',
    'SHUTDOWN_DELAY_MS: /ready fails while requests are still served, on connections that then close':
      'SHUTDOWN_DELAY_MS',
  }),
  ...coveredBy('machine/storage', {
    'a full disk of … is reported, leaves nothing behind, and recovers automatically': {
      DATA_DIR: 'DATA_DIR',
      SCRATCH_DIR: 'SCRATCH_DIR',
    },
    'a download that does not fit on the disk is reported': 'DOWNLOAD_DIR',
  }),
  ...coveredBy('unit/catalog', {
    'an installed full browser is used if the embedded shell cannot be unpacked': 'CACHE_DIR',
  }),
  ...coveredBy('contract/addresses', {
    'EXTERNAL overrides every header, and its path is in every URL': 'EXTERNAL',
    'headers from an untrusted proxy do not change URLs': 'TRUSTED_PROXIES',
  }),
  ...coveredBy('contract/auth', {
    'each of several tokens works': 'TOKEN',
    'tokens can be read from TOKEN_FILE': 'TOKEN_FILE',
  }),
  ...coveredBy('accounts/quotas', {
    'a change to the file takes effect within two seconds; an invalid file is reported and ignored': 'TOKENS_FILE',
    'monthly units survive a server restart, even after a kill': 'UNITS_FILE',
  }),
  ...coveredBy('contract/endpoints', {
    'settings allow additional hosts, clients, and origins': 'ALLOWED_HOSTS ALLOWED_CLIENTS CORS_ALLOW_ORIGIN',
  }),
  ...coveredBy('contract/performance', {
    'returns a report of one audit, with settings and budgets; a second request beyond the queue is rejected':
      'PERFORMANCE_CONCURRENT PERFORMANCE_QUEUED',
  }),
  ...coveredBy('bql/deadlines', {
    'a document has one minute unless the caller or the operator sets another limit': 'BQL_TIMEOUT TIMEOUT',
  }),
  ...coveredBy('sockets/session-limits', {
    'MAX_SESSIONS limits the sessions of each token separately': 'MAX_SESSIONS',
    "a session's ttl and processKeepAlive have maximums": 'MAX_SESSION_TTL',
    'a timeout above MAX_TIMEOUT, or no timeout, is rejected on every endpoint': 'MAX_TIMEOUT',
    'a kept browser: each way to reconnect is limited, and without clients it closes after MAX_RECONNECT_TIME':
      'MAX_RECONNECT_TIME',
  }),
  ...coveredBy('endings/start-retries', {
    "the shared browser is restarted up to RETRIES times, within the request's time limit": 'RETRIES',
  }),
  ...coveredBy('sockets/stealth-choices', {
    'ALLOW_STEALTH=false: every endpoint rejects stealth with the reason': 'ALLOW_STEALTH',
  }),
  ...coveredBy('contract/web-bot-auth', {
    'the directory returns only the public key, signed for its own host, to every client':
      'WEB_BOT_AUTH_KEY WEB_BOT_AUTH_DIRECTORY',
  }),
  ...coveredBy('sockets/session-idle', {
    'a socket whose client sends nothing is closed with 4408': 'SESSION_IDLE_MS',
    'sessions that start too fast are rejected, at every endpoint that starts one': 'SESSIONS_PER_SECOND',
  }),
  ...coveredBy('sockets/kept', { 'a client that does not answer pings is disconnected': 'PING_INTERVAL_MS' }),
  ...coveredBy('contract/pdf', {
    'a body larger than MAX_PAYLOAD_SIZE returns a 400 that names the limit': 'MAX_PAYLOAD_SIZE',
  }),
  ...coveredBy('sockets/unread-sockets', {
    'a BrowserQL subscriber that does not read is disconnected': 'SEND_TIMEOUT_MS',
  }),
  ...coveredBy('endings/unread-answers', {
    'while too much is unread, requests are rejected with a reason; later they are accepted again': 'MAX_UNREAD_MB',
    'a response larger than MAX_ANSWER_MB is replaced by a 400 that says so': 'MAX_ANSWER_MB',
  }),
  ...coveredBy('contract/query', { 'ALLOW_GET: GET with the body as …': { base64: 'ALLOW_GET' } }),
  ...coveredBy('contract/export', { 'follows a redirect to a file': 'ALLOW_FILE_PROTOCOL' }),
  ...coveredBy('sockets/isolation', { 'with ALLOWED_CDP_METHODS, every client gets a process': 'ALLOWED_CDP_METHODS' }),
  ...coveredBy('endings/safety', {
    'BLOCK_PRIVATE_NETWORK applies to everything that a page does: no connection arrives': 'BLOCK_PRIVATE_NETWORK',
  }),
  ...coveredBy('profiles/vault', {
    'a server without a key returns a 501 that names the missing setting': 'PROFILES_KEY',
    'a server with a different key cannot read anything and says so; the right key restores access': 'PROFILES_DIR',
  }),
  ...coveredBy('sockets/profiles', {
    'profiles given by name are created in DATA_DIR, by path in allowed directories, and both are kept':
      'USER_DATA_DIRS',
  }),
  ...coveredBy('endings/limits-hanging', {
    'a file that cannot be fully read delays a request only until its time limit': 'AD_BLOCK_LISTS',
  }),
  ...coveredBy('contract/proxies-residential', {
    'country, state, and city are passed to the provider, and left out if not requested': 'RESIDENTIAL_PROXY_URL',
  }),
  ...coveredBy('contract/proxy-cities', {
    'proxyCity: an unlisted city or one in a different country is rejected': 'RESIDENTIAL_PROXY_CITIES',
  }),
  ...coveredBy('contract/captcha-solver', {
    'ready: returns the token of the task': 'CAPTCHA_SOLVER_URL CAPTCHA_SOLVER_KEY',
    '…: …': { slow: 'CAPTCHA_SOLVER_LIMIT_MS' },
    'each token can send CAPTCHA_SOLVER_MAX_PER_HOUR captchas to the solver': 'CAPTCHA_SOLVER_MAX_PER_HOUR',
  }),
  ...coveredBy('contract/discovery', { 'without spares, /json/version leaves no browser running': 'SPARES' }),
  ...coveredBy('endings/endings', {
    'a page that uses too much memory loses its renderer without affecting other pages': 'PAGE_MEMORY_MB',
  }),
  ...coveredBy('sockets/neighbors', {
    'a page that keeps a CPU busy is terminated, and other clients keep working': 'PAGE_BUSY_MS',
  }),
  ...coveredBy('contract/download', { 'a download larger than MAX_DOWNLOAD_MB is rejected': 'MAX_DOWNLOAD_MB' }),
  ...coveredBy('sockets/file-transfer', {
    'a download over MAX_SESSION_FILES_MB ends the session (…) and leaves no files behind': 'MAX_SESSION_FILES_MB',
  }),
  ...coveredBy('sockets/libraries', {
    'SHARED_FILE_DIRS: pages can use files from there, and download there if a client specifies it, but nowhere else':
      'SHARED_FILE_DIRS',
  }),
  ...coveredBy('dashboard/endpoints', {
    'works behind a public TLS URL with a path, turned off, and without a token': 'ENABLE_DASHBOARD',
  }),
  ...coveredBy('contract/devtools-front-end', {
    'ENABLE_DEBUGGER=false turns off /debugger and the files': 'ENABLE_DEBUGGER',
  }),
  ...coveredBy('docs/serving', {
    'settings: prefix, canonical URL, announcement, support, noindex, token':
      'DOCS DOCS_{NOINDEX,ANNOUNCEMENT,ANALYTICS_URL}',
  }),
  ...coveredBy('docs/status', {
    'operator links: repository, stars, sign-up, blog, networks, and no dashboard':
      'DOCS_{REPOSITORY_URL,STARS,SIGN_UP_URL,BLOG_URL,SOCIAL_URLS}',
  }),
  ...coveredBy('docs/ask', {
    'the model receives the question and passages, and its answer is streamed': 'DOCS_ASK_{URL,MODEL,KEY}',
  }),
  ...coveredBy('docs/states', {
    'the support panel is only shown for paid subscriptions': 'DOCS_SUPPORT_URL',
  }),
  ...coveredBy('contract/open-telemetry', {
    "a screenshot: the request's spans are children of the client's span and contain no secrets":
      'OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_{ENDPOINT,HEADERS}',
    'log lines are exported with the trace and span of their request': 'OTEL_LOGS_ENABLED',
    'metrics have the same names and values as /metrics': 'OTEL_METRIC_EXPORT_INTERVAL',
  }),
  ...coveredBy('contract/open-telemetry-receiver', {
    'OTEL_ENABLED=false turns off everything; OTEL_TRACES_ENABLED=false and OTEL_METRICS_ENABLED=false turn off one each':
      'OTEL_{ENABLED,TRACES_ENABLED,METRICS_ENABLED}',
    'the server does not start with an unsupported protocol, and says why': 'OTEL_EXPORTER_OTLP_PROTOCOL',
  }),
  ...coveredBy('sockets/session-events', { 'a REST job on a pooled page sends each event once': 'LOG_LEVEL' }),
];
