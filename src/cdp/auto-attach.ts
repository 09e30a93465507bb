/** Attaching to the targets below another: pages of a browser, frames of other sites, workers (Target.setAutoAttach). */
import type { CdpSession } from './connection.ts';

export interface ChildTarget {
  session: CdpSession;
  /** Chromium's word: `page`, `iframe`, `worker`, `shared_worker`, `service_worker` … */
  type: string;
  /** Of a page or frame also the id of its (main) frame. */
  targetId: string;
}

/** Commands for a child, sent before its scripts run; what a kind of target does not know is skipped. */
export type ChildSetup = (child: ChildTarget) => Promise<unknown>[];

/**
 * Attaches to every child that is there or comes; its own children only when the setup asks for them too.
 * @returns when the children that are there have been told of, and what ends the listening
 */
export function attachToChildren(parent: CdpSession, setup: ChildSetup): { ready: Promise<unknown>; stop: () => void } {
  const stop = parent.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, targetId } }) => {
    const session = parent.connection.session(sessionId);
    quietly([...setup({ session, type, targetId }), session.send('Runtime.runIfWaitingForDebugger')]);
  });
  const ready = parent.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  return { ready, stop };
}

/** A child that is gone already, or has no such domain, is no failure of its parent. */
export function quietly(commands: readonly Promise<unknown>[]): void {
  for (const command of commands) command.catch(() => {});
}
