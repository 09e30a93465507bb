// The body fields specific to each REST route; the fields that page routes share are in page-fields.ts.
import { pageFieldRows } from './page-fields.ts';
import { type Row, coveredBy } from './row.ts';

const pdfRows: readonly Row[] = [
  ...coveredBy('page/consent', { 'works with HTML in the request': 'pdf:blockConsentModals' }),
  ...coveredBy('fields/pdf', {
    scale: 'pdf:options.scale',
    'displayHeaderFooter, headerTemplate, footerTemplate':
      'pdf:options.{displayHeaderFooter,headerTemplate,footerTemplate}',
    printBackground: 'pdf:options.printBackground',
    'landscape rotates the paper': 'pdf:options.landscape',
    'pageRanges "…"': { '1, 3-4': 'pdf:options.pageRanges' },
    'format …': { LEGAL: 'pdf:options.format' },
    'width alone and height alone': 'pdf:options.{width,height}',
    'width and height …': { '12.7cm': 'pdf:options.{width,height}' },
    preferCSSPageSize: 'pdf:options.preferCSSPageSize',
    'margin moves the content': 'pdf:options.margin.{left,top}',
    'margin right and bottom leave less room': 'pdf:options.margin.{right,bottom}',
    'omitBackground omits what the browser paints behind the page': 'pdf:options.omitBackground',
    tagged: 'pdf:options.tagged',
    outline: 'pdf:options.outline',
    timeout: 'pdf:options.timeout',
    waitForFonts: 'pdf:options.waitForFonts',
    'fullPage produces one page as tall as the document': 'pdf:options.fullPage',
  }),
];

const screenshotRows: readonly Row[] = [
  ...coveredBy('page/consent', {
    'without it, the dialog is shown': 'screenshot:blockConsentModals',
    'screenshot: … is declined': { onetrust: 'screenshot:blockConsentModals' },
  }),
  ...coveredBy('fields/screenshot', {
    'type jpeg': 'screenshot:options.type',
    'type webp': 'screenshot:options.type',
    'quality of …': { jpeg: 'screenshot:options.quality', webp: 'screenshot:options.quality' },
    'fromSurface: false captures the whole window, in CSS pixels': 'screenshot:options.fromSurface',
    fullPage: 'screenshot:options.fullPage',
    omitBackground: 'screenshot:options.omitBackground',
    clip: 'screenshot:options.clip.{x,y,width,height}',
    'clip.scale': 'screenshot:options.clip.scale',
    'encoding base64 returns the same image as text': 'screenshot:options.encoding',
    captureBeyondViewport: 'screenshot:options.captureBeyondViewport',
    'captureBeyondViewport: without it, fullPage lays out the page for a window of that size':
      'screenshot:options.captureBeyondViewport',
    'optimizeForSpeed makes a larger file': 'screenshot:options.optimizeForSpeed',
    'selector captures the element': 'screenshot:selector',
  }),
  ...coveredBy('contract/screenshot', { '…: rejects options.path': 'screenshot:options.path' }),
];

const scrapeRows: readonly Row[] = coveredBy('fields/scrape', {
  'returns every matching element, with attributes, markup and text': 'scrape:elements[].selector',
  'elements are waited for, each with its own timeout': 'scrape:elements[].timeout',
  'debugOpts {} has console and network and nothing else': 'scrape:debugOpts.{console,cookies,html,network,screenshot}',
  'debugOpts.console': 'scrape:debugOpts.console',
  'debugOpts.cookies': 'scrape:debugOpts.cookies',
  'debugOpts.html': 'scrape:debugOpts.html',
  'debugOpts.network': 'scrape:debugOpts.network',
  'debugOpts.screenshot is a full-page JPEG': 'scrape:debugOpts.screenshot',
});

const performanceRows: readonly Row[] = [
  ...coveredBy('contract/performance', {
    'returns a report of one audit, with settings and budgets; a second request beyond the queue is rejected':
      'performance:config.audits[] performance:budgets[].path',
    'rejects invalid bodies and access to server files': 'performance:config.{extends,plugins,artifacts}',
  }),
  ...coveredBy('contract/performance-budgets', {
    'reports pages over and within each kind of budget in Lighthouse tables': `
      performance:budgets[].{resourceSizes,resourceCounts}[].{resourceType,budget}
      performance:budgets[].timings[].{metric,budget,tolerance}`,
    'works with categories, and a budget audit can be skipped': 'performance:budgets[].options.firstPartyHostnames[]',
    'in a full report, both belong to the performance category, and hosts can be first parties': `
      performance:config.settings.budgets[].{path,options.firstPartyHostnames[]}
      performance:config.settings.budgets[].{resourceSizes,resourceCounts}[].{resourceType,budget}
      performance:config.settings.budgets[].timings[].{metric,budget,tolerance}`,
  }),
];

export const restRows: readonly Row[] = [
  ...pageFieldRows,
  ...pdfRows,
  ...screenshotRows,
  ...scrapeRows,
  ...coveredBy('fields/markdown', {
    'selector: all matching elements, each once': 'markdown:selector',
    'onlyMainContent: the article with its title, without the content around it': 'markdown:onlyMainContent',
    'links: referenced, none': 'markdown:links',
  }),
  ...coveredBy('contract/export', {
    'supports waits, headers, and other fields of the page routes': 'export:headers',
    "blockConsentModals rejects the page's consent dialog": 'export:blockConsentModals',
    'the zip is named after the site': 'export:includeResources',
  }),
  ...performanceRows,
  ...coveredBy('contract/function', {
    '…/function: {data, type} is returned whole for both kinds of body': { '/chromium': 'function:code' },
    'context arrives unchanged, and defaults to {}': 'function:context',
  }),
  ...coveredBy('contract/unblock', {
    'cookies, content, and screenshot are null if set to false': 'unblock:{url,cookies,content,screenshot}',
    'browserWSEndpoint: a client finds the page until ttl expires': 'unblock:{browserWSEndpoint,ttl}',
    'waitForSelector: present, visible, hidden': 'unblock:waitForSelector.{selector,hidden,visible,timeout}',
    'waitForFunction, waitForTimeout, waitForEvent, and bestAttempt': `
      unblock:waitForFunction.{fn,polling,timeout} unblock:waitForEvent.{event,timeout}
      unblock:{waitForTimeout,bestAttempt}`,
    'gotoOptions: a navigation that times out is reported with its limit':
      'unblock:gotoOptions.{timeout,waitUntil,waitUntil[],referer,referrerPolicy}',
    'authenticate and ignoreHTTPSErrors': 'unblock:authenticate.{username,password} unblock:ignoreHTTPSErrors',
  }),
];
