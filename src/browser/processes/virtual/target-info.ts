/** Declares the data about targets that the parts of a virtual browser exchange. */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';

export type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];

/** An event about a target. */
export type TargetEvent =
  'Target.targetCreated' | 'Target.targetInfoChanged' | 'Target.targetDestroyed' | 'Target.targetCrashed';

/** Parameters of a command or an event. */
export type Params = Readonly<Record<string, unknown>>;

/** The session through which the server has attached to a new target that is still paused. */
export interface PausedSession {
  sessionId: string;
  info: TargetInfo;
  /** The session that announced the target and through which it can be detached. */
  watcher: CdpSession;
}
