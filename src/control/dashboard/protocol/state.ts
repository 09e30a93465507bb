/** Declares what the server tells the page of the dashboard: everything at first, then the parts that have changed. */

export interface Figures {
  /** Calls that have a slot, and how many may. */
  running: number;
  concurrent: number;
  /** Calls that wait for one, and how many may. */
  waiting: number;
  queued: number;
  /** Percent of the processors; null before the first sample. */
  cpu: number | null;
  /** Bytes. */
  memoryUsed: number;
  memoryLimit: number;
}

/** The periods of the last hour, the oldest first. */
export interface Curves {
  /** Most calls that ran at a time. */
  running: number[];
  /** Calls that had to wait. */
  waiting: number[];
  /** Percent. */
  cpu: number[];
  memory: number[];
}

export interface SessionEntry {
  id: string;
  /** Title or address of the page that is shown; empty when the session has none. */
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
  /** Why there is no picture and nobody can watch; empty when people can. */
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
  /** The first tab of which there is a video; null for none. */
  video: number | null;
}

/** A list that may be longer than what is shown of it. */
export interface Shown<Entry> {
  shown: Entry[];
  total: number;
}

export interface DashboardState {
  figures: Figures;
  curves: Curves;
  sessions: Shown<SessionEntry>;
  queue: Shown<QueueEntry>;
  recordings: {
    /** The newest first. */
    shown: RecordingEntry[];
    /** True when there are older ones. */
    more: boolean;
    /** Bytes that all may have, 0 for no limit; days for which they are kept, 0 for ever. */
    maxBytes: number;
    days: number;
  };
}

/** What has changed; `now` is the clock of the server in epoch milliseconds. */
export type DashboardMessage = Partial<DashboardState> & { now: number };
