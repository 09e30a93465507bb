// Settings, with the test that observes how each changes the server or the part of it that acts on the setting.
import { type Row, seenBy } from './row.ts';

export const settingRows: readonly Row[] = [
  ...seenBy('machine/settings', {
    'ALLOWED_LAUNCH_ARGS lets switches through that the server does not know': 'ALLOWED_LAUNCH_ARGS',
    'HOST is the address on which the server listens': 'HOST',
    'a shared browser is replaced: …': { RECYCLE_AGE_MS: 'RECYCLE_AGE_MS', RECYCLE_MEMORY_MB: 'RECYCLE_MEMORY_MB' },
    'the load of the processors: how often it is looked at, what weight it has, when an overload ends':
      'HEALTH MAX_CPU_PERCENT CPU_SAMPLE_INTERVAL_MS CPU_EMA_ALPHA CPU_OVERLOAD_HYSTERESIS',
    'FAILED_HEALTH_URL is called when the machine is short of something': 'FAILED_HEALTH_URL MAX_MEMORY_PERCENT',
    'CORS: methods, headers, credentials and age are those of the settings':
      'CORS CORS_{ALLOW_METHODS,ALLOW_HEADERS,EXPOSE_HEADERS,ALLOW_CREDENTIALS,MAX_AGE}',
    'the program of each browser is the one that its setting names': '{SHELL,CHROMIUM,CHROME,EDGE,FIREFOX,WEBKIT}_PATH',
    'SESSION_ISOLATION gives clients of sockets a process, or a place in a shared one': 'SESSION_ISOLATION',
  }),
  ...seenBy('accounts/processes', {
    'SHARED_PROCESSES=server: tenants share a process, as calls of one tenant do': 'SHARED_PROCESSES',
  }),
  ...seenBy('cluster/attacks', {
    'settings: what is missing, too short or no address is named': 'NODE_URL CLUSTER_NODES',
  }),
  ...seenBy('cluster/outage', {
    'killed under load: no session is lost, new ones come at once by parts of the limits, and it is told all':
      'CLUSTER_URL CLUSTER_STRICT',
  }),
  ...seenBy('cluster/balancers', {
    '…: a call with an id comes straight to its server': { nginx: 'NODE_NAME' },
  }),
  ...seenBy('cluster/failures', {
    'a server with another secret is refused by the others, and the log says why': 'CLUSTER_SECRET',
  }),
  ...seenBy('machine/software-key', {
    'the key of the documentation starts a server, and caps its calls': 'KEY_PUBLIC KEY',
    'a new key in the file counts at once, and nothing is interrupted': 'KEY_FILE',
  }),
  ...seenBy('sockets/extensions', {
    'puppeteer.connect: the extension changes a page, and nobody sees where it lies': 'EXTENSIONS_DIR',
  }),
  ...seenBy('live/options', {
    'the page: who may show it, its theme, and no room for one more': 'LIVE_{MAX_VIEWERS,FRAME_ANCESTORS}',
  }),
  ...seenBy('live/files', { 'attacks: other tickets, names, sizes, origins and links': 'LIVE_UPLOAD_BYTES' }),
  ...seenBy('recording/keeping', {
    'the server stops, or is killed: what it recorded is there at the next start, garbage harms nothing':
      'RECORDINGS_DIR RECORDINGS_DAYS',
    'RECORDINGS_BYTES: the oldest go, and what alone is too large ends': 'RECORDINGS_BYTES',
  }),
  ...seenBy('recording/replay', { 'REPLAY_MASK=…: … texts are shown': { password: 'REPLAY_MASK' } }),
  ...seenBy('unit/machine-load', {
    'without files, or with some that hold no figures, the machine itself is read, unless they were asked for':
      'MACHINE_STATS_SOURCE',
  }),
  ...seenBy('machine/lifecycle', {
    'a port that is taken ends the start with a reason': 'PORT',
    'draining: running calls finish, new ones get 503 with Retry-After': 'DRAIN_TIMEOUT_MS',
    'ISOLATION=process: every call has a browser of its own, and it ends with the call': 'ISOLATION',
    'a browser is replaced after RECYCLE_JOBS calls': 'RECYCLE_JOBS',
    'webhooks are called for queueing, rejection, timeout and error':
      'CONCURRENT QUEUED {QUEUE,REJECT,TIMEOUT,ERROR}_ALERT_URL',
    'METRICS_JSON_PATH keeps the counters over a restart': 'METRICS_JSON_PATH',
  }),
  ...seenBy('machine/stopping', {
    'SOCKET_DRAIN_MS=0 closes sockets at once, DRAIN_TIMEOUT_MS=0 ends jobs too': 'SOCKET_DRAIN_MS DRAIN_TIMEOUT_MS',
    'SHUTDOWN_DELAY_MS: /ready refuses and calls are still served, on connections that are not kept':
      'SHUTDOWN_DELAY_MS',
  }),
  ...seenBy('machine/storage', {
    'a full disk of … is told, leaves nothing, and ends by itself': {
      DATA_DIR: 'DATA_DIR',
      SCRATCH_DIR: 'SCRATCH_DIR',
    },
    'a download that finds no room is told so': 'DOWNLOAD_DIR',
  }),
  ...seenBy('unit/catalog', {
    'where the embedded shell cannot be unpacked, an installed full browser serves': 'CACHE_DIR',
  }),
  ...seenBy('contract/addresses', {
    'EXTERNAL wins over every header, and its path is in every address': 'EXTERNAL',
    'a proxy that is not trusted changes no address': 'TRUSTED_PROXIES',
  }),
  ...seenBy('contract/auth', {
    'of several tokens each one works': 'TOKEN',
    'tokens may come from TOKEN_FILE': 'TOKEN_FILE',
  }),
  ...seenBy('accounts/quotas', {
    'a change of the file counts within two seconds; what cannot be used is told and changes nothing': 'TOKENS_FILE',
    'the units of a month outlive the server, also one that is killed': 'UNITS_FILE',
  }),
  ...seenBy('contract/doors', {
    'settings name further hosts, clients and origins': 'ALLOWED_HOSTS ALLOWED_CLIENTS CORS_ALLOW_ORIGIN',
  }),
  ...seenBy('contract/performance', {
    'a report of one audit, with settings and budgets; a second call beyond the queue is refused':
      'PERFORMANCE_CONCURRENT PERFORMANCE_QUEUED',
  }),
  ...seenBy('bql/deadlines', {
    'a document has a minute, unless the caller or the operator says otherwise': 'BQL_TIMEOUT TIMEOUT',
  }),
  ...seenBy('sockets/session-limits', {
    'a token has as many sessions as MAX_SESSIONS says, others have theirs': 'MAX_SESSIONS',
    'the times of a session have ceilings': 'MAX_SESSION_TTL',
    'a limit above MAX_TIMEOUT, or none, is refused on every door': 'MAX_TIMEOUT',
    'a kept browser: each way back has the limit, and without clients it ends at MAX_RECONNECT_TIME':
      'MAX_RECONNECT_TIME',
  }),
  ...seenBy('endings/start-retries', {
    'the shared browser too, as often as RETRIES says and within the limit of the call': 'RETRIES',
  }),
  ...seenBy('sockets/stealth-choices', { 'ALLOW_STEALTH=false: every door refuses with the reason': 'ALLOW_STEALTH' }),
  ...seenBy('contract/web-bot-auth', {
    'the directory has the public key alone, signed for its own address, for every caller':
      'WEB_BOT_AUTH_KEY WEB_BOT_AUTH_DIRECTORY',
  }),
  ...seenBy('sockets/session-idle', {
    'a socket whose client sends nothing is closed with 4408': 'SESSION_IDLE_MS',
    'sessions that begin too fast are refused, at every door that begins one': 'SESSIONS_PER_SECOND',
  }),
  ...seenBy('sockets/kept', { 'a client that answers no ping is cut off': 'PING_INTERVAL_MS' }),
  ...seenBy('contract/pdf', { 'a body above MAX_PAYLOAD_SIZE names the limit': 'MAX_PAYLOAD_SIZE' }),
  ...seenBy('sockets/unread-sockets', { 'a subscriber of BrowserQL that does not read is closed': 'SEND_TIMEOUT_MS' }),
  ...seenBy('endings/unread-answers', {
    'while too much is unread, calls are refused with a sentence; then they are taken again': 'MAX_UNREAD_MB',
    'an answer that is larger than MAX_ANSWER_MB is a 400 that says so': 'MAX_ANSWER_MB',
  }),
  ...seenBy('contract/query', { 'ALLOW_GET: GET with the body as …': { base64: 'ALLOW_GET' } }),
  ...seenBy('contract/export', { 'a redirect to a file': 'ALLOW_FILE_PROTOCOL' }),
  ...seenBy('sockets/isolation', { 'with ALLOWED_CDP_METHODS every client gets a process': 'ALLOWED_CDP_METHODS' }),
  ...seenBy('endings/safety', {
    'BLOCK_PRIVATE_NETWORK holds for everything that a page does: not one packet arrives': 'BLOCK_PRIVATE_NETWORK',
  }),
  ...seenBy('profiles/vault', {
    'a server without a key refuses, and says which setting it lacks': 'PROFILES_KEY',
    'a server with another key reads nothing and says so; with the right one everything is there': 'PROFILES_DIR',
  }),
  ...seenBy('sockets/profiles', {
    'names lie below DATA_DIR, paths below what the operator lists, and both are kept': 'USER_DATA_DIRS',
  }),
  ...seenBy('endings/limits-hanging', {
    'a file that cannot be read to its end holds up its call only to the limit': 'AD_BLOCK_LISTS',
  }),
  ...seenBy('contract/proxies-residential', {
    'country, state and city are told to the provider, and left out when nobody asks for them': 'RESIDENTIAL_PROXY_URL',
  }),
  ...seenBy('contract/proxy-cities', {
    'proxyCity: another city, and one of another country, are refused': 'RESIDENTIAL_PROXY_CITIES',
  }),
  ...seenBy('contract/captcha-solver', {
    'ready: the token of the task': 'CAPTCHA_SOLVER_URL CAPTCHA_SOLVER_KEY',
    '…: …': { slow: 'CAPTCHA_SOLVER_LIMIT_MS' },
    'a token gives the solver CAPTCHA_SOLVER_MAX_PER_HOUR captchas, others have theirs': 'CAPTCHA_SOLVER_MAX_PER_HOUR',
  }),
  ...seenBy('contract/discovery', { 'without spares no browser stays for /json/version': 'SPARES' }),
  ...seenBy('endings/endings', {
    'a page that takes too much memory loses its renderer, its neighbours do not notice': 'PAGE_MEMORY_MB',
  }),
  ...seenBy('sockets/neighbours', {
    'a page that keeps a processor busy slows nobody much, gets the lowest priority and is ended': 'PAGE_BUSY_MS',
  }),
  ...seenBy('contract/download', { 'more than MAX_DOWNLOAD_MB is refused': 'MAX_DOWNLOAD_MB' }),
  ...seenBy('sockets/file-transfer', {
    'a download beyond MAX_SESSION_FILES_MB ends the session (…), and nothing of it stays': 'MAX_SESSION_FILES_MB',
  }),
  ...seenBy('sockets/libraries', {
    'SHARED_FILE_DIRS: pages get files from there, and download there when a client names it; nowhere else':
      'SHARED_FILE_DIRS',
  }),
  ...seenBy('dashboard/doors', {
    'behind a public address with TLS and a path; switched off; without a token': 'ENABLE_DASHBOARD',
  }),
  ...seenBy('contract/devtools-front-end', {
    'ENABLE_DEBUGGER=false turns off /debugger and the files': 'ENABLE_DEBUGGER',
  }),
  ...seenBy('docs/serving', {
    'settings: prefix, canonical address, announcement, support, noindex, token':
      'DOCS DOCS_{NOINDEX,ANNOUNCEMENT,ANALYTICS_URL}',
  }),
  ...seenBy('docs/status', {
    'links of the operator: repository, stars, sign-up, blog, networks, and no dashboard':
      'DOCS_{REPOSITORY_URL,STARS,SIGN_UP_URL,BLOG_URL,SOCIAL_URLS}',
  }),
  ...seenBy('docs/ask', {
    'the model gets question and passages, and its answer comes as it is written': 'DOCS_ASK_{URL,MODEL,KEY}',
  }),
  ...seenBy('docs/states', {
    'a support panel for paid subscriptions only; page views go nowhere unless asked': 'DOCS_SUPPORT_URL',
  }),
  ...seenBy('contract/open-telemetry', {
    'a screenshot: the spans of the call are below that of the caller, and tell no secret':
      'OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_{ENDPOINT,HEADERS}',
    'the lines of the log arrive, with the trace and the span of their call': 'OTEL_LOGS_ENABLED',
    'the metrics have the names and the values of /metrics': 'OTEL_METRIC_EXPORT_INTERVAL',
  }),
  ...seenBy('contract/open-telemetry-receiver', {
    'OTEL_ENABLED=false wins; OTEL_TRACES_ENABLED=false and OTEL_METRICS_ENABLED=false leave each out':
      'OTEL_{ENABLED,TRACES_ENABLED,METRICS_ENABLED}',
    'a protocol that is not offered ends the start with a sentence': 'OTEL_EXPORTER_OTLP_PROTOCOL',
  }),
  ...seenBy('sockets/session-events', { 'a job over REST, on a page of the pool': 'LOG_LEVEL' }),
];
