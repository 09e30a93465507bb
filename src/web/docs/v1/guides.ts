/** The start page, the options and the recipes of version 1. */
import type { OldPage } from './model.ts';

export const guides: Readonly<Record<string, OldPage>> = {
  start: {
    now: { path: '/baas/start', label: 'Browsers as a Service' },
    was: 'Browserless 1 was a container, `browserless/chrome`, and a hosted service that ran it. A Puppeteer script swapped `launch` for `connect`, a Selenium script used the server as its hub, and everyone else sent JSON to routes such as `/pdf`.',
    changes: [
      ['`puppeteer.connect`', 'the same: [Puppeteer](/baas/v1/libraries/puppeteer)'],
      ['`/webdriver`, Selenium', 'removed: [Selenium](/baas/v1/libraries/selenium) shows the closest replacement'],
      [
        '`/content`, `/pdf`, `/screenshot`, `/scrape`, `/function`, `/download`',
        'the same paths: [API Index](/baas/v1/apis/overview)',
      ],
      ['`/stats`', '[`/performance`](/rest-apis/performance)'],
      ['`/screencast`', '[screencasting](/baas/interactive-browser-sessions/screencasting) on a socket'],
      ['`/workspace`', '[files of a session](/baas/features/files)'],
      ['`browserless/chrome`', '[an image](/enterprise/docker/quickstart) that you build, or `npm start`'],
    ],
  },
  'options/api-get': {
    now: { path: '/enterprise/docker/config', label: 'Configuration' },
    was: 'Caches and image tags can only send GET. The body went into the query, as text or as base64.',
    changes: [
      ['`ENABLE_API_GET=true`', 'works; new name `ALLOW_GET`'],
      ['`?body=` with JSON', 'the same'],
      ['`?body=` with base64', 'the same'],
      ['`/content`, `/pdf`, `/screenshot`, `/scrape`', 'the same'],
      ['`/stats`', '`/performance`'],
    ],
  },
  'options/chrome-flags': {
    now: { path: '/baas/launch-options', label: 'Launch Options' },
    was: 'Every parameter that started with `--` was passed to the browser, and a few other names were options of the service.',
    changes: [
      ['`&--flag=value`', 'the same; harmful and unknown flags are a [400](/rest-apis/launch-parameters#use-switches)'],
      ['`&headless=false`', 'the same, where the server has a display'],
      ['`&stealth`', 'the same'],
      ['`&blockAds`', 'the same'],
      ['`&ignoreHTTPSErrors`', 'works; new name `acceptInsecureCerts`'],
      ['`&ignoreDefaultArgs`', 'the same'],
      ['`&slowMo=`', 'the same on sockets'],
      ['`&trackingId=`', 'the same'],
      ['`&timeout=`', 'the same'],
      [
        '`&--user-data-dir=/any/path`',
        'a [profile](/enterprise/user-data-directory) under `DATA_DIR`; other paths return a 400',
      ],
      ['`&keepalive=`', 'no effect; listed in `X-Ignored-Parameters`'],
    ],
  },
  'recipes/bot-detection': {
    now: { path: '/baas/bot-detection/overview', label: 'Bot Detection' },
    was: 'The flag loaded a Puppeteer plugin that overwrote page properties, which sites learned to detect.',
    changes: [
      ['`&stealth`', 'works; the path `/stealth` is the newer option'],
      ['`page.setUserAgent`', 'leave it out: the stealth browser has a matching user agent'],
      ['`&headless=false`', '`/stealth` has a window where the server has a display'],
      ['`--proxy-server`', '[`externalProxyServer`](/baas/features/proxies)'],
      ['pauses in the script', '`humanlike=true` in [BrowserQL](/browserql/bot-detection/overview)'],
    ],
  },
  'recipes/downloading-files': {
    now: { path: '/baas/recipes/downloading-files', label: 'Downloading Files' },
    was: 'A script set the download directory over CDP, clicked, waited, and requested the file from `/workspace`.',
    changes: [
      [
        '`Page.setDownloadBehavior` with a path',
        '`Browserless.setDownloadEnabled`: the server chooses the [path](/baas/features/files)',
      ],
      ['a pause until the file is complete', 'the `Browserless.fileDownloaded` event'],
      ['`GET /workspace/{file}`', 'the `url` of that event'],
    ],
  },
  'recipes/setting-a-user-agent': {
    now: { path: '/baas/features/user-agent-control', label: 'User Agent Control' },
    was: 'The flag applied to the whole browser, the method call to one page, and the field to one request.',
    changes: [
      ['`page.setUserAgent("…")`', 'the same; newer Puppeteer takes an object'],
      ['`&--user-agent=…`', 'the same'],
      ['`userAgent` as text', 'the same, or an object with client hints'],
      ['only the `User-Agent` header', 'client hints have to match it'],
    ],
  },
  'recipes/using-a-proxy': {
    now: { path: '/baas/features/proxies', label: 'Proxies' },
    was: 'The browser could not log in to a proxy on its own, so each page had to.',
    changes: [
      ['`&--proxy-server=http://host:port`', 'the same'],
      [
        '`page.authenticate({ username, password })`',
        'not needed: the credentials are in the proxy URL, and are never logged',
      ],
      ['`socks5://`', 'the same, with a password too'],
    ],
  },
  'recipes/watch-sessions': {
    now: { path: '/enterprise/watching-sessions', label: 'Watching Sessions' },
    was: 'The link opened DevTools on the page. A pause in the script gave time to look.',
    changes: [
      ['the list on the start page', '`/dashboard`'],
      ['DevTools on a page', 'the same: `devtoolsFrontendUrl`'],
      ['watching only', 'taking over too: [Hybrid Automation](/baas/interactive-browser-sessions/hybrid-automation)'],
      [
        'a pause in the script',
        'a [recording](/baas/interactive-browser-sessions/screencasting) or a [replay](/baas/interactive-browser-sessions/session-replay), to look later',
      ],
    ],
  },
};
