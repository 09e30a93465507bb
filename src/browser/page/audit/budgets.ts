/** Checks Lighthouse's measurements against performance budgets, as Lighthouse did up to version 11. */
import type { Budget } from '../../../base/schema/request/performance-fields.ts';

type ResourceType = NonNullable<Budget['resourceSizes']>[number]['resourceType'];
export type Metric = NonNullable<Budget['timings']>[number]['metric'];

/** Number of requests of each type, and their sizes in bytes. */
export type ResourceSummary = Readonly<Record<ResourceType, { count: number; transferSize: number }>>;

/** A row of the table of `performance-budget`; cells for values within budget are undefined. */
export interface ResourceRow {
  resourceType: ResourceType;
  label: string;
  requestCount: number;
  transferSize: number;
  countOverBudget: string | undefined;
  sizeOverBudget: number | undefined;
}

interface Score {
  type: 'numeric';
  value: number;
  granularity: number;
}

/** A row of the table of `timing-budget`; the layout shift is a score, everything else is in milliseconds. */
export interface TimingRow {
  metric: Metric;
  label: string;
  measurement: number | Score | undefined;
  overBudget: number | Score | undefined;
}

const resourceLabels: Readonly<Record<ResourceType, string>> = {
  total: 'Total',
  document: 'Document',
  script: 'Script',
  stylesheet: 'Stylesheet',
  image: 'Image',
  media: 'Media',
  font: 'Font',
  other: 'Other',
  'third-party': 'Third-party',
};

const metricLabels: Readonly<Record<Metric, string>> = {
  'first-contentful-paint': 'First Contentful Paint',
  interactive: 'Time to Interactive',
  'max-potential-fid': 'Max Potential First Input Delay',
  'total-blocking-time': 'Total Blocking Time',
  'speed-index': 'Speed Index',
  'largest-contentful-paint': 'Largest Contentful Paint',
  'cumulative-layout-shift': 'Cumulative Layout Shift',
};

/** The budget for a page: the last one whose path matches. */
export function budgetFor(url: string, budgets: readonly Budget[]): Budget | undefined {
  const { pathname, search } = new URL(url);
  return budgets.findLast(({ path = '/' }) => fitsPath(pathname + search, path));
}

/** Whether a path matches a robots.txt pattern with at most one `*`, and `$` only at its end. */
function fitsPath(path: string, pattern: string): boolean {
  const toEnd = pattern.endsWith('$');
  const [before = '', after] = (toEnd ? pattern.slice(0, -1) : pattern).split('*');
  if (after === undefined) return toEnd ? path === before : path.startsWith(before);
  if (!path.startsWith(before)) return false;
  const rest = path.slice(before.length);
  return toEnd ? rest.endsWith(after) : rest.includes(after);
}

/** Whether a host is one that a budget names as first party; `*.example.com` includes example.com. */
export function isFirstParty(host: string, names: readonly string[]): boolean {
  return names.some((name) => {
    if (!name.startsWith('*.')) return host === name;
    return host === name.slice(2) || host.endsWith(name.slice(1));
  });
}

/** Returns a row for each resource type that has a budget, the one furthest above its budget first. */
export function resourceRows(
  { resourceSizes = [], resourceCounts = [] }: Budget,
  summary: ResourceSummary,
): ResourceRow[] {
  const types = new Set([...resourceSizes, ...resourceCounts].map(({ resourceType }) => resourceType));
  const rows = [...types].map((resourceType): ResourceRow => {
    const { count, transferSize } = summary[resourceType];
    const of = (entry: { resourceType: ResourceType }) => entry.resourceType === resourceType;
    const size = (resourceSizes.find(of)?.budget ?? Infinity) * 1_024;
    const over = count - (resourceCounts.find(of)?.budget ?? Infinity);
    return {
      resourceType,
      label: resourceLabels[resourceType],
      requestCount: count,
      transferSize,
      countOverBudget: over > 0 ? `${over} request${over === 1 ? '' : 's'}` : undefined,
      sizeOverBudget: transferSize > size ? transferSize - size : undefined,
    };
  });
  return rows.toSorted((a, b) => (b.sizeOverBudget ?? 0) - (a.sizeOverBudget ?? 0));
}

/** Returns a row for each metric that has a budget, the one furthest above its budget first. */
export function timingRows(
  { timings = [] }: Budget,
  measured: Readonly<Partial<Record<Metric, number | undefined>>>,
): TimingRow[] {
  const rows = timings.map(({ metric, budget, tolerance = 0 }) => {
    const value = measured[metric];
    const over = value !== undefined && value > budget + tolerance ? value - budget : undefined;
    return { metric, label: metricLabels[metric], value, over };
  });
  return rows
    .toSorted((a, b) => (b.over ?? 0) - (a.over ?? 0))
    .map(({ metric, label, value, over }) => {
      const cell = (number: number | undefined) =>
        metric === 'cumulative-layout-shift' && number !== undefined
          ? ({ type: 'numeric', value: number, granularity: 0.01 } as const)
          : number;
      return { metric, label, measurement: cell(value), overBudget: cell(over) };
    });
}
