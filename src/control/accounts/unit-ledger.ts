/**
 * Stores the units of accounts in UNITS_FILE: lines of JSON, appended once a minute, so that a killed process loses at
 * most one minute of charges and counts none twice.
 */
import * as v from 'valibot';
import { appendDurably, readTextIfThere, removeFile, renamePath } from '../../base/runtime/files.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import type { Log } from '../../base/telemetry/log.ts';
import type { Account } from './account.ts';
import { monthOf } from './units.ts';

const saveEveryMs = 60_000;

const line = v.object({
  month: v.string(),
  units: v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});

type Sums = Record<string, number>;

export class UnitLedger implements AsyncDisposable {
  readonly #path: string;
  readonly #accounts: () => readonly Account[];
  readonly #log: Log;
  /** Totals of accounts that the tokens file does not contain now; they are restored when it does. */
  readonly #others = new Map<string, number>();
  #month = monthOf(Date.now());
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #saves = new SerialQueue();
  /** True when the last line may be incomplete: the next write starts with a line break. */
  #mayBeCut = false;

  /** @param accounts the accounts whose units are kept */
  constructor(path: string, accounts: () => readonly Account[], log: Log) {
    this.#path = path;
    this.#accounts = accounts;
    this.#log = log;
  }

  /** Restores the totals of this month, and saves every minute until disposed. */
  async start(): Promise<void> {
    const sums = sumsOf((await readTextIfThere(this.#path)) ?? '', this.#month);
    for (const [name, units] of Object.entries(sums)) this.#others.set(name, units);
    this.#adopt();
    // Replace all lines with one line of totals: the file does not grow from month to month.
    this.#mayBeCut = !(await this.#logFailure(async () => {
      const next = `${this.#path}.new`;
      await removeFile(next);
      await appendDurably(next, Object.keys(sums).length === 0 ? '' : lineOf(this.#month, sums));
      await renamePath(next, this.#path);
    }));
    this.#timer = setInterval(() => void this.save(), saveEveryMs);
  }

  /** Restores the earlier usage of accounts that are new in the tokens file. */
  #adopt(): void {
    if (monthOf(Date.now()) !== this.#month) {
      this.#month = monthOf(Date.now());
      this.#others.clear();
    }
    for (const account of this.#accounts()) {
      const units = this.#others.get(account.name);
      if (units === undefined) continue;
      this.#others.delete(account.name);
      account.units.restore(this.#month, units);
    }
  }

  /** Appends the units charged since the last save. Never rejects. */
  save(): Promise<void> {
    this.#adopt();
    const month = monthOf(Date.now());
    const charged = this.#accounts()
      .map((account) => ({ account, units: account.units.takeUnsaved() }))
      .filter(({ units }) => units > 0);
    if (charged.length === 0) return this.#saves.idle();
    const sums = Object.fromEntries(charged.map(({ account, units }) => [account.name, units]));
    return this.#saves.run(async () => {
      const text = `${this.#mayBeCut ? '\n' : ''}${lineOf(month, sums)}`;
      const isSaved = await this.#logFailure(() => appendDurably(this.#path, text));
      this.#mayBeCut = !isSaved;
      if (!isSaved) for (const { account, units } of charged) account.units.putBack(month, units);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }

  /** Logs a failure. @returns true when the work succeeded */
  async #logFailure(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#log.warn('units.save-failed', { cause: error, fix: 'set UNITS_FILE to a writable file' });
      return false;
    }
  }
}

function lineOf(month: string, units: Sums): string {
  return `${JSON.stringify({ month, units })}\n`;
}

/** The totals of a month. Skips lines that are not charges, such as one that a crash has truncated. */
function sumsOf(text: string, month: string): Sums {
  const sums = new Map<string, number>();
  for (const written of text.split('\n')) {
    const parsed = parseLine(written);
    if (parsed?.month !== month) continue;
    for (const [name, units] of Object.entries(parsed.units)) sums.set(name, (sums.get(name) ?? 0) + units);
  }
  return Object.fromEntries(sums);
}

function parseLine(text: string): v.InferOutput<typeof line> | undefined {
  try {
    const result = v.safeParse(line, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
