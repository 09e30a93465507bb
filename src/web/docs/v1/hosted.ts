/** The hosted service of version 1. */
import type { OldPage } from './model.ts';

export const hosted: Readonly<Record<string, OldPage>> = {
  'hosted-service/best-practices': {
    now: { path: '/baas/troubleshooting/best-practices', label: 'Best Practices' },
    was: 'A session that nobody closed filled a slot until its limit. The page told to close in `finally`, to work inside of the page, and to ask for the pressure first.',
    changes: [
      ['`browser.close()` in `finally`', 'the same'],
      ['one `page.evaluate` in place of many calls', 'the same'],
      ['ask `/pressure`, then connect', 'connect: the call waits, or gets a 429'],
      ['`keepalive` to keep a browser', '[`Browserless.reconnect`](/baas/session-management/standard-sessions)'],
      ['block images to save traffic', 'the same: `rejectResourceTypes`, `blockAds`'],
    ],
  },
  'hosted-service/graphql-api': {
    now: { path: '/enterprise/private-deployment/graphql-api', label: 'GraphQL API' },
    was: 'One address collected the figures of all workers of an account, with the account’s plan beside them.',
    changes: [
      ['`POST /graphql?token=…`', 'the same'],
      ['`pressure`', 'the same, as one object'],
      ['`metrics`', 'the same, and `metricsTotal`; for the operator'],
      ['`sessions`', 'the same'],
      ['`workspace`', '[`/session-files/{id}`](/baas/features/files)'],
      ['`account`', 'the same name: plan, limits and units of the [token](/enterprise/tokens-and-plans)'],
      ['all workers at once', 'each server for itself: collect with [Prometheus](/enterprise/traces-and-metrics)'],
    ],
  },
  'hosted-service/how-it-works': {
    now: { path: '/baas/advanced-configurations/connection-url-patterns', label: 'Connection URL Patterns' },
    was: 'A proxy in front of the workers read the token, chose a worker and passed the connection on. The browser ended when the connection did.',
    changes: [
      ['a WebSocket endpoint', 'the same'],
      ['host and port, for WebDriver', 'gone: [Selenium](/baas/v1/libraries/selenium)'],
      [
        'a browser for each connection',
        'a [virtual browser](/baas/session-management/virtual-browsers) of a running one; `isolation=process` gives a process',
      ],
      [
        'the browser ends with its connection',
        'the same, unless it is [kept](/baas/session-management/standard-sessions)',
      ],
    ],
  },
  'hosted-service/load-balancers': {
    now: { path: '/baas/features/load-balancers', label: 'Load Balancers' },
    was: 'A client named the host nearest to it. The balancer asked workers for their pressure and sent the connection to the freest.',
    changes: [
      ['a host for each region', 'your own servers, where you need them'],
      ['the freest worker', '`least_conn` in [nginx](/enterprise/nginx-docker)'],
      ['429 of a full worker', 'the same, with `Retry-After`; the balancer tries the next server'],
    ],
  },
  'hosted-service/proxying': {
    now: { path: '/baas/features/proxies', label: 'Proxies' },
    was: 'The flag named the proxy, and `page.authenticate` in the script logged in to it, for each page anew.',
    changes: [
      ['`&--proxy-server=host:port`', 'the same'],
      ['`page.authenticate` for the proxy', 'user name and password in `externalProxyServer`'],
      ['no pool of addresses', '`proxy=residential`, when the operator has set one up'],
      [
        'one proxy for the browser',
        'one for a context, or for single requests in [BrowserQL](/browserql/bot-detection/proxies)',
      ],
    ],
  },
  'hosted-service/terminology': {
    now: { path: '/enterprise/terminology', label: 'Terminology' },
    was: 'The hosted service rented workers: machines that ran the container, with a number of sessions at a time.',
    changes: [
      ['worker', 'server, one process'],
      ['session', 'the same'],
      ['concurrency', '`CONCURRENT`'],
      ['queue', '`QUEUED`'],
      ['pressure', 'the same: `/pressure`'],
      ['unit', 'a figure of [/metrics](/enterprise/utility-functions/metrics), which nobody bills'],
    ],
  },
  'hosted-service/token': {
    now: { path: '/rest-apis/intro', label: 'REST APIs' },
    was: 'The token of an account was in the query for Puppeteer and REST. WebDriver clients, which drop the query, put it into the host part or into the capability `browserless:token`.',
    changes: [
      ['`?token=`', 'the same'],
      ['`Authorization: Basic`, the token as user name', 'the same'],
      ['no `Bearer`', '`Authorization: Bearer`'],
      ['`https://TOKEN@host/webdriver`, `browserless:token`', 'gone with WebDriver'],
      ['one token for an account', 'a list in `TOKEN`, or a file in `TOKEN_FILE`'],
    ],
  },
  'hosted-service/versions': {
    now: { path: '/baas/versions', label: 'Browser Versions' },
    was: 'Tags such as `1-puppeteer-19.2.2` named the library, and the browser was the one that came with it.',
    changes: [
      ['an image for a version of Puppeteer', 'any version of the last years'],
      ['Playwright of the one version', 'several minors, chosen by what the client names'],
      ['Chrome of that Puppeteer', 'the browser that is installed'],
      ['`/json/version`', 'the same, and `/meta`'],
    ],
  },
  'hosted-service/whitelist': {
    now: { path: '/baas/troubleshooting/whitelisting-ips', label: 'Whitelisting IPs' },
    was: 'A list by region named every address from which a worker could call.',
    changes: [
      ['a list of addresses', 'the address of your server, or of its gateway'],
      ['it changed with the fleet', 'it changes when you move'],
      ['a fixed address for dedicated workers', 'a [proxy](/baas/features/proxies) with a fixed address'],
    ],
  },
  'hosted-service/worker-settings': {
    now: { path: '/enterprise/private-deployment/worker-settings', label: 'Worker Settings' },
    was: 'Sliders and checkboxes wrote the environment of the container, and a button started it again.',
    changes: [
      ['Max concurrency', '`CONCURRENT`'],
      ['Queue length', '`QUEUED`'],
      ['Session timeout', '`TIMEOUT`, in milliseconds'],
      ['Enable API GET', '`ALLOW_GET`'],
      ['Health check', '`HEALTH`, `MAX_CPU_PERCENT`, `MAX_MEMORY_PERCENT`'],
      ['Keep alive, pre-boot', 'gone: browsers are always warm'],
      ['Restart workers', 'restart the process: calls that run may end first'],
    ],
  },
};
