/**
 * Declares the `postMessage` messages between the player and the document in which a page is rebuilt. Neither has an
 * origin that the other could name, so both check the source window of each message.
 */

/** The known part of an event that rrweb has recorded. */
export interface RecordedEvent {
  /** 2: a whole document; 3: a change; 5: an event of the protocol. */
  type: number;
  /** Epoch milliseconds. */
  timestamp: number;
  data: Record<string, unknown>;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Times are milliseconds since the first event. */
export type ToReplay =
  /** A list of events as JSON, which for large documents costs a fraction of cloning the objects. */
  | { t: 'events'; json: string; isLast: boolean }
  | { t: 'play'; ms: number }
  | { t: 'pause'; ms: number }
  | { t: 'speed'; speed: number };

export type FromReplay =
  | { t: 'hello' }
  /** The page is visible for the first time. */
  | { t: 'shown' }
  | { t: 'at'; ms: number }
  | { t: 'end' }
  /** No page can be rebuilt from the events. */
  | { t: 'failed' };
