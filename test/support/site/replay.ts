// Serves pages that session replay tests record.
import type { SiteHandler } from './site.ts';

const form = `<!doctype html><title>Sign in</title><body><h1>Sign in</h1><form>
  <input id="name" name="name" value="given-name"><input id="word" type="password" value="given-word">
  <textarea id="note"></textarea><select id="list"><option>first-choice<option>second-choice</select></form>`;

/**
 * Looks for traces of the recorder from its first script on: nodes, attributes, names, non-native functions, timers.
 */
const watchful = `<!doctype html><head><script>
  const seen = [];
  const note = (records) => { for (const { addedNodes, type, attributeName } of records) {
    for (const node of addedNodes) seen.push('node ' + node.nodeName);
    if (type === 'attributes') seen.push('attribute ' + attributeName); } };
  new MutationObserver(note).observe(document, { childList: true, subtree: true, attributes: true });
  const names = () => Object.getOwnPropertyNames(self).filter((name) => !/^\\d+$/.test(name)).sort().join();
  const natives = () => {
    const found = [];
    for (const owner of [self, Document, Element, Node, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, CSSStyleSheet,
      CSSStyleDeclaration, CSSGroupingRule, MutationObserver, EventTarget, HTMLMediaElement, History, Function, ShadowRoot])
      for (const of of [owner, owner.prototype]) if (of) for (const [key, { value, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(of)))
        for (const each of [value, get, set]) if (typeof each === 'function' && !Function.prototype.toString.call(each).includes('[native code]')) found.push(key);
    return found.filter((key) => !['note', 'names', 'natives', 'look'].includes(key)).join();
  };
  const named = names(), numbers = [setTimeout(() => {}), requestAnimationFrame(() => {})];
  const trap = new Error('trap');
  Object.defineProperty(trap, 'stack', { get() { seen.push('the stack was read'); return ''; } });
  console.debug(trap); console.log({ get member() { seen.push('a getter was called'); return 1; } });
  self.look = () => JSON.stringify({ seen, named: names() === named ? '' : names(), natives: natives(), numbers,
    later: [setTimeout(() => {}), requestAnimationFrame(() => {})], frames: self.length,
    html: document.documentElement.outerHTML.replace(/<script>[^]*?<\\/script>/g, '') });
</script></head><body><input id="word" type="password" value="x"><p id="text">text</p></body>`;

export const replayPages: Readonly<Record<string, SiteHandler>> = {
  '/replay/form': () => form,
  '/replay/watchful': () => watchful,
  '/replay/strict': (_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    response.end(watchful);
  },
  '/replay/app': () => `<!doctype html><title>App</title><body><p id="view">home</p><script>
    const show = (name) => { history.pushState({}, '', '/replay/app/' + name); document.title = name; view.textContent = 'at ' + name; };
  </script>`,
  '/replay/rows': () =>
    `<!doctype html><title>Rows</title><body>${'<div><b>row</b><i>cell</i><a href="#">link</a></div>'.repeat(5_000)}`,
  '/replay/large': ({ query }, response) => {
    const size = Number(query.get('megabytes')) * 2 ** 20;
    response.writeHead(200, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'no-store' });
    response.end(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!--${'x'.repeat(size)}--></svg>`);
  },
  '/replay/data': (_, response) => {
    response.writeHead(201, { 'Content-Type': 'application/json' });
    response.end('{}');
  },
};
