/** Defines the figures of "What a call costs": what the bench saves, and what pages show of it. */

/** What callers ask for: pages over REST, BrowserQL and code, or a browser over a socket, in both of its forms. */
export type CostSubject = 'content' | 'bql' | 'function' | 'context' | 'process';

export type CostSide = 'server' | 'floor';

/** What calls cost while so many callers, each with one call after another, are there at once. */
export interface CostPoint {
  callers: number;
  /** Calls that were answered. */
  calls: number;
  /** Calls that were refused with 429. */
  refused: number;
  /** Calls that ended in any other way. */
  failed: number;
  /** Null, as the other figures of a call, where none was answered. */
  p50Ms: number | null;
  p95Ms: number | null;
  callsPerSecond: number;
  /** Processor time of the whole tree of processes, per answered call. */
  cpuMs: number | null;
  /** Highest proportional memory (PSS) of the tree. */
  memoryMiB: number;
}

/** A server that gets ten calls for each of its slots at the same moment. */
export interface OverloadPoint {
  /** CONCURRENT, and as many places in the queue. */
  slots: number;
  callers: number;
  served: number;
  refused: number;
  p50Ms: number;
  p95Ms: number;
  /** Time until a refusal. */
  refusalP50Ms: number;
}

/** Sessions with virtual browsers that do nothing: each has the blank page with which a browser begins. */
export interface IdleSessions {
  /** Sessions, of those that were wanted; memory of the machine or the server's settings end the rest. */
  sessions: number;
  wanted: number;
  /** Why there are no more; empty when all that were wanted are there. */
  ended: string;
  /** Resident memory of the server's own process for each session. */
  serverMiB: number;
  /** Proportional memory of the whole tree for each session. */
  treeMiB: number;
  /** Processor time of the tree for each second. */
  cpuMsPerSecond: number;
  /** A call of /content without them, and beside them. */
  contentP50Ms: { without: number; beside: number };
}

/** Medians in ms for a page of this size. */
export interface SizePoint {
  bytes: number;
  /** POST /content. */
  content: Record<CostSide, number>;
  /** The client's `page.content()` for a page that is open. */
  read: { context: number; process: number; floor: number };
}

/** One run of the bench, as it is saved. */
export interface Costs {
  machine: {
    cores: number;
    memoryGiB: number;
    system: string;
    architecture: string;
    runtime: string;
    /** What counted processor time; /proc misses processes that are killed with their browser. */
    cpuCounter: 'cgroup' | 'proc';
  };
  /** ISO 8601. */
  date: string;
  /** True for a run with few calls, whose figures are a first impression. */
  isQuick: boolean;
  seconds: number;
  curves: Record<CostSubject, Record<CostSide, CostPoint[]>>;
  overload: OverloadPoint[];
  idle: IdleSessions;
  sizes: SizePoint[];
}

/** How a line is drawn: `first` to `third` are the server's, `tail` is a 95th percentile, `floor` what it is compared with. */
export type LineStyle = 'first' | 'second' | 'third' | 'tail' | 'floor';

export interface CostTable {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface CostChart {
  title: string;
  legend: readonly { style: LineStyle; label: string }[];
  /** Markup of the drawing. */
  svg: string;
}

/** The figures that the home page shows. */
interface CostHighlights {
  /** A call of /content for the smallest page, median, and the same without a server. */
  contentMs: number;
  floorMs: number;
  idleSessions: number;
  /** Memory of the whole tree for each of them. */
  idleMiB: number;
  cores: number;
}

/** What the components of pages show: text about the machine, charts by group, tables by name. */
export interface CostFigures {
  machine: string;
  highlights: CostHighlights;
  charts: Readonly<Record<string, readonly CostChart[]>>;
  tables: Readonly<Record<string, CostTable>>;
}
