// Limits on what the server records about a page: requests, console lines, and text from the site in a record.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('bounded records');

test('only the latest of many long URLs are kept', async () => {
  const script = `(async () => {
    for (let n = 0; n < 45; n++) await fetch('data:text/plain,' + n + '-' + 'x'.repeat(1000000)).then((r) => r.text());
  })()`;
  const query = `mutation Records($script: String!) {
    content(html: "<p></p>") { time }
    evaluate(content: $script) { value }
    request(url: "data:*", wait: false) { url }
  }`;
  const reply = succeeded(await fixture.service.post('/chromium/bql', { query, variables: { script } }));
  const { data } = reply.json<{ data: { request: { url: string }[] } }>();
  const urls = data.request.map(({ url }) => Number(/,(\d+)-/.exec(url)?.[1]));
  assert.ok(urls.length >= 20 && urls.length < 40, `${urls.length} records`);
  assert.is(urls.at(-1), 44);
});

test('many short URLs are all kept', async () => {
  const script =
    "Promise.all(Array.from({ length: 300 }, (_, n) => fetch('data:text/plain,' + n).then((r) => r.text())))";
  const query = `mutation Records($script: String!) {
    content(html: "<p></p>") { time }
    evaluate(content: $script) { value }
    response(url: "data:*", wait: false) { url body }
  }`;
  const reply = succeeded(await fixture.service.post('/chromium/bql', { query, variables: { script } }));
  const { data } = reply.json<{ data: { response: { body: string | null }[] } }>();
  assert.is(data.response.length, 300);
});

test('a page that logs endlessly does not exceed the report limits', async () => {
  const html = `<h1>x</h1><script>
    for (let n = 0; n < 30; n++) console.log('x'.repeat(1000000));
    for (let n = 0; n < 20000; n++) console.log(n);
  </script>`;
  const body = { html, elements: [{ selector: 'h1' }], debugOpts: { console: true } };
  const reply = succeeded(await fixture.service.post('/scrape', body));
  const { debug } = reply.json<{ debug: { console: string[] } }>();
  assert.ok(debug.console.length >= 10 && debug.console.length <= 10_000, `${debug.console.length} lines`);
  assert.ok(reply.text.length < 20_000_000, `${reply.text.length} characters`);
});
