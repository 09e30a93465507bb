// The charts and tables of "What a request costs" show the saved benchmark results and follow the rules for pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { drawLines } from '../../src/web/docs/charts/draw.ts';
import { figuresOf } from '../../src/web/docs/charts/figures.ts';
import type { Costs, CostSubject } from '../../src/web/docs/site/costs.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation costs');
const path = join(import.meta.dirname, '../../docs-content/overview/curves.json');
const costs: Costs = JSON.parse(readFileSync(path, 'utf8'));
const { charts, tables, machine } = figuresOf(costs);

/** Points of the drawn lines, in drawing units. */
const drawn = (svg: string) =>
  [...svg.matchAll(/<circle[^>]*>/g)].map(([circle]) => ({
    x: Number(/ cx="([^"]*)"/.exec(circle)?.[1]),
    y: Number(/ cy="([^"]*)"/.exec(circle)?.[1]),
  }));

const drawing = {
  title: 'A & B',
  description: 'ms by callers < 8',
  x: { label: 'callers', ticks: [1, 2, 4], say: String, base: 2 },
  unit: 'ms',
};

test('a chart places every point correctly on logarithmic scales', () => {
  const points = [1, 2, 4].map((x) => ({ x, y: x * 10 }));
  const svg = drawLines({ ...drawing, lines: [{ style: 'first', label: 'a', points }] });
  const [first, second, third, ...more] = drawn(svg);
  assert.ok(first && second && third);
  assert.equal(more, []);
  // Equal factors are equal distances, both to the right and upward.
  assert.ok(Math.abs(second.x - first.x - (third.x - second.x)) < 0.3, svg);
  assert.ok(Math.abs(first.y - second.y - (second.y - third.y)) < 0.3, svg);
  assert.ok(second.y < first.y);
});

test('a point without a value is left out', () => {
  const points = [
    { x: 1, y: 10 },
    { x: 2, y: null },
    { x: 4, y: 40 },
  ];
  assert.is(drawn(drawLines({ ...drawing, lines: [{ style: 'first', label: 'a', points }] })).length, 2);
});

test('a chart has a title, uses theme colors and has no style that the Content-Security-Policy forbids', () => {
  const svg = drawLines({ ...drawing, lines: [{ style: 'floor', label: 'a', points: [{ x: 1, y: 10 }] }] });
  assert.match(svg, /^<svg role="img" [^>]*><title>A &amp; B<\/title><desc>ms by callers &lt; 8<\/desc>/);
  for (const { svg: one, title } of [...Object.values(charts).flat(), { svg, title: 'sample' }]) {
    assert.not.match(one, /<style|\sstyle=/, title);
    const colors = [...one.matchAll(/ (?:fill|stroke)="([^"]*)"/g)].map(([, color]) => color);
    assert.equal(
      colors.filter((color) => !/^(none|currentColor|var\(--[a-z-]+\))$/.test(color ?? '')),
      [],
      title,
    );
    assert.not.match(one, /NaN|Infinity|undefined/, title);
  }
});

test('the tables contain each point of each curve, and the text describes the machine', () => {
  for (const [subject, { server, floor }] of Object.entries(costs.curves)) {
    const rows = tables[subject]?.rows ?? [];
    assert.equal(
      rows.map(([callers]) => callers),
      server.map(({ callers }) => String(callers)),
    );
    assert.is(floor.length, server.length, subject);
    assert.match(rows[0]?.[1] ?? '', /^[\d.]+ \/ [\d.]+$/);
  }
  assert.is(tables['overload']?.rows.length, costs.overload.length);
  assert.is(tables['sizes']?.rows.length, costs.sizes.length);
  assert.match(machine, `${costs.machine.cores} cores`);
});

test('the numbers on the sizing page match the saved benchmark results', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs-content/enterprise/sizing.mdx'), 'utf8');
  const said = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const near = (is: number, wanted: number, what: string) =>
    assert.ok(Math.abs(is / wanted - 1) < 0.2, `${what}: the page says ${is}, the benchmark says ${wanted}`);
  /** Memory per additional caller, from the first point of a curve to its last. */
  const slope = (subject: CostSubject) => {
    const points = costs.curves[subject].server;
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) throw new Error(`No curve for ${subject}`);
    return (last.memoryMiB - first.memoryMiB) / (last.callers - first.callers);
  };
  near(said(/(\d+) MiB with `\/content`/), slope('content'), 'memory per call');
  near(said(/(\d+) MiB with a virtual browser/), slope('context'), 'memory per virtual browser');
  near(said(/(\d+) MiB with a browser process/), slope('process'), 'memory per browser process');
  const times = costs.curves.content.server.map(({ cpuMs }) => (cpuMs ?? 0) / 1_000).toSorted((a, b) => a - b);
  near(said(/10 × ([\d.]+) s/), times[Math.floor(times.length / 2)] ?? 0, 'CPU time per call');
});
