// Arguments and input fields of BrowserQL, with the tests that verify their effects.
import { type Row, coveredBy } from './row.ts';

/** Arguments shared by several steps, with one test for each step. */
const shared = coveredBy('bql/arguments', {
  '…: timeout limits how long it waits for its element': {
    checkbox: 'checkbox.timeout',
    click: 'click.timeout',
    hover: 'hover.timeout',
    html: 'html.timeout',
    mapSelector: 'mapSelector.timeout',
    querySelector: 'querySelector.timeout',
    querySelectorAll: 'querySelectorAll.timeout',
    screenshot: 'screenshot.timeout',
    scroll: 'scroll.timeout',
    select: 'select.timeout',
    text: 'text.timeout',
    type: 'type.timeout',
    waitForSelector: 'waitForSelector.timeout preferences.timeout',
  },
  '…: visible skips hidden elements': {
    checkbox: 'checkbox.visible',
    click: 'click.visible',
    hover: 'hover.visible',
    html: 'html.visible',
    querySelector: 'querySelector.visible',
    querySelectorAll: 'querySelectorAll.visible',
    scroll: 'scroll.visible',
    select: 'select.visible',
    text: 'text.visible',
    type: 'type.visible',
    waitForSelector: 'waitForSelector.visible',
  },
  '…: with wait false, it does not wait for its element': {
    checkbox: 'checkbox.wait',
    click: 'click.wait',
    hover: 'hover.wait',
    mapSelector: 'mapSelector.wait',
    scroll: 'scroll.wait',
    select: 'select.wait',
    type: 'type.wait',
  },
  '…: scroll false does not scroll the page': {
    checkbox: 'checkbox.scroll',
    click: 'click.scroll',
    hover: 'hover.scroll',
    select: 'select.scroll',
    type: 'type.scroll',
  },
});

const waits = coveredBy('bql/waits', {
  '…: waitUntil sets what to wait for, timeout how long': {
    goto: 'goto.{timeout,waitUntil}',
    back: 'back.{timeout,waitUntil}',
    forward: 'forward.{timeout,waitUntil}',
    reload: 'reload.{timeout,waitUntil}',
    waitForNavigation: 'waitForNavigation.{timeout,waitUntil}',
    switchToWindow: 'switchToWindow.{timeout,waitUntil}',
  },
  'content: waitUntil sets what to wait for': 'content.waitUntil',
  '…: timeout limits the wait': {
    evaluate: 'evaluate.timeout',
    pdf: 'pdf.{timeout,waitForImages}',
    screenshot: 'screenshot.{timeout,waitForImages}',
    request: 'request.timeout',
    response: 'response.timeout',
    waitForRequest: 'waitForRequest.timeout',
    waitForResponse: 'waitForResponse.timeout',
  },
  'waitForImages false does not wait for images; wait false does not wait for requests and responses':
    '{request,response}.wait',
  'nested rows: waits up to timeout, or not at all if wait is false': 'MapSelectorResponse.mapSelector.{timeout,wait}',
  'switchToWindow selects a window by URL or title, or the newest one': 'switchToWindow.{url,title,newest}',
});

const matchers = coveredBy('bql/matchers', {
  '… returns what its arguments match': {
    request: 'request.{method,operator,type,url}',
    response: 'response.{method,operator,status,type,url}',
  },
  'reject blocks what its arguments match until it is disabled': 'reject.{enabled,method,operator,regex,type,url}',
  'proxy fetches what its arguments match': 'proxy.{method,operator,server,type,url}',
  'subscriptions report what their arguments match':
    'Subscription.{request,response}.{method,operator,type,url} Subscription.response.status',
  'if and ifnot evaluate conditions on requests, responses and elements': `{if,ifnot}.{request,response,selector} if.visible
    RequestInput.{method,url} ResponseInput.{statuses,codes,url}`,
  'waitForRequest and waitForResponse wait for what their arguments match':
    'waitForRequest.{method,url} waitForResponse.{codes,statuses,url}',
});

