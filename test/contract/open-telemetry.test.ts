// Traces, metrics and logs of a real server, decoded by a receiver on loopback: the span tree of each kind of request,
// the client's trace, the values of /metrics, and the log lines.
import { randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { processSuite } from '../support/fixture.ts';
import { WebSocket } from 'ws';
import { refused, succeeded } from '../support/checks/expect.ts';
import { asSamples, samplesOf } from '../support/checks/metric-samples.ts';
import { connect, socketUrl } from '../support/clients/clients.ts';
import { type ReceivedSpan, type Receiver, startReceiver } from '../support/clients/otlp-receiver.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { until } from '../support/until.ts';

const canary = 'CANARY-4711';
let receiver: Receiver;
const { test, service, site } = processSuite('OpenTelemetry at a receiver', {
  async env() {
    receiver = await startReceiver();
    return {
      TOKEN: `token-${canary}`,
      CONCURRENT: '1',
      SPARES: '0',
      OTEL_ENABLED: 'true',
      OTEL_TRACES_ENABLED: 'true',
      OTEL_METRICS_ENABLED: 'true',
      OTEL_LOGS_ENABLED: 'true',
      OTEL_SERVICE_NAME: 'my browsers',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bed,service.name=unused',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=key-${canary}`,
      OTEL_METRIC_EXPORT_INTERVAL: '300',
    };
  },
});
test.after(() => receiver.close());

/** A client's trace, with the header that carries it. */
function callerTrace(flags = '01') {
  const [traceId, id] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, id, headers: { traceparent: `00-${traceId}-${id}-${flags}` } };
}

/** The spans of a trace as a tree of names, once the span of the request itself has arrived. */
async function treeOf(traceId: string): Promise<{ root: ReceivedSpan; text: string }> {
  const root = await receiver.span('the request', (span) => span.traceId === traceId && span.kind === 2);
  const text = (span: ReceivedSpan): string => {
    const operation = span.attributes['browserd.operation'];
    const below = receiver.childrenOf(span).map(text).toSorted();
    return `${span.name}${operation === undefined ? '' : ` ${operation}`}${below.length === 0 ? '' : `(${below.join(', ')})`}`;
  };
  return { root, text: text(root) };
}

/** The session's span ends with its browser, which may be after the request. */
const sessionEnded = (traceId: string) =>
  receiver.span('the session', (span) => span.traceId === traceId && span.name === 'session');

const find = (root: ReceivedSpan, name: string): ReceivedSpan => {
  const found = receiver.spans.find((span) => span.traceId === root.traceId && span.name === name);
  assert.ok(found, `no ${name}`);
  return found;
};

test.proves('OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS');
test("a screenshot: the request's spans are children of the client's span and contain no secrets", async () => {
  const { traceId, id, headers } = callerTrace();
  const url = `${site.url.replace('//', `//user:${canary}@`)}/small?key=${canary}#${canary}`;
  const options = {
    query: { token: `token-${canary}`, trackingId: 'mine' },
    token: null,
    headers: { ...headers, tracestate: 'vendor=x', 'user-agent': 'probe/1', cookie: `c=${canary}` },
  };
  succeeded(await service.post('/chromium/screenshot', { url }, options));
  const { root, text } = await treeOf(traceId);
  assert.is(text, 'POST /chromium/screenshot(act screenshot(navigate), answer, lease, queue)');
  assert.is(root.parent, id);
  assert.is(root.traceState, 'vendor=x');
  const { 'browserd.request.id': request, 'browserd.session.id': session, ...attributes } = root.attributes;
  assert.equal(attributes, {
    'http.request.method': 'POST',
    'http.route': '/chromium/screenshot',
    'http.response.status_code': 200,
    'url.path': '/chromium/screenshot',
    'url.scheme': 'http',
    'user_agent.original': 'probe/1',
    'browserd.tracking_id': 'mine',
  });
  const line = service.logs().find((each) => each.event === 'request' && each['id'] === request);
  assert.equal([line?.['traceId'], line?.['session']], [traceId, session]);
  const { 'service.version': version, 'service.instance.id': instance, ...resource } = root.resource;
  assert.ok(version && instance);
  assert.is(resource['service.name'], 'my browsers');
  assert.is(resource['deployment.environment.name'], 'test bed');
  assert.is(resource['telemetry.sdk.name'], 'opentelemetry');
  assert.equal(find(root, 'navigate').attributes, {
    'url.full': `${site.url}/small`,
    'http.response.status_code': 200,
  });
  assert.is(find(root, 'lease').attributes['browserd.browser'], 'chromium');
  assert.ok(root.ms > find(root, 'act').ms && find(root, 'navigate').ms > 0);
  assert.equal([root.status, find(root, 'act').status], [0, 0]);
  assert.not.match(receiver.text(), canary);
  assert.ok(receiver.headers.every((each) => each['x-key'] === `key-${canary}`));
  assert.ok(
    receiver.paths.every((path) => /^\/base\/v1\/(?:traces|metrics|logs)$/.test(path)),
    receiver.paths.join(),
  );
});

