// POST /scrape as existing clients use it.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';

interface Scraped {
  data: { selector: string; results: { html: string; text: string }[] }[];
  debug?: { network?: { inbound: unknown[]; outbound: unknown[] } };
}

const { test, fixture } = fixtureSuite('contract: scrape');

test.peer('REST routes', 'scrape: debugOpts.network');
test('/scrape: debugOpts.network', async () => {
  const body = { url: `${fixture.site.url}/`, elements: [{ selector: 'h1' }], debugOpts: { network: true } };
  const { debug } = (await fixture.post('/scrape', body)).json<Scraped>();
  assert.ok((debug?.network?.inbound.length ?? 0) >= 1);
  assert.ok((debug?.network?.outbound.length ?? 0) >= 1);
});

test.peer('REST routes', 'scrape: a selector that never appears is an error that says so');
test('/scrape: returns 408 for a selector that never appears', async () => {
  const body = { url: `${fixture.site.url}/`, elements: [{ selector: '.none', timeout: 200 }] };
  await fixture.refuse('/scrape', body, 408, 'Timed out waiting for selector ', '.none');
});

test.peer('REST routes', 'scrape: bestAttempt with one selector of three missing');
test('/scrape: bestAttempt with one selector missing', async () => {
  const body = {
    url: `${fixture.site.url}/`,
    bestAttempt: true,
    elements: [{ selector: 'h1' }, { selector: '.none', timeout: 200 }, { selector: 'p' }],
  };
  const { data } = (await fixture.post('/scrape', body)).json<Scraped>();
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
test('elements: [] returns data: []', async () => {
  const reply = await fixture.post('/scrape', { url: `${fixture.site.url}/`, elements: [] });
  assert.equal(reply.json<Scraped>().data, []);
});

test.shows('hanging-page', 'REST');
test('a page with more elements than fit in a response returns an error that says why', async () => {
  // The page creates its elements with a script, so the request stays short. Each attribute counts.
  const attributes = [...'abcdefghijklmnop'].map((name) => `${name}=1`).join(' ');
  const html = `<script>document.write('<b ${attributes}>x</b>'.repeat(14_000))</script>`;
  const why = 'The page has more data than fits in one response. Request less, such as fewer elements.';
  await fixture.refuse('/scrape', { html, elements: [{ selector: 'b' }] }, 400, why);
});
