/** Declares the data about targets that the parts of a virtual browser exchange. */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';

export type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];
export type TargetCrash = EventParams<'Target.targetCrashed'>;

/** Parameters of a command or an event. */
export type Params = Readonly<Record<string, unknown>>;

/** A session with which the server has attached to a new target, which is paused for now. */
export interface PausedSession {
  sessionId: string;
  info: TargetInfo;
  /** The session that announced it, and through which it detaches. */
  watcher: CdpSession;
}
