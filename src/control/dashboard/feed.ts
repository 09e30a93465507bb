/** Sends changes to the dashboard pages, at most once a second. It checks only while a page listens. */
import type { Limiter } from '../admission/limiter.ts';
import type { Monitor } from '../admission/monitor.ts';
import { dashboardLimits } from '../../base/limits.ts';
import type { LiveViews } from '../../sessions/live/live-views.ts';
import type { Recordings } from '../../sessions/recording/recordings.ts';
import type { SessionRegistry } from '../../sessions/lifecycle/registry.ts';
import type { Log } from '../../base/telemetry/log.ts';
import type { MetricsHistory } from '../../base/telemetry/history.ts';
import { curvesOf, describeQueue, describeRecording, describeSession } from './describe.ts';
import type { DashboardState } from './protocol/state.ts';
import { Titles } from './titles.ts';

export interface FeedOptions {
  sessions: SessionRegistry;
  limiter: Limiter;
  monitor: Monitor;
  history: MetricsHistory;
  live: LiveViews;
  recordings: Recordings;
  /** RECORDINGS_BYTES and RECORDINGS_DAYS. */
  keeps: { maxBytes: number; days: number };
  log: Log;
}

const everyMs = 1_000;
/**
 * How long file contents are reused, in milliseconds; recordings are also read again when one has finished or was
 * removed.
 */
const historyMs = 60_000;
const recordingsMs = 30_000;

/** A part of the state that is read from files, and when it was last read. */
interface FilePart {
  readAt: number;
  isReading: boolean;
}

export class DashboardFeed {
  readonly #options: FeedOptions;
  readonly #titles = new Titles();
  readonly #listeners = new Set<(message: string) => void>();
  /** The last JSON sent for each part. */
  readonly #parts = new Map<keyof DashboardState, string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The store's count of changes at the last check. */
  #recorded = 0;
  readonly #curves: FilePart = { readAt: -Infinity, isReading: false };
  readonly #recordings: FilePart = { readAt: -Infinity, isReading: false };

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** The number of pages that are listening now. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Calls the listener with each message, a DashboardMessage as JSON, until the returned function is called. */
  listen(listener: (message: string) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#look(), everyMs);
    this.#look();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#parts.clear();
      for (const part of [this.#curves, this.#recordings]) part.readAt = -Infinity;
    };
  }

  /** The whole known state, for a page that has just connected or could not receive the last messages. */
  whole(): string {
    return messageOf(this.#parts);
  }

  #look(): void {
    const { sessions, limiter, monitor, live, recordings } = this.#options;
    // Starts the sampling of load.
    void monitor.current();
    const { cpu } = monitor.latest();
    const all = sessions.list();
    this.#titles.sessions = Math.min(all.length, dashboardLimits.sessions);
    this.#tell({
      figures: {
        running: limiter.running,
        concurrent: limiter.options.concurrent,
        waiting: limiter.queued,
        queued: limiter.options.queued,
        cpu: cpu === null ? null : Math.round(cpu * 100),
        memoryUsed: monitor.memory.used,
        memoryLimit: monitor.memory.limit,
      },
      sessions: {
        shown: all
          .slice(0, dashboardLimits.sessions)
          .map((session) => describeSession(session, { live, recordings, titles: this.#titles })),
        total: all.length,
      },
      queue: describeQueue(limiter),
    });
    const { changes } = recordings.store;
    if (changes !== this.#recorded) this.#recordings.readAt = -Infinity;
    this.#recorded = changes;
    void this.#read(this.#curves, historyMs, () => this.#readCurves());
    void this.#read(this.#recordings, recordingsMs, () => this.#readRecordings());
  }

  async #read(part: FilePart, maxAgeMs: number, read: () => Promise<Partial<DashboardState>>): Promise<void> {
    if (part.isReading || performance.now() - part.readAt < maxAgeMs) return;
    part.isReading = true;
    part.readAt = performance.now();
    try {
      const changed = await read();
      if (this.#listeners.size > 0) this.#tell(changed);
    } catch (cause) {
      this.#options.log.warn('dashboard.read-failed', { cause });
    } finally {
      part.isReading = false;
    }
  }

  async #readCurves(): Promise<Partial<DashboardState>> {
    return { curves: curvesOf(await this.#options.history.periods(), Date.now()) };
  }

  async #readRecordings(): Promise<Partial<DashboardState>> {
    const { recordings, keeps } = this.#options;
    const { recordings: found, next } = await recordings.store.list({ limit: dashboardLimits.recordings });
    const ended = found.filter(({ state }) => state !== 'recording');
    return { recordings: { shown: ended.map(describeRecording), more: next !== null, ...keeps } };
  }

  /** Sends the parts that have changed. */
  #tell(state: Partial<DashboardState>): void {
    const changed = new Map<keyof DashboardState, string>();
    for (const name of ['figures', 'curves', 'sessions', 'queue', 'recordings'] as const) {
      const text = state[name] && JSON.stringify(state[name]);
      if (text !== undefined && text !== this.#parts.get(name)) changed.set(name, text);
    }
    if (changed.size === 0) return;
    for (const [name, text] of changed) this.#parts.set(name, text);
    const message = messageOf(changed);
    for (const listener of this.#listeners) listener(message);
  }
}

function messageOf(parts: ReadonlyMap<string, string>): string {
  return `{"now":${Date.now()}${[...parts].map(([name, text]) => `,"${name}":${text}`).join('')}}`;
}
