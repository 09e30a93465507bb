// A server whose OpenTelemetry receiver fails, hangs or is turned off.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect } from '../support/clients/clients.ts';
import { answers, hangs, type Receiver, startReceiver, takes } from '../support/clients/otlp-receiver.ts';
import { runMain, startProcess } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('receivers of OpenTelemetry');
const key = 'CANARY-4711';

test('a failing receiver does not affect requests and is logged once; shutdown does not wait for a hung one', async () => {
  await using held = new AsyncDisposableStack();
  const receiver = await startReceiver();
  held.defer(() => receiver.close());
  let stopped: Promise<void> | undefined;
  const service = await startProcess({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}`,
      OTEL_LOGS_ENABLED: 'true',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      SPARES: '0',
    },
  });
  held.defer(() => stopped ?? service.stop());
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
  receiver.become(hangs);
  succeeded(await service.post('/content', { html: 'x' }));
  const began = performance.now();
  stopped = service.stop();
  await stopped;
  const slow = performance.now() - began;
  figure(`stop with a hung receiver: ${Math.round(slow)} ms`);
  assert.ok(slow < 5_000, `${slow} ms`);
});

/** Starts a server with this setting, uses it by a request and a socket, and stops it. @returns what it has exported */
async function exported(name: string): Promise<Receiver> {
  const receiver = await startReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: '86400000', SPARES: '0' };
  const running = await startProcess({ env: { ...env, [name]: 'false' } });
  try {
    succeeded(await running.post('/content', { html: 'x' }));
    const browser = await connect(running);
    await running.stop();
    await browser.disconnect().catch(() => {});
    return receiver;
  } finally {
    await receiver.close();
  }
}

test.proves('OTEL_TRACES_ENABLED OTEL_METRICS_ENABLED');
test('shutdown exports pending data; OTEL_TRACES_ENABLED=false and OTEL_METRICS_ENABLED=false turn off one each', async () => {
  const [traces, metrics] = await Promise.all([exported('OTEL_METRICS_ENABLED'), exported('OTEL_TRACES_ENABLED')]);
  const names = traces.spans.map(({ name }) => name);
  for (const name of ['POST /content', 'GET /', 'session']) assert.ok(names.includes(name), `${name}: ${names.join()}`);
  assert.is(traces.spans[0]?.resource['service.name'], 'browserd');
  assert.ok(metrics.metrics.has('browserd_requests_total'));
  // Logs are not enabled.
  assert.equal([...new Set(traces.paths)], ['/v1/traces']);
  assert.equal([...new Set(metrics.paths)], ['/v1/metrics']);
});

test.proves('OTEL_ENABLED');
test('OTEL_ENABLED=false turns off everything', async () => {
  assert.equal((await exported('OTEL_ENABLED')).paths, []);
});

test.proves('OTEL_EXPORTER_OTLP_PROTOCOL');
test('the server does not start with an unsupported protocol, and says why', async () => {
  const { code, output } = await runMain({ env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } });
  assert.is(code, 78);
  assert.match(output, /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf, got "grpc"/);
});
