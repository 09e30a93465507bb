/** The clients of version 1. */
import type { OldPage } from './model.ts';

export const libraries: Readonly<Record<string, OldPage>> = {
  'libraries/selenium': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'Version 1 ran ChromeDriver next to the browser and forwarded WebDriver at `/webdriver`. A script only had to change its hub URL.',
    changes: [
      ['`/webdriver`, `/wd/hub`', 'returns a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['`driver.get`, `findElement`, `click`', '`page.goto`, `page.locator`, `click` of Playwright'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/selenium-dotnet': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'A `RemoteWebDriver` used the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      [
        '`new RemoteWebDriver(…)`',
        '`playwright.Chromium.ConnectOverCDPAsync("ws://localhost:3000/?token=YOUR_TOKEN")`',
      ],
      ['`/webdriver`, `/wd/hub`', 'returns a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/selenium-python': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: '`webdriver.Remote` used the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      [
        '`webdriver.Remote(command_executor=…)`',
        '`playwright.chromium.connect_over_cdp("ws://localhost:3000/?token=YOUR_TOKEN")`',
      ],
      ['`/webdriver`, `/wd/hub`', 'returns a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/java': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'A `RemoteWebDriver` used the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      ['`new RemoteWebDriver(…)`', '`playwright.chromium().connectOverCDP("ws://localhost:3000/?token=YOUR_TOKEN")`'],
      ['`/webdriver`, `/wd/hub`', 'returns a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/capybara': {
    now: { path: '/baas/advanced-configurations/connection-url-patterns', label: 'Connection URL Patterns' },
    was: 'Capybara’s Selenium driver used the server as its remote browser, with the token as a capability.',
    changes: [
      ['`Capybara::Selenium::Driver` with `browser: :remote`', '`Capybara::Cuprite::Driver` with `ws_url`'],
      ['capability `browserless:token`', '`?token=` in `ws_url`'],
      ['`/webdriver`', 'returns a 404'],
      ['`Capybara.app_host`', 'the same: a URL that the server can reach'],
    ],
  },
  'libraries/go-cdp': {
    now: { path: '/baas/libraries/chromedp', label: 'Go (chromedp)' },
    was: 'The allocator accepted the URL of the service with the token in its query.',
    changes: [
      ['`chromedp.NewRemoteAllocator`', 'the same, with `chromedp.NoModifyURL`'],
      ['`?token=`', 'the same'],
      ['flags in the URL', 'the same, or [`launch`](/baas/launch-options)'],
    ],
  },
  'libraries/php': {
    now: { path: '/baas/libraries/php', label: 'PHP' },
    was: 'PHP had no client for browsers, so scripts called `/pdf`, `/screenshot` and `/content`.',
    changes: [
      ['`curl_setopt` with JSON', 'the same'],
      ['`?token=`', 'the same'],
      ['an empty list where an object belongs', 'accepted as an empty object'],
      ['`waitFor` and other old fields', 'see [/pdf](/baas/v1/apis/pdf), [/content](/baas/v1/apis/content)'],
    ],
  },
  'libraries/playwright': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'The client’s version had to match the image, and only Chromium was available.',
    changes: [
      ['`chromium.connect(".../playwright")`', '`chromium.connect("…/chromium/playwright")`'],
      ['`chromium.connectOverCDP("…/")`', 'the same'],
      ['the single version of the image', 'several minor versions: [Browser Versions](/baas/versions)'],
      ['Chromium', 'Firefox and WebKit too, where they are installed'],
    ],
  },
  'libraries/playwright-python': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'Scripts connected over CDP, because the Playwright protocol required the exact version of the image.',
    changes: [
      ['`connect_over_cdp`', 'the same'],
      ['`browser.new_context()`', 'the same; `browser.contexts[0]` already exists'],
      ['`connect` to `/playwright`', '`connect` to `/chromium/playwright`'],
    ],
  },
  'libraries/puppeteer': {
    now: { path: '/baas/connect-puppeteer', label: 'Connecting Puppeteer' },
    was: 'Puppeteer was the first client of version 1: `launch` became `connect`, and nothing else changed.',
    changes: [
      ['`browserWSEndpoint`', 'the same'],
      ['`&--flag=value`', 'the same, or [`launch`](/baas/launch-options)'],
      ['`&stealth`', 'the same, or the path `/stealth`'],
      ['`&blockAds`', 'the same'],
      [
        '`&keepalive=`',
        'ignored, and listed in `X-Ignored-Parameters`: use [`Browserless.reconnect`](/baas/session-management/standard-sessions)',
      ],
      ['the Puppeteer of the image', 'any version from the last few years'],
    ],
  },
  'libraries/pyppeteer': {
    now: { path: '/baas/libraries/pyppeteer', label: 'Pyppeteer' },
    was: 'Pyppeteer was the Python port of Puppeteer, and the way to use version 1 from Python.',
    changes: [
      ['`connect(browserWSEndpoint=…)`', 'the same'],
      ['`launch(executablePath=…)`', '`connect`: the browser runs on the server'],
      ['newer parts of CDP', '[Playwright for Python](/baas/v1/libraries/playwright-python)'],
    ],
  },
  'libraries/scrapy': {
    now: { path: '/baas/libraries/scrapy', label: 'Scrapy' },
    was: 'Spiders sent their requests to `/content` instead of to the site.',
    changes: [
      ['`/content`', 'the same'],
      ['`waitFor`', '`waitForSelector`, `waitForTimeout` or `waitForFunction`'],
      ['the status of the site', 'the `X-Response-Code` header'],
    ],
  },
};
