// Pairs of options of /content, /pdf and /screenshot: both have their effect, or the server says which one has none. A
// fixed sample; the files pairs-<route>.test.ts and `npm run options` walk over all of them.
// @tier ci
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { areas } from './inventory.ts';
import { leftOut } from './pairs/probes.ts';
import { type Outcome, probesOf, routes, walkPairs } from './pairs/walk.ts';

const test = suite('pairs of options', { timeoutMs: 180_000 });

/** Pairs in which one option cancels the other, with what the server says. */
const known: Readonly<Record<string, Outcome>> = {
  'options.format + options.width': 'listed',
  'options.format + options.height': 'listed',
  'options.format + options.preferCSSPageSize': 'described',
  'options.format + options.fullPage': 'refused',
  'options.preferCSSPageSize + options.fullPage': 'listed',
  'options.tagged + options.outline': 'listed',
  'options.type + options.omitBackground': 'listed',
  'options.quality + options.optimizeForSpeed': 'listed',
  'options.fullPage + options.clip': 'refused',
  'options.fromSurface + selector': 'refused',
  'options.captureBeyondViewport + selector': 'listed',
  'addScriptTag + setJavaScriptEnabled': 'refused',
};
const every = 16;

test('no pair of the sample loses an effect silently, and known conflicts are reported', async () => {
  let turn = 0;
  const { pairs, problems } = await walkPairs({
    alone: false,
    select: (_, ...names) => Object.hasOwn(known, names.join(' + ')) || turn++ % every === 0,
  });
  assert.equal(problems, []);
  assert.equal(
    pairs.filter(({ outcome }) => outcome === 'silent'),
    [],
  );
  const found = new Map(pairs.map(({ options, outcome }) => [options.join(' + '), outcome]));
  assert.equal(Object.fromEntries(Object.keys(known).map((pair) => [pair, found.get(pair)])), known);
});

test('each option has a probe, or a reason for having none', () => {
  const named = [
    ...Object.keys(leftOut),
    'url',
    'html',
    ...routes.flatMap((route) => probesOf(route, '').map(({ option }) => option)),
  ];
  const options = (areas['REST request bodies']?.options ?? []).flatMap(
    (name) => /^(?:page|pdf|screenshot):(.*)$/.exec(name)?.[1] ?? [],
  );
  const missing = options.filter(
    (path) => !named.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)),
  );
  assert.equal(missing, []);
});
