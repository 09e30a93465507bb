/** Lists every mutation by its name in the schema, with its implementation. */
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

/** The mutations by purpose; in each group, those that most scripts use come first. The reference has the same order. */
export const operationGroups = [
  { title: 'Navigate', operations: { goto, back, forward, reload, content, switchToWindow } },
  {
    title: 'Act',
    operations: {
      click,
      type,
      loadSecret,
      select,
      checkbox,
      hover,
      scroll,
      evaluate,
      addScriptTag,
      addStyleTag,
      solve,
      solveImageCaptcha,
      verify,
    },
  },
  {
    title: 'Read',
    operations: { text, html, mapSelector, querySelector, querySelectorAll, title, url, screenshot, pdf },
  },
  {
    title: 'Wait',
    operations: { waitForSelector, waitForNavigation, waitForRequest, waitForResponse, waitForTimeout },
  },
  { title: 'Network', operations: { cookies, setExtraHTTPHeaders, userAgent, reject, proxy, request, response } },
  {
    title: 'Session',
    operations: {
      reconnect,
      liveURL,
      stopSessionRecording,
      if: ifMet,
      ifnot: ifNot,
      viewport,
      emulateMediaType,
      javaScriptEnabled,
      preferences,
    },
  },
] as const;

export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  operationGroups.flatMap((group) => Object.entries(group.operations)),
);
