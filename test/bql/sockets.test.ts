// BrowserQL over WebSockets: the client of graphql-ws, subscriptions, plain frames, and what is no message.
import { type Client, createClient } from 'graphql-ws';
import { GraphQLClient } from 'graphql-request';
import * as assert from 'uvu/assert';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { until } from '../support/until.ts';

const { test, stage } = bqlSuite('BrowserQL sockets');

const socketUrl = () => stage.service.url.replace('http', 'ws');

async function withClient<T>(work: (client: Client) => Promise<T>, path = '/chromium/bql'): Promise<T> {
  const client = createClient({
    url: `${socketUrl()}${path}`,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
  });
  try {
    return await work(client);
  } finally {
    await client.dispose();
  }
}

// Documents decide the shape of their answers.
function ask(client: Client, query: string): Promise<any> {
  return new Promise((resolve, reject) => {
    let answer: unknown;
    client.subscribe(
      { query: placed(query, stage) },
      { next: (value) => (answer = value), error: reject, complete: () => resolve(answer) },
    );
  });
}

/** The events of a subscription, as they come. */
function listen(client: Client, query: string): { events: any[]; failures: unknown[]; stop: () => void } {
  const events: any[] = [];
  const failures: unknown[] = [];
  const stop = client.subscribe(
    { query: placed(query, stage) },
    { next: (value) => events.push(value), error: (error) => failures.push(error), complete: () => {} },
  );
  return { events, failures, stop };
}

test('graphql-ws runs documents one after another on one page', () =>
  withClient(async (client) => {
    const [first, second] = await Promise.all([
      ask(client, 'mutation { goto(url: "SITE/small") { status } waitForTimeout(time: 100) { time } }'),
      ask(client, 'mutation { title { title } }'),
    ]);
    assert.is(first.data.goto.status, 200);
    assert.equal(second, { data: { title: { title: 'Small' } } });
    const partial = await ask(client, 'mutation { click(selector: "#no", wait: false) { x } }');
    assert.equal([partial.data, partial.errors[0].extensions.code], [{ click: null }, 'SELECTOR_NOT_FOUND']);
    assert.type((await ask(client, '{ version }')).data.version, 'string');
    const refused = await ask(client, 'mutation { nothing }').catch((errors: unknown) => errors);
    assert.match(JSON.stringify(refused), 'Cannot query field');
  }));

test('subscriptions tell of requests, responses and the console', () =>
  withClient(async (client) => {
    await ask(client, 'mutation { goto(url: "SITE/small") { status } }');
    const requests = listen(
      client,
      'subscription { request(type: [fetch], url: "*/api/*", method: GET, operator: and) { url method type headers { name } } }',
    );
    const responses = listen(
      client,
      'subscription { response(status: 200, type: xhr, method: PUT, url: "*put", operator: and) { url status body } }',
    );
    const messages = listen(
      client,
      'subscription { console { type text args timestamp location { url lineNumber columnNumber } } }',
    );
    // Of a page that is left at once the browser forgets the bodies.
    const whole = () => responses.events.find(({ data }) => data.response.body !== null);
    await until('the subscriptions to be heard', async () => {
      await ask(
        client,
        'mutation { goto(url: "SITE/bql/app", waitUntil: networkIdle) { status } evaluate(content: "console.log(\'beat\')") { value } }',
      );
      return requests.events.length > 0 && whole() && messages.events.length > 0;
    });
    assert.equal(requests.events[0].data.request.url, `${stage.site.url}/api/items`);
    assert.equal(whole()?.data.response, {
      url: `${stage.site.url}/api/put`,
      status: 200,
      body: '{"put":true}',
    });
    // covers: ConsoleMessageType.*
    messages.events.length = 0;
    await ask(
      client,
      `mutation { evaluate(content: """
        console.log('a', 1, { b: 2 }); console.debug('d'); console.info('i'); console.error('e'); console.warn('w');
        console.dir({}); console.dirxml('x'); console.table([1]); console.trace('t'); console.clear(); console.group('g');
        console.groupCollapsed('gc'); console.groupEnd(); console.assert(false, 'no'); console.assert(true); console.profile('p');
        console.profileEnd('p'); console.count('c'); console.time('tm'); console.timeEnd('tm'); console.timeStamp('s'); setTimeout(() => { throw new Error('late') });
      """) { value } }`,
    );
    const types = () => messages.events.map(({ data }) => data.console.type);
    await until('all messages', () => types().length >= 20);
    assert.equal(
      types(),
      'log debug info error warning dir dirxml table trace clear startGroup startGroupCollapsed endGroup assert profile profileEnd count timeEnd verbose error'.split(
        ' ',
      ),
    );
    const [first] = messages.events;
    assert.equal([first.data.console.text, first.data.console.args], ['a 1 {"b":2}', ['"a"', '1', '{"b":2}']]);
    assert.ok(Math.abs(first.data.console.timestamp - Date.now()) < 120_000);
    assert.type(first.data.console.location.lineNumber, 'number');
    assert.match(messages.events.at(-1).data.console.text, 'late');
    for (const { stop } of [requests, responses, messages]) stop();
    assert.equal([...requests.failures, ...responses.failures, ...messages.failures], []);
  }));

