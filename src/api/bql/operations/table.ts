/** Maps every mutation's name in the schema to its implementation. */
import type { Operation } from '../run/operation.ts';
import { checkbox, click, hover, scroll, select, type } from './actions.ts';
import { solve, solveImageCaptcha, verify } from './captchas.ts';
import { addScriptTag, addStyleTag, pdf, screenshot } from './capture.ts';
import { emulateMediaType, javaScriptEnabled, preferences, userAgent, viewport } from './emulation.ts';
import { ifMet, ifNot } from './conditions.ts';
import { back, content, forward, goto, reload, title, url, waitForNavigation } from './navigation.ts';
import { reject, request, response, setExtraHTTPHeaders } from './network.ts';
import { proxy } from './proxying.ts';
import { cookies, evaluate, html, querySelector, querySelectorAll, text } from './reading.ts';
import { liveURL, stopSessionRecording } from './live.ts';
import { mapSelector } from './map-selector.ts';
import { loadSecret } from './secrets.ts';
import { waitForRequest, waitForResponse, waitForSelector, waitForTimeout } from './waiting.ts';
import { reconnect, switchToWindow } from './windows.ts';

export const operations: Readonly<Record<string, Operation>> = {
  addScriptTag,
  addStyleTag,
  back,
  checkbox,
  click,
  content,
  cookies,
  emulateMediaType,
  evaluate,
  forward,
  goto,
  hover,
  html,
  if: ifMet,
  ifnot: ifNot,
  javaScriptEnabled,
  liveURL,
  loadSecret,
  mapSelector,
  pdf,
  preferences,
  proxy,
  querySelector,
  querySelectorAll,
  reject,
  reconnect,
  reload,
  request,
  response,
  screenshot,
  scroll,
  select,
  setExtraHTTPHeaders,
  solve,
  solveImageCaptcha,
  stopSessionRecording,
  switchToWindow,
  text,
  title,
  type,
  url,
  userAgent,
  verify,
  viewport,
  waitForNavigation,
  waitForRequest,
  waitForResponse,
  waitForSelector,
  waitForTimeout,
};
