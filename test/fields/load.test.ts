// The common fields that decide when a page is ready, each tested by its effect: gotoOptions, the four waits,
// bestAttempt.
// @tier ci
import * as assert from 'uvu/assert';
import { tooSlow } from '../support/checks/expect.ts';
import { readPdf, readPng } from '../support/checks/media.ts';
import { textOf } from '../support/site/markup.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('fields: loading and waiting');
const at = (path: string) => `${fixture.site.url}${path}`;
const sentTo = (path: string) => fixture.site.requests.findLast((request) => request.path === path)?.headers ?? {};

test.proves('page:gotoOptions.referer');
test('gotoOptions.referer', async () => {
  const referer = 'http://elsewhere.example/page';
  const html = await fixture.read('/referrer', { gotoOptions: { referer } });
  assert.ok((sentTo('/referrer')['referer'] ?? '').startsWith('http://elsewhere.example/'));
  assert.ok(textOf(html, 'referrer').startsWith('http://elsewhere.example/'));
});

test.proves('page:gotoOptions.referrerPolicy');
test('gotoOptions.referrerPolicy', async () => {
  const referer = 'http://elsewhere.example/page';
  await fixture.read('/referrer', { gotoOptions: { referer, referrerPolicy: 'unsafe-url' } });
  assert.is(sentTo('/referrer')['referer'], referer);
  await fixture.read('/referrer', { gotoOptions: { referer, referrerPolicy: 'no-referrer' } });
  assert.is(sentTo('/referrer')['referer'], undefined);
});

test.proves('page:gotoOptions.timeout');
test('gotoOptions.timeout', async () => {
  await fixture.refuse('/content', { url: at('/hang'), gotoOptions: { timeout: 200 } }, tooSlow, /200\s?ms/);
  await fixture.post('/content', { url: at('/slow?ms=300'), gotoOptions: { timeout: 0 } });
});

test.proves('page:gotoOptions.waitUntil page:gotoOptions.waitUntil[]');
test('gotoOptions.waitUntil load waits for images, domcontentloaded does not', async () => {
  const url = at('/never-load');
  const { text } = await fixture.post('/content', { url, gotoOptions: { waitUntil: 'domcontentloaded' } });
  assert.match(text, /never loads/);
  const waitUntil = ['domcontentloaded', 'load'];
  const late = { url, gotoOptions: { waitUntil, timeout: 400 } };
  await fixture.refuse('/content', late, tooSlow, /400\s?ms/, 'gotoOptions.timeout');
});

test.proves('page:gotoOptions.waitUntil page:gotoOptions.waitUntil[]');
test('gotoOptions.waitUntil networkidle0 and networkidle2 wait for requests from scripts', async () => {
  for (const waitUntil of ['networkidle2', ['load', 'networkidle0']]) {
    const html = await fixture.read('/network', { gotoOptions: { waitUntil } });
    assert.match(textOf(html, 'fetched'), /42/, String(waitUntil));
  }
  // Three requests that never end: more than two and more than none.
  for (const waitUntil of ['networkidle0', 'networkidle2']) {
    await fixture.refuse('/content', { url: at('/busy'), gotoOptions: { waitUntil, timeout: 1_200 } }, tooSlow);
  }
});

test('gotoOptions.signal is ignored', async () =>
  fixture.post('/content', { url: at('/'), gotoOptions: { signal: {} } }));

test.peer('REST routes');
test('html: every waitUntil works', async () => {
  for (const waitUntil of ['domcontentloaded', 'networkidle2', ['load', 'networkidle0']]) {
    const html = `<img src="${at('/images/red.png')}"><h1>inline</h1>`;
    assert.match(await fixture.readHtml(html, { gotoOptions: { waitUntil, timeout: 5_000 } }), /inline/);
  }
});

/** Turns green and says so after two requests in a row, which begin after the load event; `extra` requests never end. */
const late = (extra = 0) => `<!doctype html><p>early</p><script>
  for (let i = 0; i < ${extra}; i++) fetch('${at('/hang')}', { mode: 'no-cors' }).catch(() => {});
  const get = () => fetch('${at('/slow?ms=200')}', { mode: 'no-cors' });
  setTimeout(async () => {
    await get();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await get();
    document.body.append('late text');
    document.documentElement.style.background = 'rgb(0, 128, 0)';
  }, 100)</script>`;

