// BrowserQL over WebSockets at its time limit: running documents get a response before the socket closes.
import * as assert from 'uvu/assert';
import { bqlSuite, placed } from '../support/clients/bql.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';
import { quickStealth } from './quick-stealth.ts';

const { test, fixture } = bqlSuite('BrowserQL sockets: deadlines', { env: quickStealth });
const limitMs = 1_500;
/** How long after the limit the socket may close, in milliseconds. */
const maxDelayMs = 1_000;

// The limits below are meant for the documents, so start the browser first.
test.before(async () => void (await fixture.data('mutation { url { url } }')));

const first =
  'mutation { goto(url: "SITE/small") { status } gone: waitForSelector(selector: "#x") { x } title { title } }';
const second = 'mutation { url { url } }';

/** Sends these messages on a socket; returns the messages that it received and its close code. */
async function runUntilClosed(path: string, protocol: string[], messages: string[]) {
  const socket = new WebSocket(`${fixture.service.url.replace('http', 'ws')}${path}?timeout=${limitMs}`, protocol);
  const received: any[] = [];
  socket.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data))));
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  const opened = new Promise<void>((resolve) => socket.addEventListener('open', () => resolve()));
  const refused = () => assert.unreachable('the socket was closed before it opened');
  await Promise.race([opened, closed.then(refused)]);
  const began = idleNow();
  for (const message of messages) socket.send(placed(message, fixture));
  const { code } = await closed;
  const ms = idleNow() - began;
  assert.ok(ms <= limitMs + maxDelayMs, `closed after ${Math.round(ms)} ms`);
  return { code, received };
}

const subscribe = (id: string, query: string) => JSON.stringify({ type: 'subscribe', id, payload: { query } });

function assertCutOff({ data, errors }: any): void {
  assert.equal(data, { goto: { status: 200 }, gone: null, title: null });
  assert.equal(
    errors.map(({ path, extensions }: any) => [path[0], extensions.code]),
    [
      ['gone', 'TIMEOUT'],
      ['title', 'NOT_RUN'],
    ],
  );
  assert.match(errors[0].message, 'Request has timed out during waitForSelector: no element matches the selector "#x"');
}

test('graphql-transport-ws: next, complete, and then close, for a waiting document too', async () => {
  const messages = ['{"type":"connection_init"}', subscribe('1', first), subscribe('2', second)];
  const { code, received } = await runUntilClosed('/chromium/bql', ['graphql-transport-ws'], messages);
  assert.is(code, 4408);
  const of = (wanted: string) => received.filter(({ id }) => id === wanted);
  for (const id of ['1', '2'])
    assert.equal(
      of(id).map(({ type }) => type),
      ['next', 'complete'],
    );
  assertCutOff(of('1')[0].payload);
  const { data, errors } = of('2')[0].payload;
  assert.equal([data, errors[0].extensions.code], [{ url: null }, 'NOT_RUN']);
});

test('without a subprotocol: the response, and then close', async () => {
  const { code, received } = await runUntilClosed('/chromium/bql', [], [JSON.stringify({ id: 7, query: first })]);
  assert.is(code, 4408);
  assert.is(received.length, 1);
  assert.is(received[0].id, 7);
  assertCutOff(received[0]);
});

test.needs('a full Chromium');
test('a session: sends the response too, and the browser stays open', async () => {
  const made = (await fixture.service.post('/session', { stealth: true })).json<{ id: string; browserQL: string }>();
  const path = new URL(made.browserQL).pathname;
  // Start the browser first, so that its startup does not count toward the limit of the socket.
  await fixture.data('mutation { url { url } }', { path });
  const { code, received } = await runUntilClosed(path, [], [JSON.stringify({ query: first })]);
  assert.is(code, 4408);
  assertCutOff(received[0]);
  assert.equal(await fixture.data('mutation { title { title } }', { path }), { title: { title: 'Small' } });
  await fixture.service.get(`/session/${made.id}`, { method: 'DELETE', query: { force: true } });
});

test('metrics count the connection as timed out', async () => {
  const timedOut = async () => (await fixture.service.get('/metrics/total')).json<{ timedout: number }>().timedout;
  const before = await timedOut();
  await runUntilClosed('/chromium/bql', [], [JSON.stringify({ query: first })]);
  await until('the connection to be counted', async () => (await timedOut()) === before + 1);
});
