// BrowserQL over WebSockets: the graphql-ws client, subscriptions, plain frames, and invalid messages.
import { type Client, createClient } from 'graphql-ws';
import { GraphQLClient } from 'graphql-request';
import * as assert from 'uvu/assert';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { until } from '../support/until.ts';

const { test, fixture } = bqlSuite('BrowserQL sockets');

const socketUrl = () => fixture.service.url.replace('http', 'ws');

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

// `any`, because the shape of a result depends on its document.
function runDocument(client: Client, query: string): Promise<any> {
  return new Promise((resolve, reject) => {
    let answer: unknown;
    client.subscribe(
      { query: placed(query, fixture) },
      { next: (value) => (answer = value), error: reject, complete: () => resolve(answer) },
    );
  });
}

/** The events of a subscription, as they arrive. */
function listen(client: Client, query: string): { events: any[]; failures: unknown[]; stop: () => void } {
  const events: any[] = [];
  const failures: unknown[] = [];
  const stop = client.subscribe(
    { query: placed(query, fixture) },
    { next: (value) => events.push(value), error: (error) => failures.push(error), complete: () => {} },
  );
  return { events, failures, stop };
}

test('graphql-ws runs documents one after another on one page', () =>
  withClient(async (client) => {
    const [first, second] = await Promise.all([
      runDocument(client, 'mutation { goto(url: "SITE/small") { status } waitForTimeout(time: 100) { time } }'),
      runDocument(client, 'mutation { title { title } }'),
    ]);
    assert.is(first.data.goto.status, 200);
    assert.equal(second, { data: { title: { title: 'Small' } } });
    const partial = await runDocument(client, 'mutation { click(selector: "#no", wait: false) { x } }');
    assert.equal([partial.data, partial.errors[0].extensions.code], [{ click: null }, 'SELECTOR_NOT_FOUND']);
    assert.type((await runDocument(client, '{ version }')).data.version, 'string');
    const refused = await runDocument(client, 'mutation { nothing }').catch((errors: unknown) => errors);
    assert.match(JSON.stringify(refused), 'Cannot query field');
  }));

test('subscriptions report requests, responses and console messages', () =>
  withClient(async (client) => {
    await runDocument(client, 'mutation { goto(url: "SITE/small") { status } }');
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
    // The browser drops the response bodies if the page navigates away immediately.
    const whole = () => responses.events.find(({ data }) => data.response.body !== null);
    await until('the subscriptions to receive events', async () => {
      await runDocument(
        client,
        'mutation { goto(url: "SITE/bql/app", waitUntil: networkIdle) { status } evaluate(content: "console.log(\'beat\')") { value } }',
      );
      return requests.events.length > 0 && whole() && messages.events.length > 0;
    });
    assert.equal(requests.events[0].data.request.url, `${fixture.site.url}/api/items`);
    assert.equal(whole()?.data.response, {
      url: `${fixture.site.url}/api/put`,
      status: 200,
      body: '{"put":true}',
    });
    // covers: ConsoleMessageType.*
    messages.events.length = 0;
    await runDocument(
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

test('closing the socket closes its browser, unless reconnect keeps it alive', async () => {
  const endpoint = await withClient(async (client) => {
    const { data } = await runDocument(
      client,
      'mutation { goto(url: "SITE/small") { status } reconnect(timeout: 60000) { browserQLEndpoint } }',
    );
    return new URL(data.reconnect.browserQLEndpoint).pathname;
  });
  await withClient(async (client) => {
    assert.equal((await runDocument(client, 'mutation { title { title } }')).data.title, { title: 'Small' });
  }, endpoint);
  const { data } = await fixture.run('mutation { title { title } }', { path: endpoint });
  assert.is(data.title.title, 'Small');
  await until(
    'all browsers to be gone',
    async () => (await fixture.service.get('/sessions')).json<unknown[]>().length === 0,
  );
});

test('without a subprotocol, each frame is a request or a response', async () => {
  const socket = new WebSocket(`${socketUrl()}/chromium/bql`);
  const answers: any[] = [];
  socket.addEventListener('message', ({ data }) => answers.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the socket did not open')));
  });
  socket.send(
    JSON.stringify({
      query: placed('mutation ($u: String!) { goto(url: $u) { status } }', fixture),
      variables: { u: `${fixture.site.url}/small` },
    }),
  );
  await until('a response', () => answers.length === 1, 30_000);
  socket.send('nonsense');
  socket.send(JSON.stringify({ id: 7, query: 'mutation { nothing }' }));
  await until('three responses', () => answers.length === 3, 30_000);
  assert.equal(answers[0], { data: { goto: { status: 200 } } });
  const refused = answers.slice(1).map((answer) => answer.errors[0].extensions.code);
  assert.equal(refused, ['BAD_DOCUMENT', 'BAD_DOCUMENT']);
  // PHP writes an empty object like this.
  socket.send(JSON.stringify({ query: '{ version }', variables: [] }));
  await until('four responses', () => answers.length === 4, 30_000);
  assert.type(answers[3].data.version, 'string');
  socket.close();
});

const init = '{"type":"connection_init"}';
const subscribe = (id: string, query: string) => JSON.stringify({ type: 'subscribe', id, payload: { query } });
const complete = (id: string) => JSON.stringify({ type: 'complete', id });
const waiting = 'mutation { waitForTimeout(time: 5000) { time } }';

/** A graphql-transport-ws socket without a client library, and the messages that it received. */
async function rawSocket(): Promise<{ socket: WebSocket; received: any[]; closed: Promise<CloseEvent> }> {
  const socket = new WebSocket(`${socketUrl()}/chromium/bql`, 'graphql-transport-ws');
  const received: any[] = [];
  socket.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data))));
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the socket did not open')));
  });
  return { socket, received, closed };
}

