// What POST /scrape returns: elements, their positions, debug fields; each option tested by its effect.
import * as assert from 'uvu/assert';
import { isColor, readJpeg } from '../support/checks/media.ts';
import { colors } from '../support/site/pages.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { fromBase64 } from '../../src/base/runtime/bytes.ts';
import { idleNow } from '../support/idle-clock.ts';

interface Result {
  attributes: { name: string; value: string }[];
  html: string;
  text: string;
  left: number;
  top: number;
  width: number;
  height: number;
}
interface Debug {
  console?: string[];
  cookies?: { name: string; value: string }[] | null;
  html?: string | null;
  network?: {
    inbound: { url: string; status: number; headers: Record<string, string> }[];
    outbound: { url: string; method: string; headers: Record<string, string> }[];
  };
  screenshot?: string | null;
}
interface Scraped {
  data: { selector: string; results: Result[] }[];
  debug?: Debug;
}

const { test, fixture } = fixtureSuite('fields: scrape');

const scrape = async (path: string, fields: Record<string, unknown> = {}): Promise<Scraped> =>
  (await fixture.post('/scrape', { url: `${fixture.site.url}${path}`, elements: [], ...fields })).json();

const scrapeHtml = async (html: string, elements: { selector: string }[]): Promise<Scraped> =>
  (await fixture.post('/scrape', { html, elements })).json();

test('>>> returns document order, a shadow tree after its host and before the children of its host', async () => {
  const tree = (inside: string) => `<template shadowrootmode="open">${inside}</template>`;
  const read = async (html: string, selector = '>>> .price'): Promise<string> => {
    const { data } = await scrapeHtml(html, [{ selector }]);
    return (data[0]?.results ?? []).map(({ text }) => text).join(' ');
  };
  const price = (value: number) => `<b class="price">${value}</b>`;
  const host = (inside: string, light = '') => `<div>${tree(inside)}${light}</div>`;
  assert.is(await read(host(price(1)) + price(2) + host(price(3)) + price(4)), '1 2 3 4');
  assert.is(await read(price(1) + host(price(2) + host(price(3)) + price(4)) + price(5)), '1 2 3 4 5');
  assert.is(await read(host(`<slot></slot>${price(1)}`, price(2) + host(price(3), price(4)))), '1 2 3 4');
  assert.is(await read(`<div class="price">${tree(`${price(1)}<slot></slot>`)}0</div>${price(2)}`), '0 1 2');
  // A field named like a property of its form hides the property.
  assert.is(await read(`<form><input name="shadowRoot">${price(1)}</form>${host(price(2))}`, 'pierce/.price'), '1 2');
});

test.proves('scrape:elements[].selector');
test('returns every matching element, with attributes, markup and text', async () => {
  const { data } = await scrape('/scrape', { elements: [{ selector: 'li.item' }] });
  const [entry] = data;
  assert.is(entry?.selector, 'li.item');
  assert.equal(
    entry?.results.map(({ html, text, attributes }) => ({ html, text, attributes })),
    [
      {
        html: 'One',
        text: 'One',
        attributes: [
          { name: 'class', value: 'item' },
          { name: 'data-id', value: '1' },
        ],
      },
      {
        html: '<b>Two</b>',
        text: 'Two',
        attributes: [
          { name: 'class', value: 'item' },
          { name: 'data-id', value: '2' },
        ],
      },
    ],
  );
});

test('positions are in CSS pixels', async () => {
  const viewport = { width: 700, height: 400, deviceScaleFactor: 2 };
  const { data } = await scrape('/scrape', { elements: [{ selector: '#box' }], viewport });
  const [box] = data[0]?.results ?? [];
  assert.equal([box?.left, box?.top, box?.width, box?.height], [30, 200, 100, 40]);
  assert.is(box?.text, 'Box inner');
  assert.is(box?.html, 'Box <i>inner</i>');
});

test('selectors are returned in the order of the request', async () => {
  const selectors = ['li', '#box', 'ul', 'body'];
  const { data } = await scrape('/scrape', { elements: selectors.map((selector) => ({ selector })) });
  assert.equal(
    data.map(({ selector }) => selector),
    selectors,
  );
});