test('a function, a BrowserQL document, and one over a socket: a span for each step', async () => {
  const code = callerTrace();
  const javascript = 'export default async () => ({ data: 1 })';
  succeeded(await service.post('/function', { code: javascript }, { headers: code.headers }));
  assert.is((await treeOf(code.traceId)).text, 'POST /function(act function, answer, lease, queue)');

  const document = `mutation { goto(url: "${site.url}/small?k=${canary}") { status } title { title } click(selector: "#none-${canary}", timeout: 50) { x } evaluate(content: "throw new Error('${canary}')") { value } }`;
  const { traceId, headers } = callerTrace();
  succeeded(await service.post('/chromium/bql', { query: document }, { headers }));
  const { root, text } = await treeOf(traceId);
  assert.is(
    text,
    'POST /chromium/bql(act bql(act click, act evaluate, act title, navigate goto), answer, lease, queue)',
  );
  const click = receiver.spans.find(
    (span) => span.traceId === traceId && span.attributes['browserd.operation'] === 'click',
  );
  assert.equal([click?.status, root.status], [2, 0]);

  const socketTrace = callerTrace();
  const socket = new WebSocket(socketUrl(service, '/chromium/bql'), { headers: socketTrace.headers });
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('message', (data) => resolve(String(data)));
  socket.on('open', () =>
    socket.send(JSON.stringify({ query: 'mutation { content(html: "x") { status } title { title } }' })),
  );
  assert.match(await promise, '"data"');
  socket.close();
  await sessionEnded(socketTrace.traceId);
  const ofSocket = await treeOf(socketTrace.traceId);
  assert.is(ofSocket.text, 'GET /chromium/bql(act title, lease, navigate content, queue, session)');
});

test('sockets: spans last from the upgrade to the close and include the session', async () => {
  const { traceId, id, headers } = callerTrace();
  const browser = await connect(service, '/', { trackingId: 'cdp' }, { headers });
  await (await browser.newPage()).goto(`${site.url}/small`);
  await browser.close();
  await sessionEnded(traceId);
  const { root, text } = await treeOf(traceId);
  assert.is(text, 'GET /(lease, queue, session)');
  assert.is(root.parent, id);
  assert.is(root.attributes['http.response.status_code'], 101);
  assert.is(root.attributes['http.route'], '/');
  const session = find(root, 'session');
  assert.is(session.attributes['browserd.session.id'], root.attributes['browserd.session.id']);
  assert.ok(session.ms > 0 && root.ms >= find(root, 'lease').ms);

  const playwright = await connectPlaywright(service);
  await playwright.close();
  const opened = await receiver.span('the Playwright socket', ({ name }) => name === 'GET /chromium/playwright');
  await until('its child spans', () => receiver.childrenOf(opened).length === 3);
  assert.equal(
    receiver
      .childrenOf(opened)
      .map(({ name }) => name)
      .toSorted(),
    ['lease', 'queue', 'session'],
  );
});

test('failed requests: failed spans have the error code, and client errors do not mark the root span as failed', async () => {
  const far = callerTrace();
  refused(await service.post('/content', { url: `${site.refusingUrl}?k=${canary}` }, { headers: far.headers }), 500);
  const { root } = await treeOf(far.traceId);
  for (const span of [root, find(root, 'act'), find(root, 'navigate')]) {
    assert.equal([span.status, span.attributes['error.type']], [2, 'navigation-failed'], span.name);
    assert.is(span.events[0]?.name, 'exception');
  }
  assert.match(String(root.events[0]?.attributes['exception.message']), /refused the connection/);

  const wrong = callerTrace();
  refused(await service.post('/content', { nonsense: 1 }, { headers: wrong.headers }), 400);
  const ofWrong = await treeOf(wrong.traceId);
  assert.is(ofWrong.text, 'POST /content');
  assert.equal([ofWrong.root.status, ofWrong.root.attributes['error.type']], [0, 'invalid-body']);
  const unauthorized = callerTrace();
  refused(
    await service.post('/content', { html: 'x' }, { headers: unauthorized.headers, token: `wrong-${canary}` }),
    401,
  );
  assert.is((await treeOf(unauthorized.traceId)).root.attributes['http.response.status_code'], 401);
  const thrown = callerTrace();
  const code = `export default () => { throw new Error('${canary}') }`;
  refused(await service.post('/function', { code }, { headers: thrown.headers }), 400);
  await treeOf(thrown.traceId);
  assert.not.match(receiver.text(), canary);
});

