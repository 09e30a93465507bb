// BrowserQL: conditions, order, failures, @export, variables and fragments.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL flow');

test('if and ifnot decide immediately, can be nested, and preserve order', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/list") { status }
    a: if(selector: "li", visible: true) {
      one: evaluate(content: "window.order = [1]") { value }
      deeper: if(selector: "ul") { two: evaluate(content: "await new Promise((r) => setTimeout(r, 100)); window.order.push(2)") { value } }
      three: evaluate(content: "window.order.push(3); return String(order)") { value }
    }
    four: evaluate(content: "order.push(4); return String(order)") { value }
    no: if(selector: ".no") { title { title } }
    not: ifnot(selector: ".no") { title { title } }
    yes: ifnot(selector: "li") { title { title } }
    seen: if(request: { method: GET, url: "*/bql/list" }, response: { statuses: [200, 204], url: "*" }, selector: "li") { url { url } }
    unseen: if(request: { url: "*/other" }) { url { url } }
    code: if(response: { codes: 404 }) { url { url } }
    absent: ifnot(request: { method: POST }, response: { statuses: 500 }, selector: ".no") { url { url } }
    skipped: if(selector: "li") { title @skip(if: true) { title } url @include(if: false) { url } }
  }`);
  assert.is(data.a.three.value, '1,2,3');
  assert.is(data.four.value, '1,2,3,4');
  assert.equal([data.no, data.yes, data.unseen, data.code], [null, null, null, null]);
  assert.equal(data.not, { title: { title: 'List' } });
  assert.is(data.seen.url.url, `${fixture.site.url}/bql/list`);
  assert.is(data.absent.url.url, `${fixture.site.url}/bql/list`);
  assert.equal(data.skipped, {});
  const hidden = await fixture.data(
    'mutation { goto(url: "SITE/boxes") { status } if(selector: "#hidden", visible: true) { url { url } } there: if(selector: "#hidden") { title { title } } }',
  );
  assert.is(hidden.if, null);
  assert.is(hidden.there.title.title, 'Boxes');
  await fixture.fails('mutation { if { title { title } } }', 'if', 'BAD_ARGUMENT', 'condition');
});

test('a failed step does not affect the others, inside if as well', async () => {
  const { data, errors } = await fixture.run(`mutation {
    goto(url: "SITE/small") { status }
    gone: waitForSelector(selector: "#nope", timeout: 200) { time }
    in: if(selector: "h1") { gone: click(selector: "#no", wait: false) { x } title { title } }
    title { title }
  }`);
  assert.equal([data.gone, data.in, data.title], [null, { gone: null, title: { title: 'Small' } }, { title: 'Small' }]);
  assert.equal(
    errors?.map(({ path, extensions }) => [path, extensions?.code]),
    [
      [['gone'], 'SELECTOR_NOT_FOUND'],
      [['in', 'gone'], 'SELECTOR_NOT_FOUND'],
    ],
  );
  assert.equal(errors?.[0]?.locations, [{ line: 3, column: 5 }]);
});

test('later steps can use a value saved with @export', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/links") { status @export(as: "code") }
    pick: evaluate(content: "document.querySelector('a.next').href") { value @export(as: "next") }
    follow: goto(url: "\${next}") { status url }
    said: evaluate(content: "'\${code} \${never}'") { value }
    inside: if(selector: "h1") { t: title { title @export(as: "t") } e: evaluate(content: "'\${t}!'") { value } }
  }`);
  assert.is(data.follow.url, `${fixture.site.url}/bql/item/next`);
  assert.is(data.said.value, '200 ${never}');
  assert.is(data.inside.e.value, 'Item next!');
});

test('variables, fragments, operation names, @skip and @include work', async () => {
  const document = `
    query Ask { version }
    mutation Open($url: String!, $wait: WaitUntilGoto = load, $clean: CleanInput, $skip: Boolean = true, $with: Boolean = false) {
      goto(url: $url, waitUntil: $wait) { ...Answer }
      html(selector: "h1", clean: $clean) { html }
      skipped: title @skip(if: $skip) { title }
      ... on Mutation @include(if: $with) { url { url } }
      ...Rest
    }
    fragment Answer on HTTPResponse { status url }
    fragment Rest on Mutation { title { title } }`;
  const variables = { url: `${fixture.site.url}/small`, wait: 'domContentLoaded', clean: { removeRegex: true } };
  const data = await fixture.data(document, { variables, operationName: 'Open' });
  assert.equal(data, {
    goto: { status: 200, url: `${fixture.site.url}/small` },
    html: { html: '<h1>Small</h1>' },
    title: { title: 'Small' },
  });
  const asked = await fixture.data(document, { operationName: 'Ask' });
  assert.type(asked.version, 'string');
});
