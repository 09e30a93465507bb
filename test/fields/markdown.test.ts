// The output of POST /markdown; each field tested by its effect.
// @runs binary
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('fields: markdown');

const convert = async (html: string, fields: Record<string, unknown> = {}) =>
  (await fixture.post('/markdown', { html, ...fields })).text;

/** Converts a body that is served in place of the site's page, so that its markup has a URL. */
const convertAt = async (path: string, body: string, fields: Record<string, unknown> = {}) => {
  const url = `${fixture.site.url}${path}`;
  const requestInterceptors = [{ pattern: `${path}$`, response: { body, contentType: 'text/html; charset=utf-8' } }];
  return (await fixture.post('/markdown', { url, requestInterceptors, ...fields })).text;
};

test('headings, emphasis, lists, quotes and rules', async () => {
  const html =
    '<h1>One</h1><h3>Two <em>em</em> <strong>strong</strong> <del>gone</del></h3><ul><li>a<ol><li>b</li></ol></li></ul><blockquote>q</blockquote><hr><p>1*2_3</p>';
  assert.is(
    await convert(html),
    '# One\n\n### Two *em* **strong** ~~gone~~\n\n-   a\n    1.  b\n\n> q\n\n---\n\n1\\*2\\_3\n',
  );
});

test('GitHub tables and task lists', async () => {
  const table =
    '<table><thead><tr><th>Name</th><th style="text-align:right">Price</th></tr></thead><tr><td>A|B</td><td style="background:red">1</td></tr></table>';
  const tasks = '<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>';
  const text = await convert(table + tasks);
  assert.match(text, '| Name | Price |\n| --- | ---: |\n| A\\|B | 1   |');
  assert.match(text, /\[x\] +done/);
  assert.match(text, /\[ \] +open/);
});

test('a layout table is not a table; a list in a cell stays in its cell', async () => {
  const layout = '<table><tr><td><h2>Menu</h2></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>';
  assert.is(await convert(layout), '## Menu\n\n|     |     |\n| --- | --- |\n| a   | b   |\n');
  const list = '<table><tr><th>Has</th></tr><tr><td><ul><li>x</li><li>y</li></ul></td></tr></table>';
  assert.match(await convert(list), '| Has |\n| --- |\n| • x  <br>• y |');
});

test('rows without a table get one; cells without a row are paragraphs', async () => {
  const html = `<p>a</p><script>
    const add = (name, to, text) => to.appendChild(Object.assign(document.createElement(name), { textContent: text }));
    for (const text of ['1', '2']) add('td', add('tr', document.body, ''), text);
    add('th', document.body, 'b');
  </script>`;
  assert.is(await convert(html), 'a\n\n|     |\n| --- |\n| 1   |\n| 2   |\n\nb\n');
});

test('text that is separated only by styles stays separate', async () => {
  const html =
    '<div style="display:flex"><button>Copy</button><a href="https://a.example/">Go</a></div><p>a<b>b</b>c</p>';
  assert.is(await convert(html), 'Copy [Go](https://a.example/)\n\na**b**c\n');
});

test('code keeps its lines and its language, regardless of its markup', async () => {
  const lines = '<pre class="lang-js"><div>const a = 1;</div><div>  a_b*c</div></pre>';
  assert.is(await convert(lines), '```js\nconst a = 1;\n  a_b*c\n```\n');
  const fenced = '<pre><code class="language-c++">x\n```\ny</code></pre>';
  assert.is(await convert(fenced), '````c++\nx\n```\ny\n````\n');
});

test('hidden content is omitted; shadow trees and slots appear where they are shown', async () => {
  const html = `<style>.away{display:none}</style><script>let a</script><template>t</template><p class=away>hidden</p><p hidden>hidden</p>
<div id=host><b>slotted</b></div><noscript>no</noscript><select><option>choice</select><iframe srcdoc="frame"></iframe>
<script>host.attachShadow({mode:'open'}).innerHTML = '<h2>Shadow</h2><slot></slot>'</script>`;
  assert.is(await convert(html), '## Shadow\n\n**slotted**\n');
});

test('converts the page after its scripts have run', async () => {
  const html = `<p>before</p><script>document.querySelector('p').textContent = 'after'</script>`;
  assert.is(await convert(html), 'after\n');
});

const links =
  '<base href="/docs/"><p><a href="a b">A</a> <a href="/b" title="t"> B </a><a href="javascript:go()">C</a> <a href="#x" aria-label="D"></a><a href="/empty"></a></p><a href="/card"><h2>Card</h2><p>more</p></a><a href="/block"><div>one</div><div>two</div></a><p><img src="i.png" alt="I"><img src="data:image/gif;base64,R0lGOD" alt="inline image"></p>';

test('URLs are absolute, and those that lead nowhere are removed', async () => {
  const at = fixture.site.url;
  assert.is(
    await convertAt('/links', links),
    `[A](${at}/docs/a%20b) [B](${at}/b "t") C [D](${at}/docs/#x)\n\n## [Card](${at}/card)\n\nmore\n\n[one two](${at}/block)\n\n![I](${at}/docs/i.png)inline image\n`,
  );
});