/** Sends the messages; returns the code and reason with which the server closes the socket. */
async function closedAfter(...messages: string[]): Promise<[code: number, reason: string]> {
  const { socket, closed } = await rawSocket();
  for (const message of messages) socket.send(message);
  const { code, reason } = await closed;
  return [code, reason];
}

test('protocol violations close the socket with the code and reason that the protocol specifies', async () => {
  const notAnObject = [4400, 'Messages are JSON objects'];
  const invalidSubscribe = [4400, 'subscribe needs an id and a payload with a query'];
  assert.equal(await closedAfter('no JSON'), notAnObject);
  assert.equal(await closedAfter('[1]'), notAnObject);
  for (const type of ['strange', 'next', 'connection_ack']) {
    const message = JSON.stringify({ type, id: '1', payload: {} });
    assert.equal(await closedAfter(init, message), [4400, 'Unknown type of message']);
  }
  assert.equal(await closedAfter(init, '{"type":"subscribe","id":"1","payload":{}}'), invalidSubscribe);
  assert.equal(
    await closedAfter(init, '{"type":"subscribe","id":"","payload":{"query":"{ version }"}}'),
    invalidSubscribe,
  );
  assert.equal(await closedAfter(subscribe('1', waiting)), [4401, 'Unauthorized']);
  assert.equal(await closedAfter(init, init), [4429, 'Too many initialisation requests']);
  assert.equal(await closedAfter(init, '{"type":"ping"}', subscribe('1', waiting), subscribe('1', waiting)), [
    4409,
    'Subscriber for 1 already exists',
  ]);
  const [code, reason] = await closedAfter(init, `{"type":"ping","payload":{"deep":${'['.repeat(2_000)}`);
  assert.equal([code, /nested deeper than \d+ levels/.test(reason)], [4400, true], reason);
});

test('an id can be reused immediately after complete, even without waiting', async () => {
  const { socket, received, closed } = await rawSocket();
  for (const message of [init, subscribe('1', waiting), complete('1'), subscribe('1', '{ version }')]) {
    socket.send(message);
  }
  await until('the second operation', () => received.some(({ type }) => type === 'complete'), 30_000);
  assert.equal(
    received.map(({ type, payload }) => [type, Object.keys(payload?.data ?? {})]),
    [
      ['connection_ack', []],
      ['next', ['version']],
      ['complete', []],
    ],
  );
  socket.close();
  await closed;
});

test('a close reason is at most 123 bytes, however long the operation id is', async () => {
  const wide = subscribe('€'.repeat(80), waiting);
  const [code, reason] = await closedAfter(init, wide, wide);
  assert.is(code, 4409);
  assert.match(reason, /^Subscriber for €{20,}/);
});

test('a socket is limited to 100 concurrent operations', async () => {
  const many = Array.from({ length: 101 }, (_, index) => subscribe(String(index), waiting));
  assert.equal(await closedAfter(init, ...many), [4400, 'Too many operations at once']);
});

test('complete cancels an operation and stops its messages', async () => {
  const { socket, received, closed } = await rawSocket();
  socket.send(init);
  socket.send(subscribe('long', 'mutation { waitForTimeout(time: 60000) { time } }'));
  socket.send(subscribe('next', 'mutation { title { title } }'));
  socket.send(subscribe('wrong', 'mutation { nothing }'));
  socket.send('{"type":"ping","payload":{"a":1}}');
  // Documents run sequentially: if the first were not canceled, the second would wait for a minute.
  await until('an error and a pong', () => received.length === 3, 30_000);
  socket.send(complete('long'));
  await until(
    'the second response',
    () => received.some(({ id, type }) => id === 'next' && type === 'complete'),
    30_000,
  );
  // The id is available again once its operation has ended.
  socket.send(subscribe('next', '{ version }'));
  await until('a third response', () => received.filter(({ type }) => type === 'complete').length === 2, 30_000);
  socket.close();
  await closed;
  const refusal = received.find(({ id }) => id === 'wrong');
  assert.equal([refusal.type, refusal.payload[0].extensions.code], ['error', 'BAD_DOCUMENT']);
  assert.equal(received[0], { type: 'connection_ack' });
  assert.equal(
    received.find(({ type }) => type === 'pong'),
    { type: 'pong', payload: { a: 1 } },
  );
  assert.equal(
    received.filter(({ id }) => id === 'long'),
    [],
  );
  assert.equal(
    received.filter(({ id }) => id === 'next').map(({ type }) => type),
    ['next', 'complete', 'next', 'complete'],
  );
});

test('graphql-request works; subscriptions over HTTP are rejected', async () => {
  const client = new GraphQLClient(`${fixture.service.url}/chromium/bql`);
  const document = 'mutation ($url: String!) { goto(url: $url) { status } title { title } }';
  const data = await client.request(document, { url: `${fixture.site.url}/small` });
  assert.equal(data, { goto: { status: 200 }, title: { title: 'Small' } });
  const reply = await fixture.send('subscription { console { text } }');
  assert.is(reply.status, 400);
  assert.match(reply.text, 'WebSocket');
});
