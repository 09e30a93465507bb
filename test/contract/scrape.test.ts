// POST /scrape as existing clients use it.
import * as assert from 'uvu/assert';
import { pageContract } from '../support/checks/contract.ts';
import { refused, succeeded } from '../support/checks/expect.ts';

interface Scraped {
  data: { selector: string; results: { html: string; text: string }[] }[];
  debug?: { network?: { inbound: unknown[]; outbound: unknown[] } };
}

const contentType = 'application/json; charset=UTF-8';
const { test, fixture } = pageContract({
  route: 'scrape',
  contentType,
  extra: { elements: [{ selector: 'body' }] },
  check: (reply) => {
    const { data, debug } = reply.json<Scraped>();
    assert.is(data.length, 1);
    assert.is(data[0]?.selector, 'body');
    assert.match(data[0]?.results[0]?.text ?? '', /Hello\s+A paragraph of text\./);
    assert.is(debug, undefined);
    assert.match(reply.text, /^\{\n {2}"data"/);
  },
});

test.peer('REST routes', 'scrape: debugOpts.network');
test('/scrape: debugOpts.network', async (signal) => {
  const body = { url: `${fixture.site.url}/`, elements: [{ selector: 'h1' }], debugOpts: { network: true } };
  const { debug } = succeeded(await fixture.service.post('/scrape', body, { signal })).json<Scraped>();
  assert.ok((debug?.network?.inbound.length ?? 0) >= 1);
  assert.ok((debug?.network?.outbound.length ?? 0) >= 1);
});

test.peer('REST routes', 'scrape: a selector that never appears is an error that says so');
test('/scrape: returns 408 for a selector that never appears', async (signal) => {
  const body = { url: `${fixture.site.url}/`, elements: [{ selector: '.none', timeout: 200 }] };
  refused(await fixture.service.post('/scrape', body, { signal }), 408, 'Timed out waiting for selector ', '.none');
});

test.peer('REST routes', 'scrape: bestAttempt with one selector of three missing');
test('/scrape: bestAttempt with one selector missing', async (signal) => {
  const body = {
    url: `${fixture.site.url}/`,
    bestAttempt: true,
    elements: [{ selector: 'h1' }, { selector: '.none', timeout: 200 }, { selector: 'p' }],
  };
  const { data } = succeeded(await fixture.service.post('/scrape', body, { signal }), contentType).json<Scraped>();
  assert.equal(
    data.map(({ selector, results }) => [selector, results.length]),
    [
      ['h1', 1],
      ['.none', 0],
      ['p', 1],
    ],
  );
});

test.peer('REST routes');
test('elements: [] returns data: []', async (signal) => {
  const reply = await fixture.service.post('/scrape', { url: `${fixture.site.url}/`, elements: [] }, { signal });
  assert.equal(succeeded(reply).json<Scraped>().data, []);
});

test.shows('hanging-page', 'REST');
test('a page with more elements than fit in a response returns an error that says why', async (signal) => {
  // The page creates its elements with a script, so the request stays short. Each attribute counts.
  const attributes = [...'abcdefghijklmnop'].map((name) => `${name}=1`).join(' ');
  const html = `<script>document.write('<b ${attributes}>x</b>'.repeat(14_000))</script>`;
  const reply = await fixture.service.post('/scrape', { html, elements: [{ selector: 'b' }] }, { signal });
  refused(reply, 400, 'The page has more data than fits in one response. Request less, such as fewer elements.');
});
