/** Formats the results of "What a request costs" as text tables. */
import type { Costs, CostSide, CostSubject, CostTable } from '../site/costs.ts';

const subjects: Readonly<Record<CostSubject, string>> = {
  content: 'POST /content for a small page',
  bql: 'BrowserQL: goto and title for a small page',
  function: 'POST /function that returns the HTML of a small page',
  context: 'Session with a virtual browser: connect, open a page, load it, read its title, disconnect',
  process: 'Session with a browser process: connect, open a page, load it, read its title, disconnect',
};

/** Formats a number with about three significant digits, or a dash for a missing one. */
function formatNumber(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Formats a page size in bytes: `10 kB`, `5 MB`. */
export function formatSize(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} kB`;
}

const counters = {
  cgroup: 'CPU time is measured with a cgroup.',
  proc: 'CPU time is from /proc, which misses processes that are killed with their browser: a session with a browser process costs several times as much as shown.',
} as const;

/** Describes the machine and the run in sentences. */
export function describeRun({ machine, date, isQuick, seconds }: Costs): string {
  const month = new Date(date).toLocaleDateString('en', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const system = machine.system === 'linux' ? 'Linux' : machine.system;
  const run = isQuick ? 'One quick, rough run' : 'One run';
  return `${run} of ${Math.round(seconds / 60) || 1} min on ${machine.cores} cores, ${machine.memoryGiB} GiB, ${system} on ${machine.architecture}, ${machine.runtime}, ${month}. ${counters[machine.cpuCounter]}`;
}

export function tablesOf(costs: Costs): Record<string, CostTable> {
  const curves = Object.keys(subjects).map((name): [string, CostTable] => {
    // The keys of `subjects` are those of its type.
    const subject = name as CostSubject;
    return [subject, curveTable(subjects[subject], costs.curves[subject])];
  });
  return {
    ...Object.fromEntries(curves),
    overload: overloadTable(costs),
    idle: idleTable(costs),
    sizes: sizesTable(costs),
  };
}

const quantities = ['p50Ms', 'p95Ms', 'callsPerSecond', 'cpuMs', 'memoryMiB'] as const;

/** Each cell is server / baseline. */
function curveTable(title: string, { server, floor }: Costs['curves'][CostSubject]): CostTable {
  const rows = server.map((point, index) => {
    const beside = floor[index];
    const both = (name: (typeof quantities)[number]) =>
      `${formatNumber(point[name])} / ${formatNumber(beside?.[name] ?? null)}`;
    return [
      String(point.callers),
      ...quantities.map(both),
      point.refused + point.failed === 0 ? '0' : `${point.refused} refused, ${point.failed} failed`,
    ];
  });
  return {
    title,
    head: ['Clients', 'p50 ms', 'p95 ms', 'Requests/s', 'CPU ms per request', 'Memory MiB', 'Lost'],
    rows,
  };
}

function overloadTable({ overload }: Costs): CostTable {
  return {
    title: 'Ten concurrent requests per slot',
    head: ['Slots', 'Concurrent requests', 'Served', 'Rejected', 'p50 ms', 'p95 ms', 'Rejection p50 ms'],
    rows: overload.map((point) => [
      String(point.slots),
      String(point.callers),
      formatShare(point.served, point.served + point.refused),
      formatShare(point.refused, point.served + point.refused),
      formatNumber(point.p50Ms),
      formatNumber(point.p95Ms),
      formatNumber(point.refusalP50Ms),
    ]),
  };
}

const formatShare = (part: number, all: number) => `${((100 * part) / all).toFixed(0)}%`;

function idleTable({ idle }: Costs): CostTable {
  const { sessions, wanted, ended, contentP50Ms } = idle;
  return {
    title: 'Idle sessions with virtual browsers',
    head: ['Metric', 'Value'],
    rows: [
      ['Sessions open', sessions === wanted ? String(sessions) : `${sessions} of ${wanted}: ${ended}`],
      ['All processes, MiB per session', formatNumber(idle.treeMiB)],
      ['Server process only, MiB per session', formatNumber(idle.serverMiB)],
      ['All processes, CPU ms per second', formatNumber(idle.cpuMsPerSecond)],
      ['POST /content with them, p50 ms', formatNumber(contentP50Ms.beside)],
      ['POST /content without them, p50 ms', formatNumber(contentP50Ms.without)],
    ],
  };
}

function sizesTable({ sizes }: Costs): CostTable {
  const both = (pair: Record<CostSide, number>) => `${formatNumber(pair.server)} / ${formatNumber(pair.floor)}`;
  return {
    title: 'Pages of increasing size, p50 ms',
    head: [
      'Page',
      'POST /content: server / baseline',
      'page.content(): virtual browser',
      'Browser process',
      'Baseline',
    ],
    rows: sizes.map(({ bytes, content, read }) => [
      formatSize(bytes),
      both(content),
      formatNumber(read.context),
      formatNumber(read.process),
      formatNumber(read.floor),
    ]),
  };
}
