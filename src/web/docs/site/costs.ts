/** Defines the data of "What a request costs": the results that the bench saves, and the parts that pages show. */

/**
 * The subject of clients' requests: pages over REST, BrowserQL and code, or a browser over a socket, in both of its
 * forms.
 */
export type CostSubject = 'content' | 'bql' | 'function' | 'context' | 'process';

export type CostSide = 'server' | 'floor';

/** The cost of requests with this many concurrent clients, each of which sends requests sequentially. */
export interface CostPoint {
  callers: number;
  /** Successful requests. */
  calls: number;
  /** Requests that were refused with 429. */
  refused: number;
  /** Requests that failed in any other way. */
  failed: number;
  /** Null, like the other values for a request, if no request was successful. */
  p50Ms: number | null;
  p95Ms: number | null;
  callsPerSecond: number;
  /** CPU time of the whole process tree per successful request. */
  cpuMs: number | null;
  /** Highest proportional memory (PSS) of the tree. */
  memoryMiB: number;
}

/** A server that receives ten requests for each of its slots at the same time. */
export interface OverloadPoint {
  /** Value of CONCURRENT and of QUEUED. */
  slots: number;
  callers: number;
  served: number;
  refused: number;
  p50Ms: number;
  p95Ms: number;
  /** Time until a request is refused. */
  refusalP50Ms: number;
}

/** Idle sessions with virtual browsers: each has only the blank page that a browser starts with. */
export interface IdleSessions {
  /** Open sessions; may be fewer than requested because of the machine's memory or the server's settings. */
  sessions: number;
  wanted: number;
  /** Why there are fewer than requested; empty if all are open. */
  ended: string;
  /** Resident memory of the server process per session. */
  serverMiB: number;
  /** Proportional memory of the whole process tree per session. */
  treeMiB: number;
  /** CPU time of the process tree per second. */
  cpuMsPerSecond: number;
  /** Duration of a request to /content without the idle sessions, and with them. */
  contentP50Ms: { without: number; beside: number };
}

/** Medians in ms for a page of this size. */
export interface SizePoint {
  bytes: number;
  /** POST /content. */
  content: Record<CostSide, number>;
  /** The client's `page.content()` for an open page. */
  read: { context: number; process: number; floor: number };
}

/** One run of the bench, as saved. */
export interface Costs {
  machine: {
    cores: number;
    memoryGiB: number;
    system: string;
    architecture: string;
    runtime: string;
    /** Source of the CPU time; /proc misses processes that are killed with their browser. */
    cpuCounter: 'cgroup' | 'proc';
  };
  /** ISO 8601. */
  date: string;
  /** True for a run with few requests, whose results are only a first impression. */
  isQuick: boolean;
  seconds: number;
  curves: Record<CostSubject, Record<CostSide, CostPoint[]>>;
  overload: OverloadPoint[];
  idle: IdleSessions;
  sizes: SizePoint[];
}

/** Style of a line: `first` to `third` for the server, `tail` for a 95th percentile, `floor` for the baseline. */
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

/** The data that page components show: text about the machine, charts by group, tables by name. */
export interface CostFigures {
  machine: string;
  /** The numbers that the home page shows. */
  highlights: {
    /** Median of a request to /content for the smallest page, and the same page without a server. */
    contentMs: number;
    floorMs: number;
    idleSessions: number;
    /** Memory of the whole process tree per session. */
    idleMiB: number;
    cores: number;
  };
  charts: Readonly<Record<string, readonly CostChart[]>>;
  tables: Readonly<Record<string, CostTable>>;
}
