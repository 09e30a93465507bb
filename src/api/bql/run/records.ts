/** Reads list arguments, and finds or awaits a recorded request. */
import type { NetworkLog, RecordedRequest } from '../../../browser/page/requests/network-log.ts';
import type { Maybe } from './operation.ts';
import type { Step } from './step.ts';

/** Converts an argument that is one value or a list to a list without nulls. */
export function toList<T>(value: Maybe<T | readonly Maybe<T>[]>): T[] {
  const list: readonly Maybe<T>[] = Array.isArray(value) ? value : [value as Maybe<T>]; // A single value, not a list.
  return list.filter((one) => one !== null && one !== undefined);
}

/** Drops nulls, which mean the same as an omitted argument. */
export function withoutNulls<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  // The type of an entry is lost on the way.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined)) as T;
}

/** Returns the first record that matches; waits for one if there is none yet. */
export function firstRecord(
  step: Step,
  log: NetworkLog,
  fits: (record: RecordedRequest) => boolean,
): Promise<RecordedRequest> {
  return step.untilOnPage(() => Promise.resolve(log.records.find(fits)));
}