test.proves('scrape:elements[].timeout');
test('elements are waited for, each with its own timeout', async () => {
  const { data } = await scrape('/late?ms=400', { elements: [{ selector: '.late' }] });
  assert.is(data[0]?.results[0]?.text, 'arrived');
  const body = { url: `${fixture.site.url}/late?ms=60000`, elements: [{ selector: '.late', timeout: 200 }] };
  const began = idleNow();
  await fixture.refuse('/scrape', body, 408, 'Timed out waiting for selector');
  assert.ok(idleNow() - began < 10_000);
});

test('an invalid selector is rejected, even with bestAttempt', async () => {
  const elements = ['.item', 'x['].map((selector) => ({ selector }));
  const body = { url: `${fixture.site.url}/scrape`, elements, bestAttempt: true };
  await fixture.refuse('/scrape', body, 400, 'elements[1].selector');
});

test.peer('REST routes');
test('without debugOpts there is no debug', async () => assert.is('debug' in (await scrape('/scrape')), false));

test.proves(
  'scrape:debugOpts.console scrape:debugOpts.cookies scrape:debugOpts.html scrape:debugOpts.network scrape:debugOpts.screenshot',
);
test.peer('REST routes');
test('debugOpts {} has console and network and nothing else', async () => {
  const { debug } = await scrape('/console', { debugOpts: {} });
  assert.equal(debug, { console: [], network: { inbound: [], outbound: [] } });
});

test.proves('scrape:debugOpts.console');
test('debugOpts.console', async () => {
  const { debug } = await scrape('/console', { debugOpts: { console: true } });
  assert.equal(debug?.console?.slice(0, 2), ['first line', 'second line 42']);
  assert.is(debug?.console?.length, 3);
});

test.proves('scrape:debugOpts.network');
test('debugOpts.network', async () => {
  const { debug } = await scrape('/network', {
    debugOpts: { network: true },
    gotoOptions: { waitUntil: 'networkidle0' },
  });
  const url = `${fixture.site.url}/network`;
  const sent = debug?.network?.outbound.find((request) => request.url === url);
  assert.is(sent?.method, 'GET');
  assert.ok(Object.keys(sent?.headers ?? {}).length > 0);
  const got = debug?.network?.inbound.find((response) => response.url === url);
  assert.is(got?.status, 200);
  assert.match(JSON.stringify(got?.headers), /text\/html/);
  for (const path of ['/assets/red.css', '/images/blue.png', '/assets/mark.js', '/json']) {
    assert.ok(
      debug?.network?.inbound.some((response) => response.url === `${fixture.site.url}${path}`),
      path,
    );
  }
  const redirected = (await scrape('/redirect?to=/console', { debugOpts: { network: true } })).debug?.network;
  assert.equal(
    redirected?.outbound.map((request) => request.url),
    [`${fixture.site.url}/redirect?to=/console`, `${fixture.site.url}/console`],
  );
  assert.equal(
    redirected?.inbound.map(({ status }) => status),
    [302, 200],
  );
});

test.proves('scrape:debugOpts.cookies');
test('debugOpts.cookies', async () => {
  const { debug } = await scrape('/set-cookie', { debugOpts: { cookies: true } });
  assert.equal(debug?.cookies?.map(({ name, value }) => `${name}=${value}`).toSorted(), ['hidden=yes', 'visited=yes']);
});

test.proves('scrape:debugOpts.html');
test('debugOpts.html', async () => {
  const { debug } = await scrape('/small', { debugOpts: { html: true } });
  assert.match(debug?.html ?? '', /<h1>Small<\/h1>/);
});

test.proves('scrape:debugOpts.screenshot');
test('debugOpts.screenshot is a full-page JPEG', async () => {
  const { debug } = await scrape('/tall', { debugOpts: { screenshot: true } });
  const image = readJpeg(fromBase64(debug?.screenshot ?? ''));
  assert.equal([image.width, image.height], [800, 3_000]);
  assert.ok(isColor(image.at(400, 100), colors.red, 40));
  assert.ok(isColor(image.at(400, 2_750), colors.blue, 40));
});

test('cookies of one request are not visible to the next', async () => {
  await scrape('/set-cookie');
  const { debug } = await scrape('/cookies', { debugOpts: { cookies: true } });
  assert.equal(debug?.cookies ?? [], []);
});
