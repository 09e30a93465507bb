/** Reads and applies target filters, as `Target.setAutoAttach`, `setDiscoverTargets` and `getTargets` accept them. */
import { isPlainObject } from '../../../base/schema/record.ts';

interface Entry {
  /** Every type when omitted. */
  type?: string;
  exclude?: boolean;
}

/** The first entry with the type of a target decides; targets that match no entry are left out. */
export type TargetFilter = readonly Entry[];

/**
 * The filter for commands that specify none: pages rather than their tabs, and everything else except the browser
 * itself.
 */
const defaultFilter: TargetFilter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];

/** Reads the parameter of a command; undefined when it is not a filter. */
export function readFilter(value: unknown): TargetFilter | undefined {
  if (value === undefined) return defaultFilter;
  if (!Array.isArray(value)) return undefined;
  const entries: Entry[] = [];
  for (const entry of value) {
    if (!isPlainObject(entry)) return undefined;
    const { type, exclude = false } = entry;
    if (typeof exclude !== 'boolean') return undefined;
    if (type === undefined) entries.push({ exclude });
    else if (typeof type === 'string') entries.push({ type, exclude });
    else return undefined;
  }
  return entries;
}

/** Whether a filter accepts targets of a type. */
export function accepts(filter: TargetFilter, type: string): boolean {
  const decides = filter.find((entry) => entry.type === undefined || entry.type === type);
  return decides !== undefined && !(decides.exclude ?? false);
}
