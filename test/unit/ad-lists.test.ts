// The rules of blockAds: the built-in lists and the operator's own lists.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/telemetry/log.ts';
import { AdLists } from '../../src/browser/page/ads/ad-lists.ts';
import type { AdBlocker } from '../../src/browser/page/ads/ad-test.ts';
import { buildAdEngine } from '../../src/build/ad-engine.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const test = suite('ad lists', { timeoutMs: 60_000 });
const directory = temporaryDirectory();

test.before(() => buildAdEngine(join(import.meta.dirname, '../..')));

const log = createLog({ level: 'error', write: (line) => console.error(line) });
const open = (lists: string[], lookEveryMs = 0) =>
  new AdLists({
    lists,
    cacheDirectory: join(directory, 'cache'),
    log,
    stopping: new AbortController().signal,
    lookEveryMs,
  });
const documentUrl = 'https://news.example/';
const blocks = (blocker: AdBlocker, url: string) => blocker.blocks({ url, kind: 'script', documentUrl });

test('the built-in lists block advertisers and trackers, and hide their elements', async () => {
  const lists = open([]);
  const blocker = await lists.blocker();
  assert.ok(blocks(blocker, 'https://securepubads.g.doubleclick.net/tag/js/gpt.js'), 'EasyList');
  assert.ok(blocks(blocker, 'https://www.google-analytics.com/analytics.js'), 'EasyPrivacy');
  assert.not.ok(blocks(blocker, 'https://news.example/app.js'));
  assert.not.ok(blocks(blocker, 'data:text/javascript,1'));
  assert.match(blocker.styles(documentUrl), 'div-gpt-ad');
  const css = blocker.stylesFor(documentUrl, { classes: [], ids: ['google_ads', 'story'], hrefs: [] });
  assert.match(css, '#google_ads');
  assert.not.match(css, '#story');
  assert.is(await lists.blocker(), blocker, 'it is created once');
  assert.not.ok(readdirSync(directory).includes('cache'), 'nothing is cached for them');
});

test('in markup without a URL, every request counts as third-party', async () => {
  const blocker = await open([]).blocker();
  assert.ok(blocker.blocks({ url: 'https://ad.doubleclick.net/x.png', kind: 'image', documentUrl: 'about:blank' }));
});

test('custom lists are compiled once, cached, and recompiled when they change', async () => {
  const list = join(directory, 'own.txt');
  writeFileSync(list, '||one.example^\n##.own-advert\n');
  const lists = open([list]);
  const first = await lists.blocker();
  assert.ok(blocks(first, 'https://one.example/x.js'));
  assert.not.ok(
    blocks(first, 'https://www.google-analytics.com/analytics.js'),
    'custom lists replace the built-in ones',
  );
  assert.match(first.stylesFor(documentUrl, { classes: ['own-advert'], ids: [], hrefs: [] }), '.own-advert');
  const kept = readdirSync(join(directory, 'cache'));
  assert.is(kept.length, 1);
  assert.ok(blocks(await open([list]).blocker(), 'https://one.example/x.js'), 'another server reads the cached one');
  assert.equal(readdirSync(join(directory, 'cache')), kept);

  writeFileSync(list, '||two.example^\n||three.example^\n');
  await until('the new rules', async () => blocks(await lists.blocker(), 'https://two.example/x.js'), 40_000);
  assert.not.ok(blocks(await lists.blocker(), 'https://one.example/x.js'));
  assert.equal(readdirSync(join(directory, 'cache')), kept, 'no unfinished file is left behind');
});

test('an unreadable list is an error, not a reason to run without rules', async () => {
  const missing = open([join(directory, 'missing.txt')]);
  const outcome = await missing.blocker().then(
    () => 'a blocker',
    (error: unknown) => String(error),
  );
  assert.match(outcome, /ENOENT|missing\.txt/);
});