test('a queued request: the queue span covers the wait', async () => {
  const running = service.post('/content', { url: `${site.url}/hang` }, { query: { timeout: 1_500 } });
  await site.waitForRequest('/hang');
  const { traceId, headers } = callerTrace();
  succeeded(await service.post('/content', { html: 'x' }, { headers }));
  refused(await running, 408);
  const { root } = await treeOf(traceId);
  const queue = find(root, 'queue');
  assert.is(queue.attributes['browserd.queue.waited'], true);
  assert.ok(queue.ms > 200, `${queue.ms} ms`);
  assert.ok(root.ms >= queue.ms);
});

test('an invalid traceparent is ignored; an unsampled trace is not recorded', async () => {
  const { traceId, id } = callerTrace();
  const wrong = [
    '',
    'nonsense',
    `00-${traceId}-${id}`,
    `00-${'0'.repeat(32)}-${id}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${id}-01`,
    `00-${traceId.toUpperCase()}X-${id}-01`,
    `00-${traceId}-${id}-01-more`,
    `00-${traceId}-${id}-01, 00-${traceId}-${id}-01`,
    `00-${traceId}-${id}-zz`,
    'x'.repeat(8_000),
  ];
  const tracestate = '=,,=;'.repeat(100);
  for (const [index, traceparent] of wrong.entries()) {
    const options = { headers: { traceparent, tracestate }, query: { trackingId: `wrong${index}` } };
    refused(await service.post('/content', { nonsense: 1 }, options), 400);
  }
  for (const [index, traceparent] of wrong.entries()) {
    const isIt = ({ attributes }: ReceivedSpan) => attributes['browserd.tracking_id'] === `wrong${index}`;
    const root = await receiver.span(`request ${index}`, isIt);
    assert.equal([root.parent, root.traceState], ['', ''], traceparent);
    assert.is.not(root.traceId, traceId);
  }
  const unrecorded = callerTrace('00');
  succeeded(await service.post('/content', { html: 'x' }, { headers: unrecorded.headers }));
  const later = callerTrace();
  refused(await service.post('/content', { nonsense: 1 }, { headers: later.headers }), 400);
  await treeOf(later.traceId);
  assert.not.ok(receiver.spans.some((span) => span.traceId === unrecorded.traceId));
});

test('probes, management, and documentation requests are not traced', async () => {
  const { headers } = callerTrace();
  for (const path of ['/active', '/docs', '/metrics', '/sessions', `/live/${'k'.repeat(24)}`])
    await service.get(path, { headers });
  const { traceId, headers: last } = callerTrace();
  refused(await service.post('/content', { nonsense: 1 }, { headers: last }), 400);
  await treeOf(traceId);
  const routes = new Set(receiver.spans.flatMap(({ attributes }) => String(attributes['http.route'] ?? [])));
  for (const route of routes) assert.not.match(route, /active|docs|metrics|sessions|live/);
});

test.proves('OTEL_METRIC_EXPORT_INTERVAL');
test('metrics have the same names and values as /metrics', async () => {
  const changing = /^browserd_(?:cpu|memory)_ratio/;
  const still = (samples: Map<string, number>) => [...samples].filter(([name]) => !changing.test(name)).toSorted();
  const prometheus = async () => {
    const reply = await service.get('/metrics', { headers: { accept: 'text/plain' } });
    return samplesOf(reply.text);
  };
  await until('the same values', async () => {
    const [here, there] = [still(await prometheus()), still(asSamples(receiver.metrics.values()))];
    return JSON.stringify(here) === JSON.stringify(there);
  }).catch(async () => {
    assert.equal(still(asSamples(receiver.metrics.values())), still(await prometheus()));
  });
  const names = [...(await prometheus()).keys()];
  for (const name of names.filter((each) => changing.test(each))) {
    const value = asSamples(receiver.metrics.values()).get(name) ?? -1;
    assert.ok(value >= 0 && value <= 1, `${name} ${value}`);
  }
  const { unit, description } = receiver.metrics.get('browserd_request_duration_seconds') ?? {};
  assert.equal([unit, description], ['s', 'Time from request to response, by route.']);
});

test.proves('OTEL_LOGS_ENABLED');
test('log lines are exported with the trace and span of their request', async () => {
  const { traceId, headers } = callerTrace();
  refused(await service.post('/content', { url: site.refusingUrl }, { headers }), 500);
  const { root } = await treeOf(traceId);
  const line = await until('its line', () =>
    receiver.logs.find((log) => log.traceId === traceId && log.body === 'request'),
  );
  assert.equal([line.spanId, line.severity], [root.id, 'INFO']);
  assert.equal([line.attributes['status'], line.attributes['code']], [500, 'navigation-failed']);
  assert.ok(receiver.logs.some(({ body }) => body === 'listening'));
  assert.not.match(receiver.text(), canary);
});
