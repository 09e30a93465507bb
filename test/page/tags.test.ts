// addScriptTag and addStyleTag on pages that restrict them: an element that has no effect is refused with the reason.
import * as assert from 'uvu/assert';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import { addScriptTags, addStyleTags } from '../../src/browser/page/load/tags.ts';
import { gotoDefaults, pageSuite, prepare } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = pageSuite('page: added tags');

const script = { content: "document.documentElement.setAttribute('data-ran', '')" };
const style = { content: ':root { --styled: yes }' };
const ran = (page: Page) => evaluateText<boolean>(page, "document.documentElement.hasAttribute('data-ran')");
const styled = (page: Page) =>
  evaluateText<boolean>(page, "getComputedStyle(document.documentElement).getPropertyValue('--styled') === 'yes'");

interface Answer {
  body?: string;
  type?: string;
  policy?: string;
  scriptsOff?: boolean;
}

/** Opens a page with this response. */
const on = (answer: Answer, body: (page: Page) => Promise<unknown>) =>
  fixture.browser.withPage(async (page) => {
    const query = new URLSearchParams({ body: answer.body ?? '<!doctype html><p>page</p>' });
    if (answer.type !== undefined) query.set('type', answer.type);
    if (answer.policy !== undefined) query.set('header', `Content-Security-Policy: ${answer.policy}`);
    if (answer.scriptsOff === true) await prepare(page, { setJavaScriptEnabled: false });
    await navigate(page, `${fixture.site.url}/answer?${query}`, gotoDefaults);
    await body(page);
  });

const meta = (policy: string) =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><p>page</p>`;
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

const blockScripts: Record<string, [Answer, RegExp]> = {
  'a policy in a header': [{ policy: "script-src 'self'" }, /Content-Security-Policy/],
  'a policy in a meta element': [{ body: meta("default-src 'none'") }, /Content-Security-Policy/],
  'a policy with a nonce': [{ policy: "script-src 'nonce-abc'" }, /Content-Security-Policy/],
  'a policy of an SVG document': [
    { body: svg, type: 'image/svg+xml', policy: "script-src 'none'" },
    /Content-Security/,
  ],
  'Trusted Types': [{ policy: "require-trusted-types-for 'script'" }, /Trusted Types/],
  sandbox: [{ policy: 'sandbox' }, /sandbox/],
  'scripts switched off': [{ scriptsOff: true }, /setJavaScriptEnabled/],
};
for (const [name, [answer, reason]] of Object.entries(blockScripts)) {
  test(`a script that ${name} blocks is refused`, () =>
    on(answer, async (page) => {
      for (const tag of [script, { ...script, type: 'module' }, { ...script, id: 'added' }]) {
        const problem = await problemOf(addScriptTags(page, [tag]));
        assert.is(problem.code, 'bad-request');
        assert.match(problem.message, /^addScriptTag\[0\] has no effect/);
        assert.match(problem.message, reason);
      }
      assert.is(await ran(page), false);
      assert.is(await evaluateText(page, "document.querySelectorAll('script').length"), 0);
    }));
}

for (const [name, answer] of Object.entries({
  'a policy in a header': { policy: "style-src 'self'" },
  'a policy in a meta element': { body: meta("style-src 'none'") },
})) {
  test(`a style that ${name} blocks is refused`, () =>
    on(answer, async (page) => {
      assert.match((await problemOf(addStyleTags(page, [style]))).message, 'addStyleTag[0] has no effect');
      assert.is(await styled(page), false);
    }));
}

for (const [name, answer] of Object.entries<Answer>({
  'an SVG document': { body: svg, type: 'image/svg+xml' },
  'an XML document': { body: '<list><item/></list>', type: 'application/xml' },
  'an XHTML document': {
    body: '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
    type: 'application/xhtml+xml',
  },
  "a page with a nonce and 'strict-dynamic'": { policy: "script-src 'nonce-abc' 'strict-dynamic'" },
  'a page whose policy allows inline content': { policy: "script-src 'unsafe-inline'; style-src 'unsafe-inline'" },
})) {
  test(`${name}: scripts run and styles apply`, () =>
    on(answer, async (page) => {
      await addScriptTags(page, [script]);
      await addStyleTags(page, [style]);
      assert.equal([await ran(page), await styled(page)], [true, true]);
    }));
}

test('by URL: a script and a sheet load in an XML document, and a sheet where scripts are off', async () => {
  const url = `${fixture.site.url}/assets/mark.js`;
  await on({ body: svg, type: 'image/svg+xml' }, async (page) => {
    await addScriptTags(page, [{ url }]);
    assert.is(await evaluateText(page, 'document.documentElement.dataset.mark'), 'by script');
  });
  const sheet = `${fixture.site.url}/answer?${new URLSearchParams({ type: 'text/css', body: style.content })}`;
  for (const answer of [{ policy: 'sandbox' }, { scriptsOff: true }, { body: svg, type: 'image/svg+xml' }]) {
    await on(answer, async (page) => {
      await addStyleTags(page, [{ url: sheet }]);
      assert.is(await styled(page), true, JSON.stringify(answer));
    });
  }
  await on({ policy: 'sandbox' }, async (page) => {
    const began = idleNow();
    assert.match((await problemOf(addScriptTags(page, [{ url }]))).message, 'sandbox');
    assert.ok(idleNow() - began < 5_000);
  });
});

test('a script with a syntax error is refused; one that throws has run', () =>
  on({}, async (page) => {
    for (const content of ['let 1 = 2', 'if (', 'const a = 1; const a = 2']) {
      assert.match(
        (await problemOf(addScriptTags(page, [{ content }]))).message,
        /^addScriptTag\[0\] did not run: .*syntax/,
      );
    }
    await addScriptTags(page, [{ content: 'JSON.parse("{")' }, { content: 'throw new SyntaxError("own")' }, script]);
    assert.is(await ran(page), true);
  }));

test('data in a script element is not a script', () =>
  on({ policy: "script-src 'none'" }, (page) =>
    addScriptTags(page, [
      { content: '{"a":1}', type: 'application/json' },
      { content: '<b>x</b>', type: 'text/template' },
    ]),
  ));

test('an element that never loads is refused long before the end of the request', () =>
  on({}, async (page) => {
    const url = `${fixture.site.url}/hang`;
    const [one, two] = await Promise.all([
      problemOf(addScriptTags(page, [{ url }])),
      problemOf(addStyleTags(page, [{ url }])),
    ]);
    assert.match(one.message, /addScriptTag\[0\] did not load .*10 s/);
    assert.match(two.message, /addStyleTag\[0\] did not load .*10 s/);
  }));
