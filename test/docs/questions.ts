// A hundred questions as people type them into a search field, each with the page that answers it, or the two pages
// that do. The wording comes from issue titles and first posts in the issue trackers of browserless, Puppeteer and
// Playwright, shortened to search queries, including typos and shouting. They were written before the ranking that they
// measure: do not change a question to suit the engine; change the engine or the page instead.

/** The words, and the paths of the pages; one of them must be near the top of the results. */
export type Question = readonly [words: string, ...pages: [path: string, other?: string]];

const rest = '/rest-apis';
const help = '/baas/troubleshooting';
const keep = '/baas/session-management';
const bql = '/browserql';
const self = '/enterprise';

const connecting: Question[] = [
  ['connect puppeteer to remote browser', '/baas/connect-puppeteer'],
  ['connect ECONNREFUSED 127.0.0.1:3000', '/baas/connect-puppeteer', `${help}/http-error-codes`],
  ['playwright connectOverCDP', '/baas/connect-playwright'],
  ['playwright version mismatch server client', '/baas/connect-playwright', '/baas/versions'],
  ['connect playwright python', '/baas/connect-playwright'],
  ['browserWSEndpoint format', '/overview/connection-urls', '/baas/advanced-configurations/connection-url-patterns'],
  ['Unexpected server response: 401', `${help}/http-error-codes`, '/baas/connect-puppeteer'],
  ['which puppeteer version is supported', '/baas/versions'],
  ['use firefox instead of chrome', '/baas/features/supported-browsers', '/baas/connect-playwright'],
  ['golang client', '/baas/libraries/chromedp'],
  ['laravel pdf php', '/baas/libraries/php'],
  ['pyppeteer connect', '/baas/libraries/pyppeteer'],
  ['scrapy splash alternative', '/baas/libraries/scrapy'],
  ['where do I put the api key', '/overview/connection-urls', `${rest}/intro`],
  ['websocket url for playwright', '/overview/connection-urls', '/baas/connect-playwright'],
  ['run several pages in one browser newContext', '/baas/advanced-configurations/playwright-customizations'],
];

const printing: Question[] = [
  ['pdf header and footer not showing', `${rest}/pdf-api`],
  ['pdf margin', `${rest}/pdf-api`, `${bql}/use-cases/pdfs`],
  ['page numbers in pdf footer', `${rest}/pdf-api`, `${bql}/use-cases/pdfs`],
  ['printBackground background color missing in pdf', `${rest}/pdf-api`, `${bql}/use-cases/pdfs`],
  ['html to pdf api', `${rest}/pdf-api`],
  ['full page screenshot', `${rest}/screenshot-api`, `${bql}/use-cases/screenshots`],
  ['screenshot lazy loaded images missing', `${rest}/screenshot-api`],
  ['screenshot of an element by selector', `${rest}/screenshot-api`, `${bql}/use-cases/screenshots`],
  ['retina screenshot deviceScaleFactor', `${rest}/screenshot-api`],
  ['set viewport size', `${rest}/screenshot-api`, `${rest}/intro`],
  ['dark mode screenshot', `${rest}/intro`, `${rest}/screenshot-api`],
  ['infinite scroll', '/baas/recipes/infinite-scroll', `${rest}/screenshot-api`],
  ['setContent render my own html', `${rest}/content`, `${rest}/intro`],
  ['get rendered html of a page', `${rest}/content`],
  ['convert website to markdown for llm', `${rest}/markdown`],
  ['lighthouse report', `${rest}/performance`],
  ['save webpage offline with images', `${rest}/export`],
];

const scraping: Question[] = [
  ['scrape links href', `${rest}/scrape`],
  ['scrape table rows into json', `${bql}/advanced-config/scraping-structured-data`],
  ['run custom puppeteer code on the server', `${rest}/function`],
  ['download a file csv', '/baas/recipes/downloading-files', `${rest}/download`],
  ['page.on download saveAs fails connectOverCDP', '/baas/recipes/downloading-files', '/baas/features/files'],
  ['upload file', '/baas/recipes/uploading-files', '/baas/features/files'],
  ['setInputFiles remote browser', '/baas/recipes/uploading-files'],
  ['wait for selector', `${bql}/writing-bql/waiting-for-things`, '/bql-schema/operations/mutations/wait-for-selector'],
  ['networkidle0 waitUntil', `${rest}/intro`, `${bql}/writing-bql/waiting-for-things`],
  ['beautifulsoup javascript page', '/baas/libraries/beautifulsoup'],
  ['block images and css to save bandwidth', '/baas/recipes/response-caching', `${rest}/intro`],
  ['block ads', `${rest}/intro`, `${bql}/using-the-ide/session-settings`],
  ['accept cookie banner', `${rest}/intro`, `${bql}/writing-bql/conditional-logic`],
  ['basic auth username password page.authenticate', `${rest}/intro`, '/baas/features/proxies'],
  ['set extra http headers', `${rest}/intro`, '/bql-schema/operations/mutations/set-extra-httpheaders'],
  ['change user agent', '/baas/features/user-agent-control'],
  ['fill login form and submit', `${bql}/use-cases/submitting-forms`],
  ['click element inside iframe', `${bql}/use-cases/submitting-forms`, `${bql}/writing-bql/language-basics`],
];