test('html: networkidle0 and networkidle2 wait for requests that scripts send, on every route', async () => {
  for (const [waitUntil, extra] of [
    ['networkidle0', 0],
    ['networkidle2', 0],
    [['load', 'networkidle2'], 2],
  ] as const) {
    const body = { html: late(extra), gotoOptions: { waitUntil } };
    assert.match((await fixture.post('/content', body)).text, 'late text', String(waitUntil));
  }
  const body = { html: late(), gotoOptions: { waitUntil: 'networkidle0' } };
  const pdf = await readPdf((await fixture.post('/pdf', body)).bytes);
  assert.match(pdf.pages[0]?.text ?? '', 'late text');
  const image = readPng((await fixture.post('/screenshot', body)).bytes);
  assert.equal(image.at(700, 500), [0, 128, 0, 255]);
  assert.match((await fixture.post('/scrape', { ...body, elements: [{ selector: 'body' }] })).text, 'late text');
  assert.match((await fixture.post('/markdown', body)).text, 'late text');
  const query = `mutation { content(html: ${JSON.stringify(late())}, waitUntil: networkIdle) { status } html { html } }`;
  assert.match((await fixture.post('/chromium/bql', { query })).text, 'late text');
  await fixture.refuse(
    '/content',
    { html: late(3), gotoOptions: { waitUntil: 'networkidle2', timeout: 1_200 } },
    tooSlow,
    'networkidle2',
  );
});

test('html: subresources load and scripts run', async () => {
  const html = `<img src="${at('/images/red.png')}"><script src="${at('/assets/mark.js')}"></script>`;
  assert.match(await fixture.readHtml(html), /data-mark="by script"/);
  assert.ok(fixture.site.requests.some(({ path }) => path === '/images/red.png'));
});

test.proves('page:html');
test('html: the whole document and its doctype are kept', async () => {
  const html = await fixture.readHtml(
    '<!DOCTYPE html><html lang="de"><head><title>Ä</title></head><body>ß 漢字 🎉</body></html>',
  );
  assert.match(
    html,
    /^<!DOCTYPE html><html lang="de"><head><title>Ä<\/title><\/head><body>ß 漢字 🎉<\/body><\/html>\n$/,
  );
});

test.proves('page:waitForTimeout');
test('waitForTimeout', async () => {
  assert.match(await fixture.read('/late?ms=200', { waitForTimeout: 900 }), /arrived<\/p>/);
  assert.not.match(await fixture.read('/late?ms=3000'), /arrived<\/p>/);
});

// page/waits tests each form of source.
test.proves('page:waitForFunction.fn');
test('waitForFunction.fn: a function and an expression', async () => {
  for (const fn of ["() => window.arrived === 'yes'", "(await Promise.resolve(window.arrived)) === 'yes'"])
    assert.match(await fixture.read('/late', { waitForFunction: { fn } }), /class="late"/);
});

test('waitForFunction.polling: a mutation, and a number as text', async () => {
  const fn = "() => document.querySelector('.late') !== null";
  for (const polling of ['mutation', '50'])
    assert.match(await fixture.read('/late', { waitForFunction: { fn, polling } }), /class="late"/);
});

test.proves('page:waitForFunction.polling');
test('waitForFunction.polling sets how often the function is called', async () => {
  const statuses = ['raf', 50, 'mutation', 600].map(async (polling) => {
    const waitForFunction = { fn: '() => ++tries >= 4', polling, timeout: 900 };
    return (await fixture.service.post('/content', { html: '<script>tries = 0</script>', waitForFunction })).status;
  });
  assert.equal(await Promise.all(statuses), [200, 200, tooSlow, tooSlow]);
});

test.proves('page:waitForFunction.timeout');
test('waitForFunction.timeout', async () => {
  await fixture.refuse(
    '/content',
    { url: at('/'), waitForFunction: { fn: '() => false', timeout: 200 } },
    tooSlow,
    /200\s?ms/,
  );
  assert.match(await fixture.read('/late', { waitForFunction: { fn: 'window.arrived', timeout: 0 } }), /class="late"/);
});

test('waitForFunction: a syntax error and an exception are reported', async () => {
  const refuse = (fn: string, ...mentions: string[]) =>
    fixture.refuse('/content', { url: at('/'), waitForFunction: { fn, timeout: 2_000 } }, 400, ...mentions);
  await refuse('() => {', 'waitForFunction.fn', 'Unexpected');
  await refuse('nothing.here', 'nothing is not defined');
});

