/** The hosted service of version 1. */
import type { OldPage } from './model.ts';

export const hosted: Readonly<Record<string, OldPage>> = {
  'hosted-service/best-practices': {
    now: { path: '/baas/troubleshooting/best-practices', label: 'Best Practices' },
    was: 'An unclosed session occupied a slot until its time limit. The page advised closing in `finally`, working inside the page, and checking the pressure first.',
    changes: [
      ['`browser.close()` in `finally`', 'the same'],
      ['one `page.evaluate` instead of many calls', 'the same'],
      ['check `/pressure`, then connect', 'connect: the request waits, or is refused with a 429'],
      ['`keepalive` to keep a browser', '[`Browserless.reconnect`](/baas/session-management/standard-sessions)'],
      ['block images to save traffic', 'the same: `rejectResourceTypes`, `blockAds`'],
    ],
  },
  'hosted-service/graphql-api': {
    now: { path: '/enterprise/private-deployment/graphql-api', label: 'GraphQL API' },
    was: 'One endpoint collected metrics from all workers of an account, along with the account’s plan.',
    changes: [
      ['`POST /graphql?token=…`', 'the same'],
      ['`pressure`', 'the same, as one object'],
      ['`metrics`', 'the same, and `metricsTotal`; for the operator'],
      ['`sessions`', 'the same'],
      ['`workspace`', '[`/session-files/{id}`](/baas/features/files)'],
      ['`account`', 'the same name: plan, limits and units of the [token](/enterprise/tokens-and-plans)'],
      ['all workers together', 'each server separately: collect with [Prometheus](/enterprise/traces-and-metrics)'],
    ],
  },
  'hosted-service/how-it-works': {
    now: { path: '/baas/advanced-configurations/connection-url-patterns', label: 'Connection URL Patterns' },
    was: 'A proxy in front of the workers read the token, chose a worker and forwarded the connection. The browser closed when the connection did.',
    changes: [
      ['a WebSocket endpoint', 'the same'],
      ['host and port, for WebDriver', 'removed: [Selenium](/baas/v1/libraries/selenium)'],
      [
        'a browser for each connection',
        'a [virtual browser](/baas/session-management/virtual-browsers) in a running one; `isolation=process` starts a process',
      ],
      [
        'the browser closes when its connection does',
        'the same, unless it is [kept](/baas/session-management/standard-sessions)',
      ],
    ],
  },
  'hosted-service/load-balancers': {
    now: { path: '/baas/features/load-balancers', label: 'Load Balancers' },
    was: 'A client chose the nearest host. The balancer asked workers for their pressure and sent the connection to the least loaded one.',
    changes: [
      ['a host for each region', 'your own servers, where you need them'],
      ['the least loaded worker', '`least_conn` in [nginx](/enterprise/nginx-docker)'],
      ['429 from a full worker', 'the same, with `Retry-After`; the balancer tries the next server'],
    ],
  },
  'hosted-service/proxying': {
    now: { path: '/baas/features/proxies', label: 'Proxies' },
    was: 'The flag specified the proxy, and `page.authenticate` in the script logged in to it, separately for each page.',
    changes: [
      ['`&--proxy-server=host:port`', 'the same'],
      ['`page.authenticate` for the proxy', 'user name and password in `externalProxyServer`'],
      ['no pool of IP addresses', '`proxy=residential`, when the operator has set one up'],
      [
        'one proxy for the browser',
        'one per context, or one for single requests in [BrowserQL](/browserql/bot-detection/proxies)',
      ],
    ],
  },
  'hosted-service/terminology': {
    now: { path: '/enterprise/terminology', label: 'Terminology' },
    was: 'The hosted service rented workers: machines that ran the container, each with a limited number of concurrent sessions.',
    changes: [
      ['worker', 'server, one process'],
      ['session', 'the same'],
      ['concurrency', '`CONCURRENT`'],
      ['queue', '`QUEUED`'],
      ['pressure', 'the same: `/pressure`'],
      ['unit', 'a value in [/metrics](/enterprise/utility-functions/metrics); it is not billed'],
    ],
  },
  'hosted-service/token': {
    now: { path: '/rest-apis/intro', label: 'REST APIs' },
    was: 'The token of an account was in the query for Puppeteer and REST. WebDriver clients, which drop the query, put it into the host part of the URL or into the capability `browserless:token`.',
    changes: [
      ['`?token=`', 'the same'],
      ['`Authorization: Basic`, the token as user name', 'the same'],
      ['no `Bearer`', '`Authorization: Bearer`'],
      ['`https://TOKEN@host/webdriver`, `browserless:token`', 'removed with WebDriver'],
      ['one token for an account', 'a list in `TOKEN`, or a file in `TOKEN_FILE`'],
    ],
  },
  'hosted-service/versions': {
    now: { path: '/baas/versions', label: 'Browser Versions' },
    was: 'Tags such as `1-puppeteer-19.2.2` specified the library, and the browser was the one that came with it.',
    changes: [
      ['one image per Puppeteer version', 'any version from the last few years'],
      ['only one version of Playwright', 'several minor versions, chosen by the version that the client sends'],
      ['the Chrome that came with Puppeteer', 'the browser that is installed'],
      ['`/json/version`', 'the same, and `/meta`'],
    ],
  },
  'hosted-service/whitelist': {
    now: { path: '/baas/troubleshooting/whitelisting-ips', label: 'Whitelisting IPs' },
    was: 'A list by region contained every IP address from which a worker could connect.',
    changes: [
      ['a list of IP addresses', 'the address of your server, or of its gateway'],
      ['it changed with the fleet', 'it changes when you move'],
      ['a fixed address for dedicated workers', 'a [proxy](/baas/features/proxies) with a fixed address'],
    ],
  },
  'hosted-service/worker-settings': {
    now: { path: '/enterprise/private-deployment/worker-settings', label: 'Worker Settings' },
    was: 'Sliders and checkboxes set the container’s environment variables, and a button restarted it.',
    changes: [
      ['Max concurrency', '`CONCURRENT`'],
      ['Queue length', '`QUEUED`'],
      ['Session timeout', '`TIMEOUT`, in milliseconds'],
      ['Enable API GET', '`ALLOW_GET`'],
      ['Health check', '`HEALTH`, `MAX_CPU_PERCENT`, `MAX_MEMORY_PERCENT`'],
      ['Keep alive, pre-boot', 'removed: browsers are always warm'],
      ['Restart workers', 'restart the process: running requests can finish first'],
    ],
  },
};
