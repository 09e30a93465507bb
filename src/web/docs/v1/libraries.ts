/** The clients of version 1. */
import type { OldPage } from './model.ts';

export const libraries: Readonly<Record<string, OldPage>> = {
  'libraries/selenium': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'Version 1 ran ChromeDriver beside the browser and passed WebDriver on under `/webdriver`. A script changed its hub, and nothing else.',
    changes: [
      ['`/webdriver`, `/wd/hub`', 'a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['`driver.get`, `findElement`, `click`', '`page.goto`, `page.locator`, `click` of Playwright'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/selenium-dotnet': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'A `RemoteWebDriver` named the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      [
        '`new RemoteWebDriver(…)`',
        '`playwright.Chromium.ConnectOverCDPAsync("ws://localhost:3000/?token=YOUR_TOKEN")`',
      ],
      ['`/webdriver`, `/wd/hub`', 'a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/selenium-python': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: '`webdriver.Remote` named the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      [
        '`webdriver.Remote(command_executor=…)`',
        '`playwright.chromium.connect_over_cdp("ws://localhost:3000/?token=YOUR_TOKEN")`',
      ],
      ['`/webdriver`, `/wd/hub`', 'a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/java': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'A `RemoteWebDriver` named the server as its hub, with the token as a capability of `ChromeOptions`.',
    changes: [
      ['`new RemoteWebDriver(…)`', '`playwright.chromium().connectOverCDP("ws://localhost:3000/?token=YOUR_TOKEN")`'],
      ['`/webdriver`, `/wd/hub`', 'a 404'],
      ['capability `browserless:token`', '`?token=`, or `Authorization`'],
      ['capability `goog:chromeOptions`', '[`launch`](/baas/launch-options)'],
      ['one screenshot or PDF', '[REST](/rest-apis/intro), without a library'],
    ],
  },
  'libraries/capybara': {
    now: { path: '/baas/advanced-configurations/connection-url-patterns', label: 'Connection URL Patterns' },
    was: 'A Selenium driver of Capybara named the server as its remote browser, with the token as a capability.',
    changes: [
      ['`Capybara::Selenium::Driver` with `browser: :remote`', '`Capybara::Cuprite::Driver` with `ws_url`'],
      ['capability `browserless:token`', '`?token=` in `ws_url`'],
      ['`/webdriver`', 'a 404'],
      ['`Capybara.app_host`', 'the same: an address that the server reaches'],
    ],
  },
  'libraries/go-cdp': {
    now: { path: '/baas/libraries/chromedp', label: 'Go (chromedp)' },
    was: 'The allocator took the address of the service with the token in its query.',
    changes: [
      ['`chromedp.NewRemoteAllocator`', 'the same, with `chromedp.NoModifyURL`'],
      ['`?token=`', 'the same'],
      ['flags in the address', 'the same, or [`launch`](/baas/launch-options)'],
    ],
  },
  'libraries/php': {
    now: { path: '/baas/libraries/php', label: 'PHP' },
    was: 'PHP had no client for browsers, so scripts called `/pdf`, `/screenshot` and `/content`.',
    changes: [
      ['`curl_setopt` with JSON', 'the same'],
      ['`?token=`', 'the same'],
      ['an empty list where an object belongs', 'taken as an empty object'],
      ['`waitFor` and other old fields', 'see [/pdf](/baas/v1/apis/pdf), [/content](/baas/v1/apis/content)'],
    ],
  },
  'libraries/playwright': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'The client’s version had to be that of the image, and only Chromium was there.',
    changes: [
      ['`chromium.connect(".../playwright")`', '`chromium.connect("…/chromium/playwright")`'],
      ['`chromium.connectOverCDP("…/")`', 'the same'],
      ['the one version of the image', 'several minors: [Browser Versions](/baas/versions)'],
      ['Chromium', 'Firefox and WebKit too, where they are installed'],
    ],
  },
  'libraries/playwright-python': {
    now: { path: '/baas/connect-playwright', label: 'Connecting Playwright' },
    was: 'Scripts connected over CDP, because the Playwright protocol needed the very version of the image.',
    changes: [
      ['`connect_over_cdp`', 'the same'],
      ['`browser.new_context()`', 'the same; `browser.contexts[0]` is there already'],
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
        'named in `X-Ignored-Parameters`: [`Browserless.reconnect`](/baas/session-management/standard-sessions)',
      ],
      ['the Puppeteer of the image', 'any of the last years'],
    ],
  },
  'libraries/pyppeteer': {
    now: { path: '/baas/libraries/pyppeteer', label: 'Pyppeteer' },
    was: 'Pyppeteer was the Python port of Puppeteer, and Python’s way to version 1.',
    changes: [
      ['`connect(browserWSEndpoint=…)`', 'the same'],
      ['`launch(executablePath=…)`', '`connect`: the browser runs on the server'],
      ['newer parts of CDP', '[Playwright for Python](/baas/v1/libraries/playwright-python)'],
    ],
  },
  'libraries/scrapy': {
    now: { path: '/baas/libraries/scrapy', label: 'Scrapy' },
    was: 'Spiders sent their requests to `/content` in place of the site.',
    changes: [
      ['`/content`', 'the same'],
      ['`waitFor`', '`waitForSelector`, `waitForTimeout` or `waitForFunction`'],
      ['the status of the site', 'the header `X-Response-Code`'],
    ],
  },
};
