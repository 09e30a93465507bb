/** Draws line charts as markup for pages: colors are variables of the theme, and nothing needs an inline style. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { LineStyle } from '../site/costs.ts';

export interface Line {
  style: LineStyle;
  label: string;
  /** Points without a value are left out. */
  points: readonly { x: number; y: number | null }[];
}

export interface Drawing {
  /** Accessible name and description for screen readers. */
  title: string;
  description: string;
  x: { label: string; ticks: readonly number[]; say: (value: number) => string; base: number };
  unit: string;
  lines: readonly Line[];
}

/** Drawings have the width of the text column on a phone, so that their text has the same size there as elsewhere. */
const width = 344;
const height = 232;

const lineColors: Readonly<Record<LineStyle, string>> = {
  first: 'var(--accent)',
  second: 'var(--warn)',
  third: 'var(--tk-keyword)',
  tail: 'var(--accent)',
  floor: 'currentColor',
};
/** Dashes, so that lines differ not only in color. */
const dashes: Partial<Record<LineStyle, string>> = { tail: '2 3', floor: '6 4' };

/** Draws on logarithmic scales. @returns an `<svg>` with an accessible name and description */
export function drawLines({ title, description, x, unit, lines }: Drawing): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const marks = lines.flatMap(({ style, points }) => {
    const shown = points.filter((point): point is { x: number; y: number } => point.y !== null && point.y > 0);
    const stroke = { stroke: lineColors[style], strokeWidth: style === 'tail' ? 1.5 : 2 };
    const dash = dashes[style];
    return [
      Plot.line(shown, { x: 'x', y: 'y', ...stroke, ...(dash === undefined ? {} : { strokeDasharray: dash }) }),
      ...(style === 'tail' ? [] : [Plot.dot(shown, { x: 'x', y: 'y', r: 2.5, fill: lineColors[style] })]),
    ];
  });
  const values = lines.flatMap(({ points }) => points.flatMap((point) => point.y ?? [])).filter((value) => value > 0);
  const range = rangeOf(values);
  const svg = Plot.plot({
    document,
    width,
    height,
    marginTop: 26,
    marginRight: 20,
    marginBottom: 38,
    marginLeft: 46,
    x: { type: 'log', base: x.base },
    y: { type: 'log', domain: range },
    marks: [
      Plot.gridY(ticksIn(range), { stroke: 'var(--line)', strokeOpacity: 1 }),
      // Use `text` instead of a tick format: Plot omits some formatted labels of a logarithmic scale.
      Plot.axisX(x.ticks, { text: x.say, tickSize: 0, label: x.label, labelArrow: 'none' }),
      Plot.axisY(ticksIn(range), { text: sayTick, tickSize: 0, label: unit, labelArrow: 'none' }),
      ...marks,
    ],
  });
  // Plot creates elements in the given document; toString of a linkedom element returns its markup.
  return compact(String(svg), title, description);
}

/** Returns the given steps times all powers of ten. */
const roundNumbers = (steps: readonly number[]): number[] =>
  Array.from({ length: 19 }, (_, power) => steps.map((step) => step * 10 ** (power - 9))).flat();

/** Returns the range extended to round numbers: a logarithmic scale ends at 1, 2 or 5 times a power of ten. */
function rangeOf(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rounds = roundNumbers([1, 2, 5]);
  return [rounds.findLast((round) => round <= least) ?? least, rounds.find((round) => round >= most) ?? most];
}

/** Returns the round numbers within the range: all of them in a short range, only powers of ten in a long one. */
function ticksIn([from, to]: readonly [number, number]): number[] {
  const steps = Math.log10(to / from) > 3 ? [1] : [1, 2, 5];
  return roundNumbers(steps).filter((tick) => tick >= from * 0.999 && tick <= to * 1.001);
}

const sayTick = (value: number): string =>
  value >= 1_000 ? `${Number((value / 1_000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Removes markup that the page's policy forbids or that is not needed, and adds title and description. */
function compact(markup: string, title: string, description: string): string {
  return (
    markup
      // Plot's own style element: the pages' policy forbids it, and their style sheet has the same rules.
      .replace(/<style>[^]*?<\/style>/, '')
      // Screen readers do not read names of groups inside an image.
      .replace(/ aria-(label|hidden)="[^"]*"/g, '')
      .replace(/<text [^>]*\/>/g, '')
      .replace(/\d+\.\d{2,}/g, (digits) => String(Number(Number(digits).toFixed(1))))
      .replace(
        /^<svg [^>]*>/,
        `<svg role="img" viewBox="0 0 ${width} ${height}" text-anchor="middle" fill="currentColor"><title>${escaped(title)}</title><desc>${escaped(description)}</desc>`,
      )
  );
}
