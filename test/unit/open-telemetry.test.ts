// OpenTelemetry without a browser: memory while the receiver hangs, the log, and the cost of a span when
// nothing is traced.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { telemetryLimits } from '../../src/base/limits.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { Metrics } from '../../src/base/telemetry/metrics.ts';
import { type OpenTelemetrySettings, startOpenTelemetry } from '../../src/base/telemetry/otel/otel.ts';
import { pageAddress } from '../../src/base/telemetry/otel/spans.ts';
import { noTracing } from '../../src/base/telemetry/tracing.ts';
import { answers, hangs, startReceiver, takes } from '../support/clients/otlp-receiver.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('OpenTelemetry', { timeoutMs: 60_000 });

test('spans show the page URL without credentials, query or content', () => {
  assert.is(pageAddress('https://user:secret@site.test:8443/a/b?token=secret#secret'), 'https://site.test:8443/a/b');
  assert.is(pageAddress('data:text/html,secret'), 'data:');
  assert.is(pageAddress('secret'), undefined);
});

const start = (url: string, others: Partial<OpenTelemetrySettings> = {}) =>
  startOpenTelemetry(
    {
      OTEL_TRACES_ENABLED: true,
      OTEL_METRICS_ENABLED: true,
      OTEL_LOGS_ENABLED: false,
      OTEL_SERVICE_NAME: undefined,
      OTEL_RESOURCE_ATTRIBUTES: {},
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer canary-4711' },
      OTEL_METRIC_EXPORT_INTERVAL: 86_400_000,
      ...others,
    },
    'node 1.2.3',
  );

test('logs each change of a failing receiver once, and keeps no more spans than the queue holds while it hangs', async () => {
  const receiver = await startReceiver();
  const telemetry = start(receiver.url);
  const lines: { event: string; reason: string }[] = [];
  telemetry.reportTo(createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line)) }));
  const { tracing } = telemetry;
  const trace = () => tracing.begin('act', {}).end();
  const linesFor = (event: string) => lines.filter((line) => line.event === event);
  try {
    for (const [round, [mood, reason]] of [
      [answers(500), 'it responded with 500'] as const,
      [answers(429, { 'retry-after': '600' }), 'it responded that it is overloaded or unavailable'] as const,
      [answers(401), 'it responded with 401'] as const,
    ].entries()) {
      receiver.become(mood);
      for (let sent = 0; sent < 3; sent++) {
        trace();
        await telemetry.flush(20_000);
      }
      assert.is(linesFor('telemetry.export-failed').length, round + 1, reason);
      assert.is(linesFor('telemetry.export-failed').at(-1)?.reason, reason);
      receiver.become(takes);
      trace();
      await telemetry.flush(20_000);
      assert.is(linesFor('telemetry.export-restored').length, round + 1);
    }
    assert.not.match(JSON.stringify(lines), 'canary-4711');
    receiver.become(hangs);
    const before = receiver.spans.length;
    const many = 20 * telemetryLimits.waiting;
    for (let made = 0; made < many; made++) trace();
    const requests = receiver.paths.length;
    await until('a request that hangs', () => receiver.paths.length > requests);
    for (let made = 0; made < many; made++) trace();
    receiver.become(takes);
    // The flush abandons the hanging request only after its time limit; queued spans are sent in parallel.
    void telemetry.flush(20_000);
    await until('the queued spans', () => receiver.spans.length > before);
    await until('the whole queue', () => receiver.spans.length - before >= telemetryLimits.waiting);
    const kept = receiver.spans.length - before;
    assert.ok(kept <= telemetryLimits.waiting, `${kept} spans of ${2 * many}`);
    figure(`while its receiver hung, the server kept ${kept} of ${2 * many} spans`);
  } finally {
    await receiver.close();
  }
});

test('histograms, counters and gauges have the values that Prometheus gets', async () => {
  const receiver = await startReceiver();
  const telemetry = start(receiver.url, { OTEL_TRACES_ENABLED: false });
  const metrics = new Metrics();
  for (const ms of [10, 60, 60, 500_000]) metrics.answered('/pdf', 200, ms);
  metrics.answered('/content', 400, 100);
  telemetry.exportMetrics(() => metrics.readings({ queued: 3, slots: 10, cpu: null, memory: 0.5 }));
  try {
    await telemetry.flush(20_000);
    const requests = receiver.metrics.get('browserd_requests_total');
    assert.equal(requests?.points, [
      { attributes: { route: '/pdf', status: '200' }, value: 4 },
      { attributes: { route: '/content', status: '400' }, value: 1 },
    ]);
    assert.equal([requests?.kind, requests?.temporality], ['sum', 2]);
    const durations = receiver.metrics.get('browserd_request_duration_seconds');
    assert.equal(durations?.histograms, [
      {
        attributes: { route: '/pdf' },
        bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
        counts: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        sum: 500.13,
        count: 4,
      },
      {
        attributes: { route: '/content' },
        bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
        counts: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        sum: 0.1,
        count: 1,
      },
    ]);
    assert.is(durations?.unit, 's');
    assert.equal(receiver.metrics.get('browserd_queue_depth')?.points, [{ attributes: {}, value: 3 }]);
    assert.equal(receiver.metrics.get('browserd_memory_ratio')?.points, [{ attributes: {}, value: 0.5 }]);
    assert.not.ok(receiver.metrics.has('browserd_cpu_ratio'), 'unknown, not 0');
  } finally {
    await receiver.close();
  }
});

test("a failed span contains its error code, but not the message that a caller's code threw", async () => {
  const receiver = await startReceiver();
  const { tracing, flush } = start(receiver.url);
  const fail = (error: unknown) =>
    tracing.span('act', {}, () => Promise.reject(error)).catch((thrown: unknown) => assert.is(thrown, error));
  try {
    await fail(new ServiceError('code-failed', 'canary-4711 of a caller'));
    await fail(new ServiceError('navigation-failed', 'Could not load https://u:canary-4711@x.test/?k=canary-4711'));
    await fail(new TypeError('plain'));
    await flush(20_000);
    assert.equal(
      receiver.spans.map(({ attributes, status }) => [attributes['error.type'], status]),
      [
        ['code-failed', 2],
        ['navigation-failed', 2],
        ['TypeError', 2],
      ],
    );
    assert.not.match(receiver.text(), 'canary-4711');
    assert.is(receiver.headers[0]?.authorization, 'Bearer canary-4711');
    assert.match(receiver.headers[0]?.['user-agent'] ?? '', /^browserd\//);
  } finally {
    await receiver.close();
  }
});

test('without tracing, a span costs next to nothing', async () => {
  const rounds = 200_000;
  const work = () => Promise.resolve();
  const time = async (run: () => Promise<void>) => {
    for (let round = 0; round < rounds; round++) await run();
    const since = performance.now();
    for (let round = 0; round < rounds; round++) await run();
    return ((performance.now() - since) / rounds) * 1e6;
  };
  const bare = await time(work);
  const spanned = await time(() => noTracing.span('act', { 'browserd.operation': 'x' }, work));
  figure(`a span without tracing: ${(spanned - bare).toFixed(0)} ns more than the ${bare.toFixed(0)} ns of its work`);
  assert.ok(spanned - bare < 5_000, `${spanned - bare} ns`);
});