test.proves('markdown:links');
test('links: referenced, none', async () => {
  const at = fixture.site.url;
  const referenced = await convertAt('/links', links, { links: 'referenced' });
  assert.match(referenced, `[A][1] [B][2] C [D][3]\n\n## [Card][4]`);
  assert.match(referenced, `[1]: ${at}/docs/a%20b\n[2]: ${at}/b "t"`);
  const none = await convertAt('/links', links, { links: 'none' });
  assert.is(none, 'A B C D\n\n## Card\n\nmore\n\none\n\ntwo\n\nIinline image\n');
});

const sentence = 'Browsers render pages, and this sentence says so at some length, with commas, so that it counts. ';
const article = `<title>The news - Site</title><nav><a href="/x">Menu</a></nav><main><article><h1>The news</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(5)}</article></main><aside>Advice</aside><footer>Legal notice</footer>`;

test.proves('markdown:onlyMainContent');
test('onlyMainContent: the article with its title, without the content around it', async () => {
  const all = await convert(article);
  assert.match(all, 'Menu');
  assert.match(all, 'Legal notice');
  const main = await convert(article, { onlyMainContent: true });
  assert.match(main, /^# The news\n\nBrowsers render pages/);
  assert.not.match(main, /Menu|Advice|Legal notice/);
});

test('onlyMainContent of a reference page: all of its main content, not just the longest table', async () => {
  const rows = `<tr><td>name</td><td>${sentence}</td></tr>`.repeat(60);
  const html = `<nav>Menu</nav><main><nav>On this page</nav><h1>Reference</h1><p>First.</p><h2>Fields</h2><div><table>${rows}</table></div><h2>More</h2><p>Last.</p></main>`;
  const text = await convert(html, { onlyMainContent: true });
  assert.match(text, /^# Reference\n\nFirst\.\n\n## Fields\n\n\|/);
  assert.match(text, /## More\n\nLast\.\n$/);
  assert.not.match(text, /Menu|On this page/);
});

test('onlyMainContent of a page without main content is the whole page', async () => {
  assert.is(await convert('<p></p>', { onlyMainContent: true }), '\n');
  assert.match(await convert('<nav>only a menu</nav>', { onlyMainContent: true }), 'only a menu');
});

test.proves('markdown:selector');
test('selector: all matching elements, each once', async () => {
  const html = '<div class=a>1<p class=a>2</p></div><p>no</p><p class=a>3</p>';
  assert.is(await convert(html, { selector: '.a' }), '1\n\n2\n\n3\n');
  await fixture.refuse('/markdown', { html, selector: '.none' }, 400, 'No element matches "selector"');
  await fixture.refuse('/markdown', { html, selector: 'p[' }, 400, 'selector');
  await fixture.refuse('/markdown', { html, selector: 'p', onlyMainContent: true }, 400, 'cannot be used together');
});

test('works with JavaScript disabled', async () => {
  const html = '<p>text</p><noscript>read me</noscript><script>document.body.textContent = "no"</script>';
  assert.is(await convert(html, { setJavaScriptEnabled: false }), 'text\n\nread me\n');
});

test('a page that has overridden built-ins is still converted', async () => {
  const html = `<p>text</p><script>
    Node.prototype.cloneNode = Document.prototype.importNode = JSON.stringify = () => { throw 'no' };
    Object.prototype.exports = Array.prototype.map = String.prototype.replace = undefined;
  </script>`;
  assert.is(await convert(html), 'text\n');
});

test('elements named like DOM properties do not hide content', async () => {
  const hiding = ['body', 'documentElement', 'implementation', 'title', 'createElement'];
  const fields = ['childNodes', 'matches', 'shadowRoot', 'nodeName', 'firstChild', 'parentNode', 'textContent'];
  const html = `<title>Own</title>${hiding.map((name) => `<form name=${name}></form>`).join('')}
    <form><p>text</p>${fields.map((name) => `<input name=${name}>`).join('')}</form>`;
  assert.is(await convert(html), 'text\n');
  assert.match(await convert(html, { onlyMainContent: true }), /^# Own\n\n.*text/s);
});

test('a selector that matches thousands of elements', async () => {
  const html = `<div>${'<p>a</p>'.repeat(20_000)}</div>`;
  assert.is((await convert(html, { selector: '*' })).split('\n\n').length, 20_000);
  assert.is((await convert(html, { selector: 'p' })).split('\n\n').length, 20_000);
});

test('elements nested thousands deep are rejected, and content that takes too long is stopped by the time limit', async () => {
  const deep = `<p>p</p><script>let at = document.body; for (let i = 0; i < 5_000; i++) at = at.appendChild(document.createElement('b')); at.append('x');</script>`;
  await fixture.refuse('/markdown', { html: deep }, 400, 'cannot be converted', 'selector');
  // Text that takes regular expressions a long time to search.
  const html = `<p>${' \u00a0'.repeat(200_000)}</p>${'<a href="/x"> '.repeat(5_000)}`;
  const reply = await fixture.service.post('/markdown', { html, onlyMainContent: true }, { query: { timeout: 3_000 } });
  assert.ok([200, 408].includes(reply.status), reply.text.slice(0, 200));
  assert.is(await convert('<p>next</p>'), 'next\n');
});

test('a JSON document is converted too', async () => {
  const text = (await fixture.post('/markdown', { url: `${fixture.site.url}/json` })).text;
  assert.match(text, /^```\n\{/);
});