test.proves('page:waitForSelector.selector page:waitForSelector.hidden page:waitForSelector.visible');
test('waitForSelector: present, visible, hidden', async () => {
  const visible = await fixture.read('/late', { waitForSelector: { selector: '#target', visible: true } });
  assert.match(visible, /id="target" style="display: ?block/);
  const hidden = await fixture.read('/late', { waitForSelector: { selector: 'h1', hidden: true } });
  assert.not.match(hidden, /<h1>/);
  // Present but not shown yet, which is enough without `visible`.
  assert.match(await fixture.read('/late?ms=5000', { waitForSelector: { selector: '#target' } }), /display: ?none/);
});

test.proves('page:waitForSelector.timeout');
test.differs('A load or a wait that takes too long returns a 500');
test('waitForSelector.timeout', async () => {
  const refuse = (wait: object) =>
    fixture.refuse(
      '/content',
      { url: at('/late?ms=60000'), waitForSelector: wait },
      tooSlow,
      /200\s?ms/,
      'Timed out waiting for selector',
    );
  await refuse({ selector: '.none', timeout: 200 });
  await refuse({ selector: '#target', visible: true, timeout: 200 });
  await refuse({ selector: 'h1', hidden: true, timeout: 200 });
  const wrong = { url: at('/'), waitForSelector: { selector: 'p[' } };
  await fixture.refuse('/content', wrong, 400, 'waitForSelector.selector');
});

test.proves('page:waitForEvent.event');
test('waitForEvent on window', async () => {
  const html = await fixture.read('/event?on=window&ms=300', { waitForEvent: { event: 'ready-now' } });
  assert.is(textOf(html, 'fired'), 'fired');
});

test.proves('page:waitForEvent.timeout');
test('waitForEvent.timeout', async () => {
  const body = { url: at('/'), waitForEvent: { event: 'never', timeout: 200 } };
  await fixture.refuse('/content', body, 408, 'Timed out waiting for event', 'never');
});

test.peer('REST routes');
test('the waits run in order: timeout, function, selector, event', async () => {
  const html = `<pre id="log"></pre><script>
const log = document.querySelector('#log'); const note = (text) => { log.textContent += text + ' '; };
setTimeout(() => { window.first = true; note('function'); setTimeout(() => { note('selector'); log.className = 'second';
setTimeout(() => { note('event'); setInterval(() => document.dispatchEvent(new Event('third')), 100); }, 150); }, 150); }, 300);</script>`;
  const seen = await fixture.readHtml(html, {
    waitForTimeout: 100,
    waitForFunction: { fn: '() => window.first' },
    waitForSelector: { selector: '.second' },
    waitForEvent: { event: 'third' },
  });
  assert.is(textOf(seen, 'log').trim(), 'function selector event');
});

const failures: Record<string, () => { part?: RegExp } & Record<string, unknown>> = {
  'a refused connection': () => ({ url: fixture.site.refusingUrl }),
  'a port that browsers block': () => ({ url: 'http://127.0.0.1:1/' }),
  'a slow navigation': () => ({ url: at('/never-load'), gotoOptions: { timeout: 300 }, part: /never loads/ }),
  'a document that never arrives': () => ({ url: at('/hang'), gotoOptions: { timeout: 300 } }),
  'an endless document': () => ({ url: at('/drip'), gotoOptions: { timeout: 300 }, part: /another drop/ }),
  'a function that stays false': () => ({ url: at('/'), waitForFunction: { fn: '() => false', timeout: 100 } }),
  'a selector that never appears': () => ({ url: at('/'), waitForSelector: { selector: '.none', timeout: 100 } }),
  'an event that never fires': () => ({ url: at('/'), waitForEvent: { event: 'never', timeout: 100 } }),
  'a redirect loop': () => ({ url: at('/redirect-loop') }),
  'a dropped connection': () => ({ url: at('/reset') }),
};
for (const [name, failure] of Object.entries(failures)) {
  test.proves('page:bestAttempt');
  test(`bestAttempt continues after ${name}, with what has already loaded`, async () => {
    const { part, ...body } = failure();
    const refusal = await fixture.service.post('/content', body);
    assert.ok(refusal.status === 500 || refusal.status === 408, `without bestAttempt it is ${refusal.status}`);
    assert.not.match(refusal.text, /Internal Server Error/);
    const { text } = await fixture.post('/content', { ...body, bestAttempt: true });
    assert.match(text, /<\/html>\n$/);
    if (part) assert.match(text, part);
  });
}

test('bestAttempt also applies to screenshots', async () => {
  await fixture.post('/screenshot', { ...failures['an endless document']?.(), part: undefined, bestAttempt: true });
});

test('a page that navigates by itself is followed', async () => {
  for (const query of ['', '&script']) {
    const html = await fixture.read(`/refresh?to=/small${query}`, { waitForSelector: { selector: 'p' } });
    assert.match(html, /Small page\./);
  }
});
