/** Declares the messages from the server to the dashboard page: first the whole state, then the changed parts. */

export interface Figures {
  /** Requests that have a slot, and their limit. */
  running: number;
  concurrent: number;
  /** Requests that are waiting for a slot, and their limit. */
  waiting: number;
  queued: number;
  /** Percent of the CPUs; null before the first sample. */
  cpu: number | null;
  /** Bytes. */
  memoryUsed: number;
  memoryLimit: number;
}

/** The periods of the last hour, the oldest first. */
export interface Curves {
  /** Highest number of requests that ran at the same time. */
  running: number[];
  /** Requests that had to wait. */
  waiting: number[];
  /** Percent. */
  cpu: number[];
  memory: number[];
}

export interface SessionEntry {
  id: string;
  /** Title or URL of the page that is shown; empty when the session has none. */
  title: string;
  route: string;
  /** `Chromium`, `Firefox`. */
  browser: string;
  trackingId: string | null;
  /** Epoch milliseconds. */
  startedOn: number;
  clients: number;
  viewers: number;
  /** Whether a video is being recorded. */
  recording: boolean;
  /** Whether a replay is being recorded. */
  replay: boolean;
  mayRecord: boolean;
  /** Why there is no thumbnail and the session cannot be watched; empty when it can. */
  closed: string;
}

export interface QueueEntry {
  route: string;
  trackingId: string | null;
  /** Epoch milliseconds. */
  since: number;
}

export interface RecordingEntry {
  id: string;
  title: string;
  kind: 'video' | 'replay';
  tabs: number;
  isCutShort: boolean;
  lengthMs: number;
  bytes: number;
  /** Epoch milliseconds. */
  endedOn: number;
  /** The first tab that has a video; null for none. */
  video: number | null;
}

/** A list that may be longer than the part shown. */
export interface PartialList<Entry> {
  shown: Entry[];
  total: number;
}

export interface DashboardState {
  figures: Figures;
  curves: Curves;
  sessions: PartialList<SessionEntry>;
  queue: PartialList<QueueEntry>;
  recordings: {
    /** The newest first. */
    shown: RecordingEntry[];
    /** True when there are older ones. */
    more: boolean;
    /** Limit in bytes for all recordings, 0 for no limit; days for which they are kept, 0 for no limit. */
    maxBytes: number;
    days: number;
  };
}

/** The changed parts; `now` is the time on the server's clock in epoch milliseconds. */
export type DashboardMessage = Partial<DashboardState> & { now: number };
