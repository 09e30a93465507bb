// The reference: groups of operations, example responses, field lists with their filter, and at three widths that
// no word is broken and nothing is wider than the window.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Page } from 'puppeteer-core';
import { loadLanguage } from '../../src/api/bql/language/schema.ts';
import { collectFacts, openApiDocument } from '../../src/build/docs/facts.ts';
import { schemaReference } from '../../src/build/docs/schema.ts';
import { fieldTree, splitFields } from '../../src/web/docs/site/field-tree.ts';
import type { Field } from '../../src/web/docs/site/model.ts';
import { groupRoutes } from '../../src/web/docs/site/route-groups.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('reference', { timeoutMs: 120_000 });
const document = openApiDocument();
const facts = await collectFacts(document);
let service: Service;
let reader: Reader;

test.before(async () => {
  await builtDocs();
  [service, reader] = await Promise.all([startService({ env: { SPARES: '0' } }), startReader()]);
});
test.after(() => stopAll(reader, service));

test('every operation of BrowserQL is in exactly one group', async () => {
  const { schema } = await loadLanguage();
  const operations = [schema.getMutationType(), schema.getQueryType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const [first] = (await schemaReference(join(import.meta.dirname, '../../src/api/bql/language/schema.graphql'))).pages;
  const groups = first?.content.kind === 'schema' ? first.content.groups : [];
  assert.equal(groups.flatMap(({ links }) => links.map(({ label }) => label)).toSorted(), operations.toSorted());
});

test('every route is in exactly one group in the reference', () => {
  const grouped = groupRoutes(facts.routes).flatMap(({ members }) => members);
  assert.is(grouped.length, facts.routes.length);
  assert.is(new Set(grouped).size, facts.routes.length);
});

test('example responses match their schemas', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  let checked = 0;
  for (const { path, method, answerExample } of facts.routes) {
    if (answerExample === undefined) continue;
    const pointer = `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
    const valid = ajv.validate(`openapi#${encodeURI(pointer)}`, answerExample);
    assert.ok(valid, `${method} ${path}: ${ajv.errorsText()}`);
    checked++;
  }
  assert.ok(checked > 15, String(checked));
  const cities = facts.routes.find(({ path }) => path === '/proxy/cities')?.answerExample;
  assert.match(JSON.stringify(cities), '"cities":["Berlin","Hamburg"]', 'a response may have its own example');
});

const field = (name: string, type = 'string'): Field => ({
  name,
  type,
  required: false,
  byDefault: undefined,
  description: '',
});

test('fields with dotted names are nested inside their parent field', () => {
  const tree = fieldTree(['a', 'a.b', 'a.b[].c', 'd', '[].e'].map((name) => field(name)));
  assert.equal(
    tree.map(({ leaf }) => leaf),
    ['a', 'd', '[].e'],
  );
  assert.is(tree[0]?.inner[0]?.inner[0]?.leaf, 'c');
  const { own, common } = splitFields([field('a', 'boolean'), field('b'), field('b.c')], [field('a'), field('b')]);
  // A field with the same name but another type is a different field.
  assert.equal(
    [own, common].map((list) => list.map(({ name }) => name)),
    [['a'], ['b', 'b.c']],
  );
});

const evaluateOn = (page: Page, selector: string, expression: string) =>
  page.evaluate(`((element) => ${expression})(document.querySelector(${JSON.stringify(selector)}))`);

const shown = (page: Page, scope: string) =>
  page.evaluate(
    `[...document.querySelectorAll('${scope} .field')].filter((each) => each.checkVisibility()).map(({ id }) => id)`,
  );

test('the filter finds nested and common fields, opens their parents, and is cleared by Escape and links', async () => {
  const page = await reader.open();
  await page.goto(`${service.url}/rest-apis/screenshot-api`, { waitUntil: 'load' });
  const list = '.fields:has([data-filter-fields])';
  const before = await shown(page, list);
  await page.type(`${list} input`, 'omitbackground');
  await page.waitForFunction(`document.querySelector('${list} output').textContent.startsWith('1 of ')`);
  assert.equal(await shown(page, list), ['body.options', 'body.options.omitBackground']);
  await page.keyboard.press('Escape');
  await page.waitForFunction(`!document.querySelector('${list} output').textContent.includes(' of ')`);
  assert.equal(await shown(page, list), before);
  await page.type(`${list} input`, 'partitionkey origin');
  await page.waitForFunction(`document.querySelector('${list} output').textContent.startsWith('1 of ')`);
  assert.ok(String(await shown(page, list)).endsWith('body.cookies.partitionKey.sourceOrigin'));
  await page.type(`${list} input`, ' xyzzy');
  await page.waitForFunction(`document.querySelector('${list} output').textContent === 'No matching fields'`);
  assert.equal(await shown(page, list), []);
  await page.evaluate(`{
    const link = document.createElement('a');
    link.href = '#body.options.clip.x';
    document.querySelector('article').append(link);
    link.click();
  }`);
  await page.waitForFunction(`document.getElementById('body.options.clip.x').checkVisibility()`);
  assert.is(await evaluateOn(page, `${list} input`, 'element.value'), '');
});