const sessions: Question[] = [
  ['keep browser open between requests', `${keep}/standard-sessions`, `${keep}/persisting-state`],
  ['reconnect to existing session', `${keep}/standard-sessions`, `${bql}/session-management/reconnect-to-browserless`],
  ['stay logged in save cookies', `${keep}/persisting-state`, '/baas/recipes/log-in-once'],
  ['set cookies', `${bql}/session-management/injecting-cookies`, '/baas/recipes/cookies'],
  ['userDataDir profile persistent', `${self}/user-data-directory`],
  ['record video of session', '/baas/interactive-browser-sessions/screencasting'],
  ['session replay', '/baas/interactive-browser-sessions/session-replay', `${bql}/session-management/session-replay`],
  ['live view of browser in my app', '/baas/interactive-browser-sessions/hybrid-automation'],
  ['2fa otp let user type code', '/baas/interactive-browser-sessions/hybrid-automation', `${bql}/hybrid-bql`],
  ['kill session', `${self}/utility-functions/sessions`, `${self}/watching-sessions`],
  ['list running sessions', `${self}/utility-functions/sessions`, `${self}/watching-sessions`],
  ['open devtools on running browser', `${self}/live-debugger`, `${self}/watching-sessions`],
];

const robots: Question[] = [
  ['cloudflare captcha', `${bql}/bot-detection/solving-captchas`, '/baas/bot-detection/captchas'],
  ['solve recaptcha puppeteer', '/baas/bot-detection/captchas'],
  ['stealth mode', '/baas/bot-detection/stealth', `${bql}/bot-detection/stealth`],
  ['site detects headless chrome 403 forbidden', '/baas/bot-detection/overview', `${bql}/bot-detection/overview`],
  ['navigator.webdriver', `${bql}/bot-detection/stealth`, '/baas/bot-detection/stealth'],
  ['unblock api', `${rest}/unblock`, '/baas/bot-detection/unblocking'],
  ['proxy with username and password', '/baas/features/proxies'],
  ['residential proxy country', '/baas/features/proxies', `${bql}/bot-detection/proxies`],
  ['--proxy-server flag', '/baas/features/proxies'],
  ['what ip address do requests come from', `${help}/whitelisting-ips`],
];

const failing: Question[] = [
  ['429 too many requests', `${self}/long-queues`, `${help}/http-error-codes`],
  ['TimeoutError: Navigation timeout of 30000 ms exceeded', `${help}/timeouts`],
  ['Protocol error: Target closed', `${help}/timeouts`, `${help}/http-error-codes`],
  ['websocket closed 1006', `${help}/timeouts`, `${help}/http-error-codes`],
  ['408 request has timed out', `${help}/timeouts`, `${rest}/timeouts`],
  ['502 bad gateway nginx', `${help}/http-error-codes`, `${self}/nginx-docker`],
  ['503 service unavailable', `${help}/http-error-codes`],
  ['400 bad request field not allowed', `${help}/http-error-codes`],
  ['increase timeout', `${help}/timeouts`, `${rest}/timeouts`],
  ['browser not closing memory leak', `${help}/best-practices`],
];

const hosting: Question[] = [
  ['docker run token', `${self}/docker/quickstart`, `${self}/quick-start`],
  ['docker compose', `${self}/nginx-docker`, `${self}/getting-started`],
  ['environment variables', `${self}/docker/config`],
  ['MAX_CONCURRENT_SESSIONS', '/baas/migrate', `${self}/docker/config`],
  ['max concurrent sessions queue length', `${self}/long-queues`, `${self}/docker/config`],
  ['healthcheck endpoint', `${self}/utility-functions/intro`, `${self}/docker/quickstart`],
  ['kubernetes readiness probe', `${self}/utility-functions/intro`, `${self}/private-deployment/kubernetes`],
  ['prometheus metrics', `${self}/utility-functions/metrics`],
  ['nginx reverse proxy websocket', `${self}/nginx-docker`],
  ['how much memory and cpu do I need', `${self}/sizing`, `${self}/private-deployment/load-balancing`],
  ['chinese fonts emoji squares', `${self}/docker/extending`, `${self}/docker/quickstart`],
  ['block access to localhost SSRF', `${self}/security`, `${self}/docker/config`],
  ['chrome flags args', '/baas/launch-options', '/overview/launch-parameters'],
  ['migrate from browserless v1', '/baas/migrate'],
  ['webhook alert when queue is full', `${self}/docker/webhooks`],
  ['launch headful browser headless false', '/baas/launch-options', '/overview/launch-parameters'],
  ['CORS', `${self}/docker/config`],
];

export const questions: readonly Question[] = [
  ...connecting,
  ...printing,
  ...scraping,
  ...sessions,
  ...robots,
  ...failing,
  ...hosting,
];
