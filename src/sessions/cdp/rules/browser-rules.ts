/** Rules for commands that create contexts, press keys, or record traces or the screen. */
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** The bypass rule that sends loopback addresses through the proxy too; by default Chromium reaches them directly. */
const noExceptions = '<-loopback>';

/**
 * Applies the network policy to the proxy of a new context. A context without its own proxy uses the proxy of the
 * browser, and cannot name exceptions from it.
 */
export function newContext(params: Params, context: RuleContext): Verdict | Promise<Verdict> {
  const { proxyServer, proxyBypassList, ...rest } = params;
  if (proxyServer === undefined || proxyServer === '') return { pass: rest };
  if (typeof proxyServer !== 'string') return { refuse: '"proxyServer" must be a string.' };
  const bypass = typeof proxyBypassList === 'string' ? proxyBypassList : undefined;
  return context
    .openProxy(proxyServer, bypass)
    .then((server) => ({ pass: { ...rest, proxyServer: server, proxyBypassList: noExceptions } }));
}

/** Lets a client trace its browser, not the machine. */
export function startTracing(params: Params): Verdict {
  if (params['tracingBackend'] === 'system') {
    return { refuse: 'The system backend traces the whole machine; use tracingBackend chrome or auto.' };
  }
  if (params['perfettoConfig'] !== undefined) {
    return { refuse: 'perfettoConfig can trace the whole machine; use traceConfig.' };
  }
  return { pass: params };
}

/** Chromium 156 may exit when a recording with sound stops, which closes the browsers of all clients of the process. */
export function screenRecording(params: Params, { scope }: RuleContext): Verdict {
  if (scope === 'browser' || params['audio'] === undefined || params['audio'] === false) return { pass: params };
  return {
    refuse:
      'A recording with sound can crash the browser, whose process is shared: leave audio out, or connect with isolation=process.',
  };
}

/**
 * Removes the native code from the parameters of Input.dispatchKeyEvent in a full browser, so that clients cannot use
 * the shortcuts of its window. A full browser passes keys that a page does not handle to its window, where Ctrl+J opens
 * chrome://downloads, Ctrl+U the source of the page and Ctrl+O a file on the server. It does so only for keys that have
 * a native code, like those of a real keyboard; measured with every key code and every set of modifiers. Pages do not
 * see that code, and Puppeteer and Playwright do not send it.
 */
export function keyEvent(params: Params, { full }: RuleContext): Verdict {
  if (!full || params['nativeVirtualKeyCode'] === undefined) return { pass: params };
  const { nativeVirtualKeyCode: _, ...forPage } = params;
  return { pass: forPage };
}
