// Clients' regular expressions that would run for days: at every entry point they affect only their own request, and
// the server keeps serving other clients. Patterns that only RegExp supports keep working.
import process from 'node:process';
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { messageOf, namesField, refused, succeeded } from '../support/checks/expect.ts';
import { send } from '../support/clients/http.ts';

const { test, fixture } = bqlSuite('patterns of callers');

const routes = ['content', 'pdf', 'screenshot', 'scrape'];
/** Part of the image URL on which the patterns below are slow. */
const letters = 'a'.repeat(300);
const html = () => `<h1>there</h1><img src="${fixture.site.url}/images/red.png?${letters}c">`;
const bodyFor = (route: string, fields: object) => ({
  html: html(),
  gotoOptions: { waitUntil: 'load' },
  ...(route === 'scrape' ? { elements: [{ selector: 'h1' }] } : {}),
  ...fields,
});

/** The longest time that others waited for a response while the work ran, in milliseconds. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let over = false;
  const done = work().finally(() => (over = true));
  let longest = 0;
  // Awaited below; a failure must not end the process before that.
  done.catch(() => {});
  while (!over) {
    const began = performance.now();
    assert.is((await send(`${fixture.service.url}/active`)).status, 204);
    longest = Math.max(longest, performance.now() - began);
  }
  await done;
  return longest;
}

const harmlessNow = ['(a|a){25}$b', '(a{1,30}){1,30}!', '(a+)+$b', '((a|a)+)+$b'];
const endless = ['^(?!.*(a|a){30}$b)', '(.*)\\1(.*)\\2(.*)\\3!$', '(?=(a+)+$b)'];

/** In CI, where time is short, one route is tested with all of them and every other route with a different one. */
const endlessFor = (route: string) => {
  const at = routes.indexOf(route);
  return endless.filter((_, index) => process.env['CI'] !== 'true' || at === 0 || index === at - 1);
};

for (const route of routes) {
  test(`${route}: patterns that are exponential for RegExp are fast`, async () => {
    const wait = await longestWait(async () =>
      succeeded(await fixture.service.post(`/${route}`, bodyFor(route, { rejectRequestPattern: harmlessNow }))),
    );
    assert.ok(wait < 1_000, `others waited ${wait} ms`);
  });

  for (const pattern of endlessFor(route)) {
    test.differs('A request pattern may run forever');
    test(`${route}: ${pattern} fails its own request, and only that`, async () => {
      const wait = await longestWait(async () => {
        const body = bodyFor(route, { rejectRequestPattern: ['nothing', pattern] });
        const reply = await fixture.service.post(`/${route}`, body, { query: { timeout: 20_000 } });
        namesField(reply, 'rejectRequestPattern');
        refused(reply, 400, JSON.stringify(pattern), 'without lookaround and back-references');
      });
      assert.ok(wait < 1_000, `others waited ${wait} ms`);
      assert.not.ok(
        fixture.site.requests.some(({ path }) => path.includes(letters)),
        'the request was not blocked',
      );
    });
  }
}

test('an error in an interceptor names its own field', async () => {
  const requestInterceptors = endless.map((pattern) => ({ pattern, response: { body: 'x' } }));
  const reply = await fixture.service.post('/content', bodyFor('content', { requestInterceptors }));
  namesField(reply, 'requestInterceptors');
});

test('lookaround and back-references work as they do in RegExp', async () => {
  await fixture.read('/network', { rejectRequestPattern: ['^(?!.*(?:/network|red\\.css))'] });
  const requestedPaths = fixture.site.requests.map(({ path }) => path);
  assert.ok(requestedPaths.includes('/assets/red.css'), requestedPaths.join());
  assert.not.ok(
    requestedPaths.some((path) => path.endsWith('.png')),
    requestedPaths.join(),
  );
  const answered = await fixture.read('/network', {
    requestInterceptors: [{ pattern: '(?<=/assets/)mark\\.js$', response: { body: 'document.title = "from us"' } }],
    gotoOptions: { waitUntil: 'networkidle0' },
  });
  assert.match(answered, 'from us');
});

test('a pattern that is too long is rejected', async () => {
  const reply = await fixture.service.post('/content', { html: 'x', rejectRequestPattern: ['x'.repeat(2_001)] });
  namesField(reply, 'rejectRequestPattern.0');
  assert.match(messageOf(reply), '2001 characters');
});

const target = () => `${fixture.site.url}/images/red.png?${letters}c`;
const rejecting = (pattern: string) =>
  `mutation { reject(regex: ${JSON.stringify(pattern)}) { enabled } goto(url: "${target()}") { status } title { title } }`;

for (const pattern of endless) {
  test(`BrowserQL: reject(regex: ${pattern}) fails the remaining steps`, async () => {
    const wait = await longestWait(async () => {
      const { data, errors } = await fixture.run(rejecting(pattern));
      assert.equal([data['goto'], data['title']], [null, null]);
      assert.is(errors?.[0]?.extensions?.code, 'BAD_ARGUMENT');
      assert.match(errors?.[0]?.message ?? '', JSON.stringify(pattern));
    });
    assert.ok(wait < 1_000, `others waited ${wait} ms`);
    assert.not.ok(
      fixture.site.requests.some(({ path }) => path.includes(letters)),
      'the request was not blocked',
    );
  });
}

test('BrowserQL: reject(regex: …) supports lookaround and linear patterns at the same time', async () => {
  await fixture.data(
    'mutation { reject(regex: ["^(?!.*/(network|assets/))", "(a|a){25}$b|mark[.]js$"]) { enabled } goto(url: "SITE/network") { status } }',
  );
  const requestedPaths = fixture.site.requests.map(({ path }) => path);
  assert.equal(requestedPaths.toSorted(), ['/assets/red.css', '/network'], requestedPaths.join());
});

test('BrowserQL over a socket: the document fails, but the socket and its page continue', async () => {
  const client = createClient({ url: `${fixture.service.url.replace('http', 'ws')}/chromium/bql`, retryAttempts: 0 });
  const ask = (query: string): Promise<any[]> =>
    new Promise((resolve, reject) => {
      const answers: any[] = [];
      client.subscribe(
        { query: placed(query, fixture) },
        { next: (value) => answers.push(value), error: reject, complete: () => resolve(answers) },
      );
    });
  try {
    const wait = await longestWait(async () => {
      const [spent] = await ask(rejecting(endless[0] ?? ''));
      assert.is(spent.errors[0].extensions.code, 'BAD_ARGUMENT');
    });
    assert.ok(wait < 1_000, `others waited ${wait} ms`);
    const [next] = await ask('mutation { goto(url: "SITE/small") { status } title { title } }');
    assert.equal(next.data.title, { title: 'Small' });
  } finally {
    await client.dispose();
  }
});

test('a hostile request does not use up the budget of a legitimate one', async () => {
  const honest = () =>
    fixture.service.post('/content', { url: `${fixture.site.url}/network`, rejectRequestPattern: ['^(?!.*network)'] });
  const hostile = () => fixture.service.post('/content', bodyFor('content', { rejectRequestPattern: [endless[0]] }));
  const replies = await Promise.all([hostile(), honest(), hostile(), honest(), hostile(), honest()]);
  assert.equal(
    replies.map(({ status }) => status),
    [400, 200, 400, 200, 400, 200],
    replies.map(messageOf).join('\n').slice(0, 2_000),
  );
});
