/**
 * What the player and the document in which a page is built anew tell each other by `postMessage`. Neither has an origin
 * that the other could name: both compare the window that a message comes from.
 */

/** An event as rrweb writes it, of which only this much is known. */
export interface RecordedEvent {
  /** 2 is a whole document, 3 a change, 5 what the protocol told. */
  type: number;
  /** Epoch milliseconds. */
  timestamp: number;
  data: Record<string, unknown>;
}

/** Moments are milliseconds from the first event on. */
export type ToReplay =
  /** A list of events as JSON, which costs a large document a fraction of what cloning its objects does. */
  | { t: 'events'; json: string; isLast: boolean }
  | { t: 'play'; ms: number }
  | { t: 'pause'; ms: number }
  | { t: 'speed'; speed: number };

export type FromReplay =
  | { t: 'hello' }
  /** The page can be seen for the first time. */
  | { t: 'shown' }
  | { t: 'at'; ms: number }
  | { t: 'end' }
  /** Nothing can be built from the events. */
  | { t: 'failed' };