const captures = [
  ...coveredBy('bql/capture-options', {
    'screenshot: fullPage, captureBeyondViewport, fromSurface and omitBackground':
      'screenshot.{fullPage,captureBeyondViewport,fromSurface,omitBackground}',
    'screenshot: type, quality, optimizeForSpeed': 'screenshot.{type,quality,optimizeForSpeed}',
    'screenshot: clip and selector choose a part of the page':
      'screenshot.{clip,selector} ScreenshotClip.{x,y,width,height,scale}',
    'pdf: width, height, format, landscape, preferCSSPageSize': 'pdf.{width,height,format,landscape,preferCSSPageSize}',
    'pdf: margins and scale': 'pdf.{marginLeft,marginTop,marginRight,marginBottom,scale}',
    'pdf: header, footer, pages, outline, tags':
      'pdf.{displayHeaderFooter,headerTemplate,footerTemplate,pageRanges,generateDocumentOutline,generateTaggedPDF}',
    'pdf: printBackground; transferMode does not change the response': 'pdf.{printBackground,transferMode}',
  }),
  ...coveredBy('bql/capture', {
    'scripts and styles are added and awaited': 'addScriptTag.{url,content,type,id} addStyleTag.{url,content}',
  }),
];

const actions = coveredBy('bql/actions', {
  'click scrolls the element into view and dispatches trusted events': 'click.selector',
  'checkbox checks and unchecks; clicking the label works too': 'checkbox.{checked,selector}',
  'hover moves the mouse over an element or to a point': 'hover.{selector,x,y}',
  'scroll scrolls to an element or a position': 'scroll.{selector,x,y}',
  'select chooses one or more options and fires a change event': 'select.{selector,value}',
  'type sends keys character by character with the given delay': 'type.{text,selector,delay}',
  'type checks that its element is not covered unless interactable is false': 'type.interactable',
});

const reading = coveredBy('bql/reading', {
  'html and text read the page or an element': '{html,text}.selector',
  'clean removes what the caller does not need': '{html,text}.clean',
  'each option of clean can be used separately':
    'CleanInput.{removeNonTextNodes,removeAttributes,removeRegex,selectors,attributes,mode,regexes}',
  'querySelector returns the first match, querySelectorAll all of them': '{querySelector,querySelectorAll}.selector',
  'mapSelector returns rows nested as deeply as the document requests':
    'mapSelector.selector MapSelectorResponse.{attribute.name,mapSelector.selector}',
  'evaluate returns values as text': 'evaluate.{content,url}',
});

const others = [
  ...coveredBy('bql/network', {
    'headers and the user agent are sent with every request':
      'setExtraHTTPHeaders.headers HeaderInput.{name,value} userAgent.userAgent',
    'cookies are set and read, including HttpOnly cookies': `cookies.cookies
      CookieInput.{name,value,domain,path,url,expires,httpOnly,secure,sameSite}`,
    'viewport, media type and JavaScript follow the settings in the document':
      'viewport.{width,height,deviceScaleFactor,mobile} emulateMediaType.type javaScriptEnabled.enabled',
  }),
  ...coveredBy('bql/pages', {
    'goto returns the response, and title and url describe the page': 'goto.url',
    'content replaces the document and waits for the given event': 'content.html',
  }),
  ...coveredBy('bql/proxy', {
    'city, country, state and sticky are sent to the provider': 'proxy.{city,country,state,sticky}',
    'sticky is rejected if the provider cannot keep an IP address': 'proxy.sticky',
  }),
  ...coveredBy('bql/selectors', {
    'waitForSelector returns position and size, and with visible waits until the element is visible':
      'waitForSelector.selector',
    'waitForTimeout waits; preferences set the default timeout of later steps':
      'waitForTimeout.time preferences.timeout',
  }),
  ...coveredBy('bql/captcha', {
    'solve: type selects the captcha, timeout limits the wait for it, wait false checks once':
      'solve.{type,timeout,wait}',
    'verify clicks the widget of the vendor given by type; timeout and wait work as in solve':
      'verify.{type,timeout,wait}',
    'solveImageCaptcha reads the image at captchaSelector and types into inputSelector':
      'solveImageCaptcha.{captchaSelector,inputSelector}',
    'solveImageCaptcha: stops polling the solver when its timeout expires': 'solveImageCaptcha.timeout',
  }),
  ...coveredBy('bql/sessions', { 'a browser is closed if nobody reconnects in time': 'reconnect.timeout' }),
  ...coveredBy('profiles/secrets', {
    'the secret is typed into the field, and the site receives it': 'loadSecret.{ref,selector}',
    'reports why a secret is not filled in': 'loadSecret.timeout',
  }),
  ...coveredBy('bql/live-url', {
    'the link works after the document ends; viewers can click and resize, then the size is restored':
      'liveURL.instructions',
    'when the link expires, viewers are notified and the browser is closed; watching does not extend it':
      'liveURL.timeout',
    'each live view of a document has its own options':
      'liveURL.{interactable,quality,resizable,showBrowserInterface,type}',
  }),
];

export const bqlRows: readonly Row[] = [
  ...shared,
  ...waits,
  ...matchers,
  ...captures,
  ...actions,
  ...reading,
  ...others,
];
