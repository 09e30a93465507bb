/** Draws the four metrics, each with a curve of the last hour. */
import type { Curves, Figures } from '../../../../control/dashboard/protocol/state.ts';
import { formatDuration } from '../live/watch/status.ts';
import { part, setText, within } from '../dom/parts.ts';
import { gibibytes } from './words.ts';

const width = 200;
const height = 40;
/** Space above the highest point. */
const gap = 4;

interface Figure {
  value: string;
  rest: string;
  points: readonly number[];
  /** Minimum value at the top of the curve. */
  full: number;
  /** Whether a dotted line shows where `full` is. */
  isLimit?: boolean;
}

export function showFigures(figures: Figures, curves: Curves | undefined): void {
  const { running, concurrent, waiting, queued, cpu, memoryUsed, memoryLimit } = figures;
  const share = memoryLimit > 0 ? (memoryUsed / memoryLimit) * 100 : 0;
  const { running: ran = [], waiting: waited = [], cpu: cpus = [], memory = [] } = curves ?? {};
  show('running', {
    value: String(running),
    rest: `of ${concurrent}`,
    points: [...ran, running],
    full: concurrent,
    isLimit: true,
  });
  show('waiting', { value: String(waiting), rest: `of ${queued}`, points: [...waited, waiting], full: 4 });
  show('cpu', {
    value: cpu === null ? '–' : String(cpu),
    rest: cpu === null ? '' : '%',
    points: [...cpus, cpu ?? 0],
    full: 100,
  });
  show('memory', {
    value: gibibytes(memoryUsed),
    rest: `of ${gibibytes(memoryLimit)} GiB`,
    points: [...memory, share],
    full: 100,
  });
}

/** @param ms how long the first request in the queue has waited; undefined when the queue is empty */
export function showLongestWait(ms: number | undefined): void {
  const tag = within(part('waiting', HTMLElement), '.badge', HTMLElement);
  tag.hidden = ms === undefined;
  setText(tag, `${formatDuration(Math.round((ms ?? 0) / 1_000))} wait`);
}

function show(id: string, { value, rest, points, full, isLimit = false }: Figure): void {
  const box = part(id, HTMLElement);
  setText(within(box, 'b span', HTMLElement), value);
  setText(within(box, 'b small', HTMLElement), rest);
  const top = Math.max(full, ...points, 1);
  const y = (point: number) => (height - (point / top) * (height - gap)).toFixed(1);
  const x = (index: number) => ((index / (points.length - 1)) * width).toFixed(1);
  const line =
    points.length < 2
      ? `M0 ${y(points[0] ?? 0)}H${width}`
      : points.map((point, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(point)}`).join('');
  draw(box, '.curve', line);
  draw(box, '.under', `${line}V${height}H0Z`);
  if (isLimit) draw(box, '.limit', `M0 ${y(full)}H${width}`);
}

const draw = (box: HTMLElement, selector: string, path: string) =>
  within(box, selector, SVGPathElement).setAttribute('d', path);
