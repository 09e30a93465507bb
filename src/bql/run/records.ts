/** Asking the record of requests: what was there, or the first that comes. */
import type { NetworkLog, RecordedRequest } from '../../page/requests/network-log.ts';
import type { Maybe } from './operation.ts';
import type { Step } from './step.ts';

/** A list argument, of which one value or a list may be given, without its nulls. */
export function given<T>(value: Maybe<T | readonly Maybe<T>[]>): T[] {
  const list: readonly Maybe<T>[] = Array.isArray(value) ? value : [value as Maybe<T>]; // Not a list, then one value.
  return list.filter((one) => one !== null && one !== undefined);
}

/** The first record that fits, waiting for one if need be. */
export function firstRecord(
  step: Step,
  log: NetworkLog,
  fits: (record: RecordedRequest) => boolean,
): Promise<RecordedRequest> {
  return step.until(() => Promise.resolve(log.records.find(fits)));
}
