/**
 * Describes pages of browsers that clients attach to, for `/json/list` and `/sessions` (compatibility.mdx#discovery).
 */
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import type { Commands } from '../../../browser/cdp/connection.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { PageDescription } from '../../../base/schema/response/sessions.ts';
import { toSocketUrl } from '../http/public-url.ts';

export type TargetInfo = Commands['Target.getTargets']['returnType']['targetInfos'][number];

/** Time in ms after which a browser that has not listed its pages is considered hung and is shown without them. */
const answerLimitMs = 2_000;

/** The current pages of a browser; empty if it is closing or hangs. */
export async function pagesOf(session: AttachableSession): Promise<TargetInfo[]> {
  using deadline = startDeadline(answerLimitMs, () => new Error('no answer'), []);
  const asked = session.process.connection.root.send('Target.getTargets');
  const answer = await orAborted(asked, deadline.signal).catch(() => undefined);
  const pages = answer?.targetInfos.filter(({ type }) => type === 'page') ?? [];
  // URLs and titles may contain the secret that was filled in.
  return session.hidden ? pages.map((page) => ({ ...page, url: '', title: '' })) : pages;
}

/** @param base public base URL; every URL starts with it, and never leads to the browser's own port */
export function describePage(sessionId: string, page: TargetInfo, base: string): PageDescription {
  const socketBase = toSocketUrl(base);
  const path = `/devtools/page/${page.targetId}`;
  return {
    type: 'page',
    id: page.targetId,
    title: page.title,
    url: page.url,
    description: '',
    browserWSEndpoint: `${socketBase}/devtools/browser/${sessionId}`,
    webSocketDebuggerUrl: `${socketBase}${path}`,
    devtoolsFrontendUrl: devtoolsFrontendUrl(socketBase, path),
  };
}

/**
 * The URL of the DevTools inspector for a socket, relative to the server's host, in Chromium's format: its front-end
 * prepends `ws://` to the `ws` parameter, and `wss://` to `wss`.
 */
export function devtoolsFrontendUrl(socketBase: string, path: string): string {
  const { pathname } = new URL(socketBase);
  const [scheme = '', rest = ''] = `${socketBase}${path}`.split('://');
  // The front-end decodes the parameter; most server URLs contain none of these characters.
  return `${pathname.replace(/\/$/, '')}/devtools/inspector.html?${scheme}=${rest.replace(/[%+&#]/g, encodeURIComponent)}`;
}
