/**
 * Keeps clients from using the shortcuts of a browser's window. A full browser passes keys that a page does not handle
 * to its window, where Ctrl+J opens chrome://downloads, Ctrl+U the source of the page and Ctrl+O a file on the server.
 * It does so only for keys that have a native code, like those of a real keyboard; measured with every key code and
 * every set of modifiers. Pages do not see that code, and Puppeteer and Playwright do not send it.
 */
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** Removes the native code from the parameters of Input.dispatchKeyEvent in a full browser. */
export function keyEvent(params: Params, { full }: RuleContext): Verdict {
  if (!full || params['nativeVirtualKeyCode'] === undefined) return { pass: params };
  const { nativeVirtualKeyCode: _, ...forPage } = params;
  return { pass: forPage };
}
