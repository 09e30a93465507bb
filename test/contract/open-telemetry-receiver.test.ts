// A server whose OpenTelemetry receiver fails, hangs or is turned off.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect } from '../support/clients/clients.ts';
import { answers, hangs, type Receiver, startReceiver, takes } from '../support/clients/otlp-receiver.ts';
import { runMain, type ServerProcess, startProcess, stopAll } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('receivers of OpenTelemetry');
const key = 'CANARY-4711';

test('a failing receiver does not affect requests and is logged once', async () => {
  await using held = new AsyncDisposableStack();
  const receiver = await startReceiver();
  held.defer(() => receiver.close());
  const service = await startProcess({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}`,
      OTEL_LOGS_ENABLED: 'true',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      SPARES: '0',
    },
  });
  held.defer(() => service.stop());
  const eventLines = (event: string) => service.logs().filter((line) => line.event === event);
  receiver.become(answers(500));
  const failing = () =>
    eventLines('telemetry.export-failed')
      .map(({ signal }) => signal)
      .toSorted();
  succeeded(await service.post('/content', { html: 'x' }));
  await until('a line for each signal', () => failing().length === 3);
  const since = receiver.paths.length;
  succeeded(await service.post('/content', { html: 'x' }));
  const again = (signal: string) => receiver.paths.slice(since).filter((path) => path.endsWith(signal)).length > 1;
  await until(
    'further requests',
    () => again('metrics') && receiver.paths.slice(since).some((path) => /traces/.test(path)),
  );
  assert.equal(failing(), ['logs', 'metrics', 'traces']);
  assert.not.match(service.output(), key);
  receiver.become(takes);
  succeeded(await service.post('/content', { html: 'x' }));
  await until('the exports to be restored', () => eventLines('telemetry.export-restored').length === 3);
});

test('shutdown exports pending data but does not wait for a hung receiver', async () => {
  const receivers = await Promise.all([startReceiver(), startReceiver()]);
  const [own, hanging] = receivers;
  const start = ({ url }: Receiver) =>
    startProcess({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: '86400000', SPARES: '0' },
    });
  const [running, other] = await Promise.all([start(own), start(hanging)]);
  hanging.become(hangs);
  const stopped = async (one: ServerProcess) => {
    const since = performance.now();
    await one.stop();
    return performance.now() - since;
  };
  try {
    for (const each of [running, other]) succeeded(await each.post('/content', { html: 'x' }));
    const browser = await connect(running);
    const [quick, slow] = await Promise.all([stopped(running), stopped(other)]);
    await browser.disconnect().catch(() => {});
    const names = own.spans.map(({ name }) => name);
    for (const name of ['POST /content', 'GET /', 'session'])
      assert.ok(names.includes(name), `${name}: ${names.join()}`);
    assert.ok(own.metrics.has('browserd_requests_total'));
    assert.is(own.spans[0]?.resource['service.name'], 'browserd');
    assert.is(own.logs.length, 0, 'logs are not enabled');
    figure(`stop with an open socket: ${Math.round(quick)} ms; with a hung receiver: ${Math.round(slow)} ms`);
    assert.ok(slow < 5_000, `${slow} ms`);
  } finally {
    await stopAll(...receivers);
  }
});

test.proves('OTEL_ENABLED OTEL_TRACES_ENABLED OTEL_METRICS_ENABLED');
test('OTEL_ENABLED=false turns off everything; OTEL_TRACES_ENABLED=false and OTEL_METRICS_ENABLED=false turn off one each', async () => {
  const sent = async (name: string) => {
    const own = await startReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: own.url, OTEL_METRIC_EXPORT_INTERVAL: '100', SPARES: '0' };
    try {
      const running = await startProcess({ env: { ...env, [name]: 'false' } });
      succeeded(await running.post('/content', { html: 'x' }));
      await running.stop();
      return [...new Set(own.paths)];
    } finally {
      await own.close();
    }
  };
  const names = ['OTEL_ENABLED', 'OTEL_TRACES_ENABLED', 'OTEL_METRICS_ENABLED'];
  assert.equal(await Promise.all(names.map(sent)), [[], ['/v1/metrics'], ['/v1/traces']]);
});

test.proves('OTEL_EXPORTER_OTLP_PROTOCOL');
test('the server does not start with an unsupported protocol, and says why', async () => {
  const { code, output } = await runMain({ env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } });
  assert.is(code, 78);
  assert.match(output, /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf, got "grpc"/);
});
