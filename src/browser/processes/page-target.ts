/** Creates a blank page, attaches to it and enables the domains that every job needs. */
import type { BrowserConnection, CdpSession } from '../cdp/connection.ts';
import { ignoreFailures } from '../cdp/auto-attach.ts';
import { ServiceError } from '../../base/errors.ts';
import { orAborted, pause } from '../../base/runtime/deadline.ts';
import type { ClientBrowser } from './client-browser.ts';

export interface PageTarget {
  connection: BrowserConnection;
  session: CdpSession;
  targetId: string;
  /** The main frame; Chromium gives it the id of the target. */
  frameId: string;
  /** Undefined in the browser's default context. */
  contextId: string | undefined;
  /** True when the server has set the default size; false when the page has the size of its window. */
  sized: boolean;
  /** True in stealth browsers, whose windows have scroll bars as those of people have, and where it is unknown. */
  showsScrollbars: boolean;
  /** True once its renderer has exited. */
  crashed: boolean;
}

/** Default window size in CSS pixels: 800 × 600, as clients expect. */
export const defaultWindow = { width: 800, height: 600 } as const;

/** Chromium does not keep response bodies: the server never requests them afterward. */
export const networkBuffers = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 } as const;

export interface NewPage {
  /** True for a separate context (Target.createBrowserContext), false for the default one. */
  ownContext: boolean;
  /** Proxy of the separate context, instead of the browser's. */
  proxyServer?: string | undefined;
}

/**
 * Creates a blank page and prepares it ahead of a job: enables Page, lifecycle events, Network (without keeping bodies)
 * and Inspector (crashes), focuses it and sets the default size, and denies downloads. A page of a stealth browser
 * keeps the size of its window: a page that is larger than its window reveals that a program resized it.
 * @throws ServiceError `page-crashed` when its renderer exits immediately, as on a full disk; any error that the
 *   browser reports
 */
export async function createPageTarget(
  { connection, mode, stealth }: Pick<ClientBrowser, 'connection' | 'mode' | 'stealth'>,
  { ownContext, proxyServer }: NewPage,
): Promise<PageTarget> {
  const { root } = connection;
  const contextId = ownContext ? await createContext(root, proxyServer) : undefined;
  const inContext = { browserContextId: contextId };
  // Full Chromium refuses a size for a target in an existing window; a device-metrics override below sets it instead.
  const size = mode === 'shell' ? defaultWindow : {};
  const [{ targetId }] = await Promise.all([
    root.send('Target.createTarget', { url: 'about:blank', ...inContext, ...size }),
    root.send('Browser.setDownloadBehavior', { behavior: 'deny', ...inContext }),
  ]);
  const target = await attachTo(connection, {
    targetId,
    contextId,
    sized: !stealth,
    showsScrollbars: stealth,
  });
  const { session } = target;
  if (mode === 'headful') ignoreFailures([focusOnceVisible(session)]);
  await unlessCrashed(session, () => [
    ...enableDomains(session),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    ...(mode === 'shell' || stealth
      ? []
      : [
          session.send('Emulation.setDeviceMetricsOverride', { ...defaultWindow, deviceScaleFactor: 1, mobile: false }),
        ]),
  ]);
  return target;
}

/** The proxy of a context. Without the rule, Chromium would reach loopback addresses past every check of the proxy. */
export const contextProxy = (proxyServer: string | undefined) => ({
  proxyServer,
  proxyBypassList: proxyServer === undefined ? undefined : '<-loopback>',
});

/** Creates a context that ends with the connection. @param proxyServer its proxy; undefined for the browser's */
export async function createContext(root: CdpSession, proxyServer: string | undefined): Promise<string> {
  const context = { disposeOnDetach: true, ...contextProxy(proxyServer) };
  return (await root.send('Target.createBrowserContext', context)).browserContextId;
}

/** The error for a request whose page no longer has a renderer. */
export const pageCrashed = (): ServiceError =>
  new ServiceError(
    'page-crashed',
    'The page crashed. It may need more memory than the browser has, or its content is malformed.',
  );

/**
 * Prepares a page that already exists, such as a popup. Chromium repeats the lifecycle events of a page on
 * Page.setLifecycleEventsEnabled; the caller sends that command once it listens.
 * @throws ServiceError `page-crashed` for a page without a renderer, whose commands Chromium keeps until it has one
 */
export async function adoptPageTarget(
  connection: BrowserConnection,
  targetId: string,
  contextId: string | undefined,
): Promise<PageTarget> {
  const target = await attachTo(connection, { targetId, contextId, sized: false, showsScrollbars: true });
  const { session } = target;
  try {
    await unlessCrashed(session, () => enableDomains(session));
    return target;
  } catch (error) {
    ignoreFailures([connection.root.send('Target.detachFromTarget', { sessionId: session.id ?? '' })]);
    throw error;
  }
}

/**
 * Sends commands that include Inspector.enable, which also reports a crash that has already happened.
 * @throws ServiceError `page-crashed`; any error that the browser reports
 */
async function unlessCrashed(session: CdpSession, send: () => Promise<unknown>[]): Promise<void> {
  const crash = new AbortController();
  const unheard = session.on('Inspector.targetCrashed', () => crash.abort(pageCrashed()));
  try {
    await orAborted(Promise.all(send()), crash.signal);
  } finally {
    unheard();
  }
}

/** Interval between checks whether a page is shown, in milliseconds, and the number of checks. */
const shownPollMs = 25;
const shownPolls = 200;

/**
 * Makes the page of a window believe that it has the focus once it is shown: of several windows on a display, at most
 * one has the focus. The window of a tab that was never shown measures 0 x 0, and a person's tab is never focused at
 * that point.
 */
export async function focusOnceVisible(session: CdpSession): Promise<void> {
  for (let turn = 0; turn < shownPolls; turn++) {
    // The document may be replaced during the check.
    if (await isVisible(session).catch(() => false)) {
      await session.send('Emulation.setFocusEmulationEnabled', { enabled: true });
      return;
    }
    await pause(shownPollMs, session.closed);
  }
}

/**
 * Checks without leaving a trace: an isolated world would be an additional context that clients see, and the page's
 * getters are not called, because they may have side effects.
 */
async function isVisible(session: CdpSession): Promise<boolean> {
  const { result } = await session.send('Runtime.evaluate', { expression: 'outerWidth', throwOnSideEffect: true });
  return result.value > 0;
}

async function attachTo(
  connection: BrowserConnection,
  known: Pick<PageTarget, 'targetId' | 'contextId' | 'sized' | 'showsScrollbars'>,
): Promise<PageTarget> {
  const { targetId } = known;
  const { sessionId } = await connection.root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId);
  const target: PageTarget = { connection, session, frameId: targetId, ...known, crashed: false };
  session.on('Inspector.targetCrashed', () => {
    target.crashed = true;
  });
  return target;
}

function enableDomains(session: CdpSession): Promise<unknown>[] {
  return [
    session.send('Page.enable'),
    session.send('Network.enable', { ...networkBuffers }),
    session.send('Inspector.enable'),
  ];
}
