/** Rules for commands that make contexts or record traces. */
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** The proxy rule that leads loopback addresses through the proxy too; Chromium's own default reaches them directly. */
const noExceptions = '<-loopback>';

/**
 * Leads the proxy of a new context through the network policy. Without a proxy of its own, a context uses that of the
 * browser, and names no exceptions from it.
 */
export function newContext(params: Params, context: RuleContext): Verdict | Promise<Verdict> {
  const { proxyServer, proxyBypassList, ...rest } = params;
  if (proxyServer === undefined || proxyServer === '') return { pass: rest };
  if (typeof proxyServer !== 'string') return { refuse: 'The address of the proxy must be a string.' };
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
    return { refuse: 'A perfettoConfig can ask for the whole machine too; use traceConfig.' };
  }
  return { pass: params };
}

/** Chromium 156 may end when a recording with sound stops, and with it the browsers of all who share the process. */
export function screenRecording(params: Params, { scope }: RuleContext): Verdict {
  if (scope === 'browser' || params['audio'] === undefined || params['audio'] === false) return { pass: params };
  return {
    refuse:
      'A recording with sound can end the browser, and the process is shared: leave audio out, or connect with isolation=process.',
  };
}
