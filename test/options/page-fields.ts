// The fields that all page routes share, tested through one of them: what loads, when it is ready, what is set up
// before.
import { type Row, coveredBy } from './row.ts';

export const pageFieldRows: readonly Row[] = [
  ...coveredBy('contract/content', {
    'url takes precedence over html': 'page:{url,html}',
  }),
  ...coveredBy('fields/load', {
    'html: the whole document and its doctype are kept': 'page:html',
    'gotoOptions.referer': 'page:gotoOptions.referer',
    'gotoOptions.referrerPolicy': 'page:gotoOptions.referrerPolicy',
    'gotoOptions.timeout': 'page:gotoOptions.timeout',
    'gotoOptions.waitUntil load waits for images, domcontentloaded does not': 'page:gotoOptions.waitUntil{,[]}',
    'gotoOptions.waitUntil networkidle0 and networkidle2 wait for requests from scripts':
      'page:gotoOptions.waitUntil{,[]}',
    waitForTimeout: 'page:waitForTimeout',
    'waitForFunction.fn: …': { 'an arrow function': 'page:waitForFunction.fn' },
    'waitForFunction.polling sets how often the function is called': 'page:waitForFunction.polling',
    'waitForFunction.timeout': 'page:waitForFunction.timeout',
    'waitForSelector: present, visible, hidden': 'page:waitForSelector.{selector,visible,hidden}',
    'waitForSelector.timeout': 'page:waitForSelector.timeout',
    'waitForEvent on …': { document: 'page:waitForEvent.event' },
    'waitForEvent.timeout': 'page:waitForEvent.timeout',
    'bestAttempt continues after …': { 'a refused connection': 'page:bestAttempt' },
  }),
  ...coveredBy('fields/page', {
    'addScriptTag.content runs and stays in the page': 'page:addScriptTag[].content',
    'addScriptTag.url is loaded before the response': 'page:addScriptTag[].url',
    'addScriptTag.type creates a module, addScriptTag.id sets the id of the tag': 'page:addScriptTag[].{type,id}',
    'addStyleTag.content and addStyleTag.url style the page': 'page:addStyleTag[].{content,url}',
    '….path is rejected': {
      addScriptTag: 'page:addScriptTag[].path',
      addStyleTag: 'page:addStyleTag[].path',
    },
    'authenticate sends credentials to the site': 'page:authenticate.{username,password}',
    'cookies reach the site and its scripts; without url and domain, they belong to the page':
      'page:cookies[].{name,value,url,domain,path}',
    'cookies: httpOnly and expires': 'page:cookies[].{httpOnly,expires}',
    'cookies: every attribute is stored as given':
      'page:cookies[].{path,secure,sameSite,priority,sourceScheme,sourcePort}',
    'cookies: those from another partition do not reach the page':
      'page:cookies[].partitionKey{,.sourceOrigin,.hasCrossSiteAncestor}',
    emulateMediaType: 'page:emulateMediaType',
    'setExtraHTTPHeaders are sent with every request of the page': 'page:setExtraHTTPHeaders',
    setJavaScriptEnabled: 'page:setJavaScriptEnabled',
    'userAgent as …': { text: 'page:userAgent', object: 'page:userAgent.userAgent' },
    'userAgent with platform and metadata': `page:userAgent.platform
      page:userAgent.userAgentMetadata.{brands,fullVersionList}[].{brand,version}
      page:userAgent.userAgentMetadata.{fullVersion,platform,platformVersion,architecture,model,mobile,bitness,wow64}
      page:userAgent.userAgentMetadata.formFactors[]`,
    'viewport: width, height, deviceScaleFactor, hasTouch, isLandscape':
      'page:viewport.{width,height,deviceScaleFactor,hasTouch,isLandscape}',
    'viewport.isMobile respects the viewport meta tag': 'page:viewport.isMobile',
  }),
  ...coveredBy('fields/network', {
    'rejectRequestPattern blocks what matches, and nothing else': 'page:rejectRequestPattern[]',
    'rejectResourceTypes: …': { stylesheet: 'page:rejectResourceTypes[]' },
    'rejectResourceTypes: fetch and xhr are different types': 'page:rejectResourceTypes[]',
    'requestInterceptors: status, headers, contentType and body reach the page':
      'page:requestInterceptors[].{pattern,response.status,response.headers,response.contentType,response.body}',
    'requestInterceptors: headers as a list, and headers with several values':
      'page:requestInterceptors[].response.headers{,[].name,[].value,[].value[]}',
  }),
  ...coveredBy('page/ads', {
    '…: ad requests are blocked, those of the site are not': { 'in the body': 'page:blockAds' },
  }),
  ...coveredBy('fields/screenshot', { 'scrollPage loads what comes into view': 'page:scrollPage' }),
];
