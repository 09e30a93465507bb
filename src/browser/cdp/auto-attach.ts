/** Attaches to the children of a target (Target.setAutoAttach): a browser's pages, frames from other sites, workers. */
import type { CdpSession } from './connection.ts';

export interface ChildTarget {
  session: CdpSession;
  /** Chromium's type: `page`, `iframe`, `worker`, `shared_worker`, `service_worker` … */
  type: string;
  /** For a page or frame, this is also the id of its (main) frame. */
  targetId: string;
}

/** Sends commands to a child before its scripts run; failures are ignored, because a target may lack a command. */
export type ChildSetup = (child: ChildTarget) => Promise<unknown>[];

/**
 * Attaches to every present and future child; to their children only when the setup also sends Target.setAutoAttach.
 * @returns `ready` resolves once Chromium has announced the present children; `stop` stops listening
 */
export function attachToChildren(parent: CdpSession, setup: ChildSetup): { ready: Promise<unknown>; stop: () => void } {
  /** Session id by target id of the child. */
  const sessions = new Map<string, string>();
  const stops = [
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, targetId } }) => {
      // Chromium also announces sessions that the parent requested, such as those of clients: leave these alone.
      if (type === 'browser' || sessions.has(targetId)) return;
      sessions.set(targetId, sessionId);
      const session = parent.connection.session(sessionId);
      ignoreFailures([...setup({ session, type, targetId }), session.send('Runtime.runIfWaitingForDebugger')]);
    }),
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      for (const [targetId, own] of sessions) if (own === sessionId) sessions.delete(targetId);
    }),
  ];
  const stop = () => stops.forEach((each) => each());
  const ready = parent.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  return { ready, stop };
}

/** Ignores failures: a child that has closed already, or lacks the domain, must not fail its parent. */
export function ignoreFailures(commands: readonly Promise<unknown>[]): void {
  for (const command of commands) command.catch(() => {});
}