test('the settings filter hides sections without a match; without JavaScript the list is complete', async () => {
  const page = await reader.open();
  await page.goto(`${service.url}/enterprise/docker/config`, { waitUntil: 'load' });
  const all = Number(await page.evaluate(`document.querySelectorAll('.field').length`));
  await page.type('[data-filter-fields]', 'ping_interval');
  await page.waitForFunction(`document.querySelector('.field-filter output').textContent.startsWith('1 of ')`);
  assert.equal(await shown(page, '.fields'), ['PING_INTERVAL_MS']);
  const heads = `[...document.querySelectorAll('.prose h2')].filter((each) => each.checkVisibility()).map(({ id }) => id)`;
  assert.equal(await page.evaluate(heads), ['limits']);
  const plain = await reader.open();
  await plain.setJavaScriptEnabled(false);
  await plain.goto(`${service.url}/enterprise/docker/config`, { waitUntil: 'load' });
  assert.is((await plain.$$('.field')).length, all);
  assert.is(await evaluateOn(plain, '.field-filter', 'element.getClientRects().length'), 0);
});

test('in wide windows, the reference has groups on the left and the current sample on the right', async () => {
  const page = await reader.open();
  await page.setViewport({ width: 1_280, height: 800 });
  await page.goto(`${service.url}/open-api/rest-apis#post-scrape`, { waitUntil: 'load' });
  await page.evaluate(
    `document.querySelector('[data-operation^="POST /scrape"] .operation-fields h4').scrollIntoView()`,
  );
  const at = async (selector: string): Promise<{ left: number; right: number; top: number; bottom: number }> =>
    JSON.parse(
      String(
        await page.evaluate(
          `JSON.stringify(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
        ),
      ),
    );
  const scrape = '[data-operation^="POST /scrape"]';
  const [side, fields, sample] = await Promise.all(
    ['.operations-side', `${scrape} .operation-fields`, `${scrape} .operation-sample`].map(at),
  );
  assert.ok(side && fields && sample);
  assert.ok(side.right < fields.left && fields.right < sample.left, 'columns');
  assert.ok(sample.top > 50 && sample.top < 100 && sample.bottom <= 800, `the sample is not in view: ${sample.top}`);
  await page.waitForFunction(`document.querySelector('.operations-side .toc [aria-current]')?.hash === '#post-scrape'`);
  // For an operation far down the page, its entry in the list of groups scrolls into view.
  await page.goto(`${service.url}/open-api/management-apis`, { waitUntil: 'load' });
  await page.evaluate(`document.querySelector('#get-metrics').scrollIntoView()`);
  const entry = '.operations-side .toc a[href="#get-metrics"]';
  await page.waitForFunction(`document.querySelector('${entry}').ariaCurrent === 'true'`);
  const [link, list] = await Promise.all([entry, '.operations-side .toc'].map(at));
  assert.ok(link && list && link.top >= list.top && link.bottom <= list.bottom, 'the entry is in view');
});

/** Words broken across lines, and a page wider than the window; expands collapsed text first. */
const faults = `(() => {
  for (const details of document.querySelectorAll('article details')) details.open = true;
  const found = [];
  const range = document.createRange();
  for (const cell of document.querySelectorAll('article :is(dt, dd, td, th, .entry, h3)')) {
    for (const node of cell.querySelectorAll('*').length === 0 ? [cell] : [cell, ...cell.querySelectorAll('*')]) {
      if (node.closest('pre, .hidden') || (node !== cell && node.closest('dt, dd, td, th, .entry, h3') !== cell)) continue;
      for (const text of node.childNodes) {
        if (text.nodeType !== Node.TEXT_NODE) continue;
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}_]{2,}/gu)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const tops = [...range.getClientRects()].map(({ top }) => top);
          if (tops.length > 1 && Math.max(...tops) - Math.min(...tops) > 4) found.push('broken: ' + word);
        }
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window: ' + document.documentElement.scrollWidth);
  return [...new Set(found)].slice(0, 20);
})()`;

const templates = [
  '/rest-apis/screenshot-api',
  '/enterprise/docker/config',
  '/baas/troubleshooting/http-error-codes',
  '/open-api',
  '/open-api/rest-apis',
  '/bql-schema/schema',
  '/bql-schema/schemas',
  '/bql-schema/operations/mutations/click',
];

for (const path of templates) {
  test(`no word is broken and nothing is too wide at three widths: ${path}`, async () => {
    const page = await reader.open();
    await page.goto(service.url + path, { waitUntil: 'load' });
    for (const width of [360, 768, 1_280]) {
      await page.setViewport({ width, height: 800 });
      assert.equal(await page.evaluate(faults), [], `${width} px`);
    }
    await page.close();
  });
}
