/** Declares what the parts of a virtual browser tell each other of targets. */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';

export type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];
export type TargetCrash = EventParams<'Target.targetCrashed'>;

/** Parameters of a command or an event. */
export type Params = Readonly<Record<string, unknown>>;

/** A session with which the server has attached to a new target, which waits for it. */
export interface PausedSession {
  sessionId: string;
  info: TargetInfo;
  /** Where the session was announced; it detaches there too. */
  watcher: CdpSession;
}
