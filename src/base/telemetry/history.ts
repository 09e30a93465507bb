// Stores closed metrics periods as JSON lines in the file METRICS_JSON_PATH. A file that cannot be written causes a log
// warning, never a failed request.

import { SerialQueue } from '../runtime/serial.ts';
import type { Log } from './log.ts';
import type { Load, Metrics, Period } from './metrics.ts';

/** Access to the file. */
export interface HistoryFile {
  /** The whole text; undefined when the file does not exist yet. */
  read(): Promise<string | undefined>;
  append(text: string): Promise<void>;
  replace(text: string): Promise<void>;
}

export interface HistoryOptions {
  readonly metrics: Metrics;
  readonly file: HistoryFile;
  readonly load: () => Load;
  readonly log: Log;
}

/** Length of a period in milliseconds: clients of /metrics rely on it. */
const periodMs = 300_000;
const maxPeriods = 10_000;
/** The file is rewritten only when it has this many lines too many, not after every period. */
const slackPeriods = 1_000;

export class MetricsHistory implements AsyncDisposable {
  readonly #options: HistoryOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #lines: number | undefined;
  readonly #saves = new SerialQueue();

  /** Starts saving a period every five minutes until disposed. */
  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.save(), periodMs);
  }

  /** Saved periods, oldest first, at most 10,000. Lines that are not periods are skipped. */
  async periods(): Promise<Period[]> {
    await this.#saves.idle();
    const text = await this.#options.file.read().catch(() => undefined);
    return linesOf(text)
      .slice(-maxPeriods)
      .flatMap((line) => parsePeriod(line) ?? []);
  }

  /** Closes the current period and appends it. Never rejects. */
  save(): Promise<void> {
    const period = this.#options.metrics.take(this.#options.load());
    return this.#saves.run(() => this.#append(period));
  }

  /** Stops the timer and saves the last, shorter period if anything happened in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const period = this.#options.metrics.current(this.#options.load());
    const { successful, error, timedout, rejected, unauthorized } = period;
    if (successful + error + timedout + rejected + unauthorized > 0) await this.save();
    await this.#saves.idle();
  }

  async #append(period: Period): Promise<void> {
    const { file, log } = this.#options;
    try {
      const text = this.#lines === undefined ? await file.read() : undefined;
      this.#lines ??= linesOf(text).length;
      // A full disk may have cut the last line: start the next one on a new line.
      const start = text === undefined || text === '' || text.endsWith('\n') ? '' : '\n';
      await file.append(`${start}${JSON.stringify(period)}\n`);
      this.#lines++;
      if (this.#lines < maxPeriods + slackPeriods) return;
      const kept = linesOf(await file.read()).slice(-maxPeriods);
      await file.replace(`${kept.join('\n')}\n`);
      this.#lines = kept.length;
    } catch (error) {
      this.#lines = undefined;
      log.warn('metrics.save-failed', { cause: error, fix: 'set METRICS_JSON_PATH to a writable file' });
    }
  }
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}

function parsePeriod(line: string): Period | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isPeriod(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPeriod(value: unknown): value is Period {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const numbers = ['date', 'successful', 'error', 'timedout', 'queued', 'rejected', 'unhealthy', 'maxConcurrent'];
  return (
    [...numbers, 'maxTime', 'minTime', 'totalTime', 'units'].every((name) => typeof fields.get(name) === 'number') &&
    Array.isArray(fields.get('sessionTimes'))
  );
}