test('a socket ends its browser, unless the browser is kept', async () => {
  const endpoint = await withClient(async (client) => {
    const { data } = await ask(
      client,
      'mutation { goto(url: "SITE/small") { status } reconnect(timeout: 60000) { browserQLEndpoint } }',
    );
    return new URL(data.reconnect.browserQLEndpoint).pathname;
  });
  await withClient(async (client) => {
    assert.equal((await ask(client, 'mutation { title { title } }')).data.title, { title: 'Small' });
  }, endpoint);
  const { data } = await stage.run('mutation { title { title } }', { path: endpoint });
  assert.is(data.title.title, 'Small');
  await until(
    'all browsers to be gone',
    async () => (await stage.service.get('/sessions')).json<unknown[]>().length === 0,
  );
});

test('without a subprotocol, frames are questions and answers', async () => {
  const socket = new WebSocket(`${socketUrl()}/chromium/bql`);
  const answers: any[] = [];
  socket.onmessage = ({ data }) => answers.push(JSON.parse(String(data)));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the socket did not open'));
  });
  socket.send(
    JSON.stringify({
      query: placed('mutation ($u: String!) { goto(url: $u) { status } }', stage),
      variables: { u: `${stage.site.url}/small` },
    }),
  );
  await until('an answer', () => answers.length === 1, 30_000);
  socket.send('nonsense');
  socket.send(JSON.stringify({ id: 7, query: 'mutation { nothing }' }));
  await until('three answers', () => answers.length === 3, 30_000);
  assert.equal(answers[0], { data: { goto: { status: 200 } } });
  const refused = answers.slice(1).map((answer) => answer.errors[0].extensions.code);
  assert.equal(refused, ['BAD_DOCUMENT', 'BAD_DOCUMENT']);
  // PHP writes an empty object so.
  socket.send(JSON.stringify({ query: '{ version }', variables: [] }));
  await until('four answers', () => answers.length === 4, 30_000);
  assert.type(answers[3].data.version, 'string');
  socket.close();
});

test('what breaks the protocol closes the socket with the code of the protocol', async () => {
  const closedWith = (...messages: string[]) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${socketUrl()}/chromium/bql`, 'graphql-transport-ws');
      socket.onopen = () => messages.forEach((message) => socket.send(message));
      socket.onclose = ({ code }) => resolve(code);
      socket.onerror = () => reject(new Error('the socket failed'));
    });
  const init = '{"type":"connection_init"}';
  const wait = '{"type":"subscribe","id":"1","payload":{"query":"mutation { waitForTimeout(time: 5000) { time } }"}}';
  assert.is(await closedWith('no JSON'), 4400);
  assert.is(await closedWith(init, '{"type":"strange"}'), 4400);
  assert.is(await closedWith(init, '{"type":"subscribe","id":"1","payload":{}}'), 4400);
  assert.is(await closedWith(wait), 4401);
  assert.is(await closedWith(init, init), 4429);
  assert.is(await closedWith(init, '{"type":"ping"}', wait, wait), 4409);
});

test('graphql-request, subscriptions over HTTP', async () => {
  const client = new GraphQLClient(`${stage.service.url}/chromium/bql`);
  const document = 'mutation ($url: String!) { goto(url: $url) { status } title { title } }';
  const data = await client.request(document, { url: `${stage.site.url}/small` });
  assert.equal(data, { goto: { status: 200 }, title: { title: 'Small' } });
  const reply = await stage.send('subscription { console { text } }');
  assert.is(reply.status, 400);
  assert.match(reply.text, 'WebSocket');
});
