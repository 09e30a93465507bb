/**
 * Lists all frames of a page, in every renderer process, and creates our isolated world in each. Out-of-process iframes
 * have their own CDP sessions (child-targets.ts). Worlds are created on demand, so no Runtime.enable is needed.
 */
import {
  type CdpSession,
  type CommandParams,
  type Commands,
  ConnectionClosed,
  ProtocolError,
} from '../cdp/connection.ts';
import { ContextLost, forgetWorld, isolatedWorld } from './evaluate.ts';
import type { Page } from './page.ts';
import { childTargetsOf } from './child-targets.ts';

export interface PageFrame {
  /** The CDP session of the target that contains the frame. */
  session: CdpSession;
  frameId: string;
  /** Undefined for the main frame. */
  parentId: string | undefined;
  url: string;
  /** Changes with each document. */
  loaderId: string;
}

/**
 * Sends a command to a frame's session.
 * @throws ContextLost when the frame is removed first; otherwise the errors documented for `Page.send`
 */
export async function sendTo<M extends keyof Commands>(
  page: Page,
  session: CdpSession,
  method: M,
  params?: CommandParams<M>,
): Promise<Commands[M]['returnType']> {
  if (session === page.session) return page.send(method, params);
  const sent = session.send(method, params).catch((error: unknown) => {
    // When a frame's session closes, the page stays open.
    throw error instanceof ConnectionClosed && !page.session.closed.aborted ? new ContextLost(error.message) : error;
  });
  return page.until(sent);
}

/** Returns the main frame, which is all that most selectors search, without a round trip. */
export function mainFrame(page: Page): PageFrame {
  return {
    session: page.session,
    frameId: page.mainFrameId,
    parentId: undefined,
    url: '',
    loaderId: page.life.loaderId ?? '',
  };
}

type FrameTree = Commands['Page.getFrameTree']['returnType']['frameTree'];

/** Lists the current frames: the main frame first, parents before their children. */
export async function listFrames(page: Page): Promise<PageFrame[]> {
  const sessions = childTargetsOf(page);
  await page.until(sessions.attach());
  const own = sessions.children.filter(({ type }) => type === 'iframe').map(({ session }) => session);
  const trees = await Promise.all(
    [page.session, ...own].map(async (session) => {
      try {
        return { session, tree: (await sendTo(page, session, 'Page.getFrameTree')).frameTree };
      } catch (error) {
        if (session !== page.session && (error instanceof ContextLost || error instanceof ProtocolError))
          return undefined;
        throw error;
      }
    }),
  );
  const found = new Map<string, PageFrame>();
  const collect = (session: CdpSession, { frame, childFrames = [] }: FrameTree): void => {
    const { id: frameId, parentId, url, loaderId, urlFragment = '' } = frame;
    // A frame tree also contains empty placeholders for frames in other processes; entries from their own sessions
    // overwrite these.
    found.set(frameId, { session, frameId, parentId, url: url + urlFragment, loaderId });
    for (const child of childFrames) collect(session, child);
  };
  for (const known of trees) if (known) collect(known.session, known.tree);
  return inDocumentOrder([...found.values()]);
}

/** Sorts parents before children; drops frames whose parent is missing. */
function inDocumentOrder(frames: readonly PageFrame[]): PageFrame[] {
  const ordered: PageFrame[] = [];
  const visit = (parentId: string | undefined): void => {
    for (const frame of frames) {
      if (frame.parentId !== parentId) continue;
      ordered.push(frame);
      visit(frame.frameId);
    }
  };
  visit(undefined);
  return ordered;
}

const worlds = new WeakMap<Page, Map<string, number>>();

/** Returns the execution context of our isolated world in a frame's current document. */
export async function worldOf(page: Page, frame: PageFrame): Promise<number> {
  if (frame.frameId === page.mainFrameId) return isolatedWorld(page);
  const contexts = worlds.get(page) ?? new Map<string, number>();
  worlds.set(page, contexts);
  const key = `${frame.session.id} ${frame.frameId} ${frame.loaderId}`;
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const { executionContextId } = await sendTo(page, frame.session, 'Page.createIsolatedWorld', {
    frameId: frame.frameId,
  });
  contexts.set(key, executionContextId);
  return executionContextId;
}

/** Forgets all our isolated worlds of the page after one of them was lost. */
export function forgetWorlds(page: Page): void {
  forgetWorld(page);
  worlds.delete(page);
}
