/** Ends the sessions of sockets while the server shuts down: unused ones first, all of them at a time limit. */
import type { ServiceError } from '../../base/errors.ts';
import { startDeadline } from '../../base/runtime/deadline.ts';
import { JobSession } from './job-session.ts';
import type { SessionRegistry } from './registry.ts';
import type { Session } from './session.ts';
import { StoredSession } from './stored-session.ts';

/** Time in milliseconds without a command after which a client with no running command is idle. */
const quietMs = 2_000;
/** How often to poll for sessions that are no longer in use, in milliseconds. */
const lookEveryMs = 50;

/**
 * Ends kept sessions without clients and sessions with idle clients immediately, the others when they become idle, and
 * all at the limit, including sessions that open in the meantime. Jobs, and documents that a request runs on a session,
 * continue.
 * @param limitMs time limit in milliseconds; 0 ends all sessions immediately
 * @param signal resolves the promise immediately; the caller ends the remaining sessions
 * @returns a promise that resolves when only jobs are left
 */
export function drainSessions(
  registry: SessionRegistry,
  limitMs: number,
  reason: ServiceError,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const limit = startDeadline(limitMs, () => undefined, []);
    const over = () => limitMs === 0 || limit.signal.aborted;
    const look = () => {
      for (const session of registry.list()) {
        if (session instanceof JobSession) continue;
        if (over()) endSockets(session, reason);
        else if (isUnused(session)) session.life.end(reason);
      }
      if (!signal.aborted && registry.list().some((session) => !(session instanceof JobSession))) return;
      clearInterval(timer);
      limit[Symbol.dispose]();
      resolve();
    };
    const timer = setInterval(look, lookEveryMs);
    limit.signal.addEventListener('abort', look, { once: true });
    signal.addEventListener('abort', look, { once: true });
    look();
  });
}

/** The life that the clients of a session are connected to: that of its browser. */
const lifeOf = (session: Session) => (session.attachable ?? session).life;

function isUnused(session: Session): boolean {
  const life = lifeOf(session);
  // A session that has no clients and is not kept is just opening or already ending.
  if (life.clients === 0) return session instanceof StoredSession || session.attachable?.keep !== undefined;
  return life.isQuiet(quietMs);
}

function endSockets(session: Session, reason: ServiceError): void {
  const life = lifeOf(session);
  if (life.hasRequests) life.closeSockets(reason);
  else session.life.end(reason);
}
