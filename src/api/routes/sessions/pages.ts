/**
 * Describes pages of browsers that clients attach to, for `/json/list` and `/sessions` (compatibility.mdx#discovery).
 */
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import type { Commands } from '../../../browser/cdp/connection.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { PageDescription } from '../../../base/schema/answer/sessions.ts';
import { toSocketUrl } from '../http/public-url.ts';

export type TargetInfo = Commands['Target.getTargets']['returnType']['targetInfos'][number];

/** A browser that does not list its pages within this time hangs and is shown without them, in milliseconds. */
const answerLimitMs = 2_000;

/** The pages of a browser now; none when it is ending or hangs. */
export async function pagesOf(session: AttachableSession): Promise<TargetInfo[]> {
  using deadline = startDeadline(answerLimitMs, () => new Error('no answer'), []);
  const asked = session.process.connection.root.send('Target.getTargets');
  const answer = await orAborted(asked, deadline.signal).catch(() => undefined);
  const pages = answer?.targetInfos.filter(({ type }) => type === 'page') ?? [];
  // Addresses and titles may hold the secret that was filled in.
  return session.hidden ? pages.map((page) => ({ ...page, url: '', title: '' })) : pages;
}

/** @param base public base URL; every address leads through it, never to the browser's own port */
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
 * The address of the DevTools inspector for a socket, relative to the server's host, in Chromium's form: its front-end
 * puts `ws://` before the parameter `ws`, and `wss://` before `wss`.
 */
export function devtoolsFrontendUrl(socketBase: string, path: string): string {
  const { pathname } = new URL(socketBase);
  const [scheme = '', rest = ''] = `${socketBase}${path}`.split('://');
  // Its front-end decodes the parameter; addresses of most servers hold none of these.
  return `${pathname.replace(/\/$/, '')}/devtools/inspector.html?${scheme}=${rest.replace(/[%+&#]/g, encodeURIComponent)}`;
}
