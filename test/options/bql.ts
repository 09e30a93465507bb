// Arguments and input fields of BrowserQL, with the tests that observe their effects.
import { type Row, seenBy } from './row.ts';

/** Arguments shared by several steps, with one test for each step. */
const shared = seenBy('bql/arguments', {
  '…: timeout ends the wait for its element': {
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
  '…: visible takes an element that can be seen': {
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
  '…: wait false decides at once': {
    checkbox: 'checkbox.wait',
    click: 'click.wait',
    hover: 'hover.wait',
    mapSelector: 'mapSelector.wait',
    scroll: 'scroll.wait',
    select: 'select.wait',
    type: 'type.wait',
  },
  '…: scroll false leaves the page where it is': {
    checkbox: 'checkbox.scroll',
    click: 'click.scroll',
    hover: 'hover.scroll',
    select: 'select.scroll',
    type: 'type.scroll',
  },
});

const waits = seenBy('bql/waits', {
  '…: waitUntil tells what to wait for, timeout how long': {
    goto: 'goto.{timeout,waitUntil}',
    back: 'back.{timeout,waitUntil}',
    forward: 'forward.{timeout,waitUntil}',
    reload: 'reload.{timeout,waitUntil}',
    waitForNavigation: 'waitForNavigation.{timeout,waitUntil}',
    switchToWindow: 'switchToWindow.{timeout,waitUntil}',
  },
  'content: waitUntil tells what to wait for': 'content.waitUntil',
  '…: timeout ends its wait': {
    evaluate: 'evaluate.timeout',
    pdf: 'pdf.{timeout,waitForImages}',
    screenshot: 'screenshot.{timeout,waitForImages}',
    request: 'request.timeout',
    response: 'response.timeout',
    waitForRequest: 'waitForRequest.timeout',
    waitForResponse: 'waitForResponse.timeout',
  },
  'without waitForImages nothing waits for images; without wait nothing for requests and responses':
    '{request,response}.wait',
  'rows inside of rows: timeout waits for them, wait false does not': 'MapSelectorResponse.mapSelector.{timeout,wait}',
  'switchToWindow takes the window of this address, of this title, or the newest': 'switchToWindow.{url,title,newest}',
});

const matchers = seenBy('bql/matchers', {
  '… tells of what its arguments match': {
    request: 'request.{method,operator,type,url}',
    response: 'response.{method,operator,status,type,url}',
  },
  'reject refuses what its arguments match, until it is disabled': 'reject.{enabled,method,operator,regex,type,url}',
  'proxy fetches what its arguments match': 'proxy.{method,operator,server,type,url}',
  'subscriptions tell of what their arguments match':
    'Subscription.{request,response}.{method,operator,type,url} Subscription.response.status',
  'if and ifnot hold for requests, responses and elements': `{if,ifnot}.{request,response,selector} if.visible
    RequestInput.{method,url} ResponseInput.{statuses,codes,url}`,
  'waitForRequest and waitForResponse wait for what their arguments match':
    'waitForRequest.{method,url} waitForResponse.{codes,statuses,url}',
});

const captures = [
  ...seenBy('bql/capture-options', {
    'screenshot: fullPage, captureBeyondViewport, fromSurface and omitBackground':
      'screenshot.{fullPage,captureBeyondViewport,fromSurface,omitBackground}',
    'screenshot: type, quality, optimizeForSpeed': 'screenshot.{type,quality,optimizeForSpeed}',
    'screenshot: clip and selector choose a part of the page':
      'screenshot.{clip,selector} ScreenshotClip.{x,y,width,height,scale}',
    'pdf: width, height, format, landscape, preferCSSPageSize': 'pdf.{width,height,format,landscape,preferCSSPageSize}',
    'pdf: margins and scale': 'pdf.{marginLeft,marginTop,marginRight,marginBottom,scale}',
    'pdf: header, footer, pages, outline, tags':
      'pdf.{displayHeaderFooter,headerTemplate,footerTemplate,pageRanges,generateDocumentOutline,generateTaggedPDF}',
    'pdf: printBackground, and transferMode, with which the answer is the same': 'pdf.{printBackground,transferMode}',
  }),
  ...seenBy('bql/capture', {
    'scripts and styles are added and awaited': 'addScriptTag.{url,content,type,id} addStyleTag.{url,content}',
  }),
];

const actions = seenBy('bql/actions', {
  'click brings into view and presses with events that the page trusts': 'click.selector',
  'checkbox sets and clears, by the label too': 'checkbox.{checked,selector}',
  'hover moves the mouse over an element or to a point': 'hover.{selector,x,y}',
  'scroll goes to an element or a place': 'scroll.{selector,x,y}',
  'select chooses one or several options and tells the page': 'select.{selector,value}',
  'type sends keys character by character, at its own pace': 'type.{text,selector,delay}',
  'type checks that it reaches its element, unless told not to': 'type.interactable',
});

const reading = seenBy('bql/reading', {
  'html and text read the page or an element, in any state': '{html,text}.selector',
  'clean takes away what nobody reads': '{html,text}.clean',
  'each part of clean can be left out or asked for alone':
    'CleanInput.{removeNonTextNodes,removeAttributes,removeRegex,selectors,attributes,mode,regexes}',
  'querySelector reads the first match, querySelectorAll all of them': '{querySelector,querySelectorAll}.selector',
  'mapSelector reads rows as deep as the document asks':
    'mapSelector.selector MapSelectorResponse.{attribute.name,mapSelector.selector}',
  'evaluate gives values as text': 'evaluate.{content,url}',
});

const others = [
  ...seenBy('bql/network', {
    'headers and user agent go with every request':
      'setExtraHTTPHeaders.headers HeaderInput.{name,value} userAgent.userAgent',
    'cookies are set and read, those that scripts cannot see too': `cookies.cookies
      CookieInput.{name,value,domain,path,url,expires,httpOnly,secure,sameSite}`,
    'viewport, media and scripts are as the document sets them':
      'viewport.{width,height,deviceScaleFactor,mobile} emulateMediaType.type javaScriptEnabled.enabled',
  }),
  ...seenBy('bql/pages', {
    'goto answers with the response, title and url with the page': 'goto.url',
    'content replaces the document and waits as asked': 'content.html',
  }),
  ...seenBy('bql/proxy', {
    'city, country, state and sticky are told to the provider': 'proxy.{city,country,state,sticky}',
    'sticky is refused where the provider cannot keep an address': 'proxy.sticky',
  }),
  ...seenBy('bql/selectors', {
    'waitForSelector tells place and size, of what can be seen when asked': 'waitForSelector.selector',
    'waitForTimeout waits, preferences set the limit of later steps': 'waitForTimeout.time preferences.timeout',
  }),
  ...seenBy('bql/captcha', {
    'solve: its type chooses, its timeout is how long it may take to appear, wait false looks once':
      'solve.{type,timeout,wait}',
    'verify clicks the widget of the vendor that its type names; timeout and wait as for solve':
      'verify.{type,timeout,wait}',
    'solveImageCaptcha reads the picture of captchaSelector and types into inputSelector':
      'solveImageCaptcha.{captchaSelector,inputSelector}',
    'solveImageCaptcha: its timeout ends it, and the solver is asked no more': 'solveImageCaptcha.timeout',
  }),
  ...seenBy('bql/sessions', { 'a browser that nobody comes back to is gone in time': 'reconnect.timeout' }),
  ...seenBy('profiles/secrets', {
    'it is in the field, and the site gets it': 'loadSecret.{ref,selector}',
    'why it is not filled in': 'loadSecret.timeout',
  }),
  ...seenBy('bql/live-url', {
    'the document ends, its link works: a person acts and resizes, the size of the document comes back':
      'liveURL.instructions',
    'after its time viewers are told, the link is dead and the browser gone; watching does not prolong it':
      'liveURL.timeout',
    'several live views of one document each have their own options':
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
