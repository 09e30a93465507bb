/** Draws line charts as markup for pages: colours are variables of the theme, and nothing needs an inline style. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { LineStyle } from '../site/costs.ts';

export interface Line {
  style: LineStyle;
  label: string;
  /** Points without a figure are left out. */
  points: readonly { x: number; y: number | null }[];
}

export interface Drawing {
  /** What a reader who does not see the drawing hears: its name, and what it shows. */
  title: string;
  description: string;
  x: { label: string; ticks: readonly number[]; say: (value: number) => string; base: number };
  y: { label: string };
  lines: readonly Line[];
}

/** Drawings have the width of a phone's column, so that their text is as large there as elsewhere. */
const width = 344;
const height = 232;

const colours: Readonly<Record<LineStyle, string>> = {
  first: 'var(--accent)',
  second: 'var(--warn)',
  third: 'var(--tk-keyword)',
  tail: 'var(--accent)',
  floor: 'currentColor',
};
/** Lines differ in more than their colour. */
const dashes: Partial<Record<LineStyle, string>> = { tail: '2 3', floor: '6 4' };

/** Draws on logarithmic scales. @returns an `<svg>` that names itself for those who do not see it */
export function drawLines({ title, description, x, y, lines }: Drawing): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const marks = lines.flatMap(({ style, points }) => {
    const shown = points.filter((point): point is { x: number; y: number } => point.y !== null && point.y > 0);
    const stroke = { stroke: colours[style], strokeWidth: style === 'tail' ? 1.5 : 2 };
    const dash = dashes[style];
    return [
      Plot.line(shown, { x: 'x', y: 'y', ...stroke, ...(dash === undefined ? {} : { strokeDasharray: dash }) }),
      ...(style === 'tail' ? [] : [Plot.dot(shown, { x: 'x', y: 'y', r: 2.5, fill: colours[style] })]),
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
      // Texts, not a format of ticks: Plot leaves out some labels of a logarithmic scale that it formats.
      Plot.axisX(x.ticks, { text: x.say, tickSize: 0, label: x.label, labelArrow: 'none' }),
      Plot.axisY(ticksIn(range), { text: sayTick, tickSize: 0, label: y.label, labelArrow: 'none' }),
      ...marks,
    ],
  });
  // Plot makes elements of the document that it is given; toString of linkedom's is their markup.
  return compact(String(svg), title, description);
}

const steps = [1, 2, 5];

/** The round numbers next to the values: a logarithmic scale ends at 1, 2 or 5 times a power of ten. */
function rangeOf(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rounds = Array.from({ length: 19 }, (_, power) => steps.map((step) => step * 10 ** (power - 9))).flat();
  return [rounds.findLast((round) => round <= least) ?? least, rounds.find((round) => round >= most) ?? most];
}

/** Round numbers within the range: every one of few, powers of ten of many. */
function ticksIn([from, to]: readonly [number, number]): number[] {
  const decades = Math.log10(to / from);
  const kept = decades > 3 ? [1] : steps;
  return Array.from({ length: 19 }, (_, power) => kept.map((step) => step * 10 ** (power - 9)))
    .flat()
    .filter((tick) => tick >= from * 0.999 && tick <= to * 1.001);
}

const sayTick = (value: number): string =>
  value >= 1_000 ? `${Number((value / 1_000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Takes out what the page's policy forbids or nobody needs, and puts in the names. */
function compact(markup: string, title: string, description: string): string {
  return (
    markup
      // A style sheet of its own: the pages' policy allows none, and theirs has what it says.
      .replace(/<style>[^]*?<\/style>/, '')
      // Names of groups inside an image are read by nobody.
      .replace(/ aria-(label|hidden)="[^"]*"/g, '')
      .replace(/<text [^>]*\/>/g, '')
      .replace(/\d+\.\d{2,}/g, (digits) => String(Number(Number(digits).toFixed(1))))
      .replace(
        /^<svg [^>]*>/,
        `<svg role="img" viewBox="0 0 ${width} ${height}" text-anchor="middle" fill="currentColor"><title>${escaped(title)}</title><desc>${escaped(description)}</desc>`,
      )
  );
}
