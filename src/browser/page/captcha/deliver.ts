/**
 * Delivers a solver's token to the page: writes it to the field of the widget, and passes it to the callback that waits
 * for it. Unlike detection (look.ts), this runs in the page's own world, because callbacks are the page's functions; it
 * does not hook anything and leaves nothing behind.
 */
import {
  callCallback,
  callNamedCallback,
  callRegisteredCallback,
  deliverByName,
  fillToken,
  renderFunction,
} from '../../injected/captcha/token.ts';
import { callOn, type Handle, handleFrom, releaseHandles, resolveInPage } from '../act/elements.ts';
import { frameOwner } from '../act/frame-elements.ts';
import { evaluateText } from '../evaluate.ts';
import { sendTo } from '../frames.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import type { Captcha } from './look.ts';

/** @returns whether the page accepted it, through a field or a callback */
export async function deliverToken(page: Page, { kind, key, frame, frames }: Captcha, token: string): Promise<boolean> {
  const field = kind?.field;
  if (kind === undefined || field === undefined) return false;
  const parent = frames.find(({ frameId }) => frameId === frame?.parentId);
  if (!frame || !parent) {
    return evaluateText<boolean>(page, toExpression(deliverByName, [kind.elements ?? '', field, token]));
  }
  const element = await resolveInPage(page, parent, await frameOwner(page, parent, frame.frameId));
  try {
    const put = await callOn(page, element, fillToken, field, token);
    const called =
      (await callOn(page, element, callRegisteredCallback, key, token)) ||
      (await callOn(page, element, callNamedCallback, token)) ||
      (kind.api !== undefined && (await callInClosures(page, element, { api: kind.api, key, token })));
    return put || called;
  } finally {
    releaseHandles([parent]);
  }
}

/**
 * Calls the callback of a widget that the page has rendered itself: the options then exist only in closures of the
 * vendor's script, which the debugger can read without leaving a trace in the page.
 */
async function callInClosures(
  page: Page,
  element: Handle,
  { api, key, token }: { api: string; key: string; token: string },
): Promise<boolean> {
  const { frame } = element;
  const render = await handleFrom(page, element, renderFunction, api);
  if (!render) return false;
  try {
    await Promise.all([
      sendTo(page, frame.session, 'Debugger.enable'),
      // A debugger statement in the page must not pause it.
      sendTo(page, frame.session, 'Debugger.setSkipAllPauses', { skip: true }),
    ]);
    const { internalProperties = [] } = await sendTo(page, frame.session, 'Runtime.getProperties', {
      objectId: render.objectId,
      ownProperties: true,
    });
    const objectId = internalProperties.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
    if (objectId === undefined) return false;
    return await callOn(page, { frame, objectId }, callCallback, key, token);
  } finally {
    frame.session.send('Debugger.disable').catch(() => {});
  }
}
