/** Creates the charts and tables of "What a request costs" from the results of a run. */
import type { CostChart, CostFigures, CostPoint, Costs } from '../site/costs.ts';
import { drawLines, type Drawing, type Line } from './draw.ts';
import { formatSize, describeRun, tablesOf } from './tables.ts';

type Quantity = 'p50Ms' | 'p95Ms' | 'cpuMs' | 'memoryMiB';

/** @param costs the results that the bench has saved */
export function figuresOf(costs: Costs): CostFigures {
  const { content, bql, function: code, context, process } = costs.curves;
  const pair = (name: string, { server, floor }: { server: CostPoint[]; floor: CostPoint[] }) =>
    callersChart(costs, `${name}: ms until the response`, 'ms', [
      line('first', 'median', server, 'p50Ms'),
      line('tail', '95th percentile', server, 'p95Ms'),
      line('floor', 'baseline', floor, 'p50Ms'),
    ]);
  const pages = (title: string, label: string, quantity: Quantity) =>
    callersChart(costs, title, label, [
      line('first', '/content', content.server, quantity),
      line('second', 'BrowserQL', bql.server, quantity),
      line('third', '/function', code.server, quantity),
      line('floor', 'baseline', content.floor, quantity),
    ]);
  const sessions = (title: string, label: string, quantity: Quantity) =>
    callersChart(costs, title, label, [
      line('first', 'virtual browser', context.server, quantity),
      line('second', 'browser process', process.server, quantity),
      line('floor', 'baseline', context.floor, quantity),
    ]);
  return {
    machine: describeRun(costs),
    highlights: highlightsOf(costs),
    tables: tablesOf(costs),
    charts: {
      latency: [
        pair('/content', content),
        pair('BrowserQL', bql),
        pair('/function', code),
        sessions('Sessions: ms until the title', 'ms', 'p50Ms'),
      ],
      processor: [
        pages('Requests: CPU time per request', 'CPU ms', 'cpuMs'),
        sessions('Sessions: CPU time per session', 'CPU ms', 'cpuMs'),
      ],
      memory: [
        pages('Requests: peak memory', 'MiB', 'memoryMiB'),
        sessions('Sessions: peak memory', 'MiB', 'memoryMiB'),
      ],
      overload: [overloadChart(costs)],
      sizes: sizeCharts(costs),
    },
  };
}

function highlightsOf({ machine, idle, sizes }: Costs): CostFigures['highlights'] {
  const [smallest] = sizes;
  if (smallest === undefined) throw new Error('The run has no page sizes');
  return {
    contentMs: smallest.content.server,
    floorMs: smallest.content.floor,
    idleSessions: idle.sessions,
    idleMiB: idle.treeMiB,
    cores: machine.cores,
  };
}

function line(style: Line['style'], label: string, points: readonly CostPoint[], quantity: Quantity): Line {
  return { style, label, points: points.map((point) => ({ x: point.callers, y: point[quantity] })) };
}

function callersChart(costs: Costs, title: string, unit: string, lines: readonly Line[]): CostChart {
  const ticks = costs.curves.content.server.map(({ callers }) => callers);
  return chart({ title, x: { label: 'concurrent clients', ticks, say: String, base: 2 }, unit, lines });
}

function overloadChart({ overload }: Costs): CostChart {
  const points = (of: (point: Costs['overload'][number]) => number) =>
    overload.map((point) => ({ x: point.slots, y: of(point) }));
  return chart({
    title: 'Overload: ms until the response',
    x: { label: 'slots (CONCURRENT)', ticks: overload.map(({ slots }) => slots), say: String, base: 2 },
    unit: 'ms',
    lines: [
      { style: 'first', label: 'median', points: points(({ p50Ms }) => p50Ms) },
      { style: 'tail', label: '95th percentile', points: points(({ p95Ms }) => p95Ms) },
      { style: 'third', label: 'refusal', points: points(({ refusalP50Ms }) => refusalP50Ms) },
    ],
  });
}

function sizeCharts({ sizes }: Costs): CostChart[] {
  const points = (of: (point: Costs['sizes'][number]) => number) =>
    sizes.map((point) => ({ x: point.bytes, y: of(point) }));
  const x = { label: 'page size', ticks: sizes.map(({ bytes }) => bytes), say: formatSize, base: 10 };
  return [
    chart({
      title: '/content: ms by page size',
      x,
      unit: 'ms',
      lines: [
        { style: 'first', label: 'server', points: points(({ content }) => content.server) },
        { style: 'floor', label: 'baseline', points: points(({ content }) => content.floor) },
      ],
    }),
    chart({
      title: 'page.content(): ms by page size',
      x,
      unit: 'ms',
      lines: [
        { style: 'first', label: 'virtual browser', points: points(({ read }) => read.context) },
        { style: 'second', label: 'browser process', points: points(({ read }) => read.process) },
        { style: 'floor', label: 'baseline', points: points(({ read }) => read.floor) },
      ],
    }),
  ];
}

/** Draws a chart, with a description that contains the first and the last value of each line. */
function chart(drawing: Omit<Drawing, 'description'>): CostChart {
  const { title, x, unit, lines } = drawing;
  const ends = lines.map(({ label, points }) => {
    const said = [points.at(0), points.at(-1)].map((point) =>
      point === undefined || point.y === null
        ? 'none'
        : `${point.y.toFixed(point.y < 10 ? 1 : 0)} at ${x.say(point.x)}`,
    );
    return `${label}: ${said.join(', ')}`;
  });
  const description = `${unit} by ${x.label}. ${ends.join('; ')}.`;
  return {
    title,
    legend: lines.map(({ style, label }) => ({ style, label })),
    svg: drawLines({ ...drawing, description }),
  };
}
