/** Creates a blank page, attaches to it and enables the domains that every job needs. */
import type { CdpConnection, CdpSession } from '../cdp/connection.ts';
import type { Mode } from './catalog.ts';

export interface PageTarget {
  connection: CdpConnection;
  session: CdpSession;
  targetId: string;
  /** The main frame; Chromium gives it the id of the target. */
  frameId: string;
  /** Undefined in the browser's default context. */
  contextId: string | undefined;
  /** True once its renderer is gone. */
  crashed: boolean;
}

/** The window of a page that asks for none, in CSS pixels: 800 × 600, as clients expect. */
export const defaultWindow = { width: 800, height: 600 } as const;

/** Bodies are never asked for afterwards: nothing is kept of them. */
export const networkBuffers = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 } as const;

/**
 * Makes a blank page. Sent beforehand, so that a job need not: Page, lifecycle events, Network (without keeping bodies),
 * Inspector (crashes); downloads are denied.
 * @param ownContext true for a context of its own (Target.createBrowserContext), false for the default one
 * @param proxyServer the own context's way out, in place of the browser's
 */
export async function createPageTarget(
  connection: CdpConnection,
  mode: Mode,
  ownContext: boolean,
  proxyServer?: string,
): Promise<PageTarget> {
  const { root } = connection;
  const contextId = ownContext
    ? (
        await root.send('Target.createBrowserContext', {
          disposeOnDetach: true,
          // Without the rule loopback addresses would be reached directly, past every check.
          ...(proxyServer === undefined ? {} : { proxyServer, proxyBypassList: '<-loopback>' }),
        })
      ).browserContextId
    : undefined;
  const inContext = contextId === undefined ? {} : { browserContextId: contextId };
  // Full Chromium refuses a size for a target inside an existing window: it gets metrics instead.
  const size = mode === 'shell' ? defaultWindow : {};
  const [{ targetId }] = await Promise.all([
    root.send('Target.createTarget', { url: 'about:blank', ...inContext, ...size }),
    root.send('Browser.setDownloadBehavior', { behavior: 'deny', ...inContext }),
  ]);
  const target = await attachTo(connection, targetId, contextId);
  const { session } = target;
  await Promise.all([
    ...enableDomains(session),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    ...(mode === 'shell'
      ? []
      : [
          session.send('Emulation.setDeviceMetricsOverride', { ...defaultWindow, deviceScaleFactor: 1, mobile: false }),
        ]),
  ]);
  return target;
}

/**
 * A page that is there already, such as a popup, made ready to be driven. Its lifecycle events are told again when
 * Page.setLifecycleEventsEnabled is sent: whoever listens does that.
 */
export async function adoptPageTarget(
  connection: CdpConnection,
  targetId: string,
  contextId: string | undefined,
): Promise<PageTarget> {
  const target = await attachTo(connection, targetId, contextId);
  await Promise.all(enableDomains(target.session));
  return target;
}

async function attachTo(
  connection: CdpConnection,
  targetId: string,
  contextId: string | undefined,
): Promise<PageTarget> {
  const { sessionId } = await connection.root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId);
  const target: PageTarget = { connection, session, targetId, frameId: targetId, contextId, crashed: false };
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
