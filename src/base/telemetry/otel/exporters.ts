/**
 * Exports recorded data to the receiver: OTLP as protobuf over HTTP. Does not use the SDK's ready-made exporters, which
 * read further OTEL_ variables: here, only the settings of the server have an effect.
 */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPExporterBase, OTLPExporterError } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  type IExporterMetricsHelper,
  type ISerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { telemetryLimits } from '../../limits.ts';
import { serviceVersion } from '../../version.ts';
import type { Log } from '../log.ts';

/** URL of the receiver, and the headers of requests to it. */
interface Receiver {
  /** Base URL. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

type Signal = 'traces' | 'metrics' | 'logs';

/** Logs one line when the receiver stops accepting a signal, and one when it accepts it again. */
export class ExportWatch {
  log: Log | undefined;
  readonly #failing = new Set<Signal>();

  noteEnd(signal: Signal, receiver: string, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.#failing.delete(signal)) this.log?.info('telemetry.export-restored', { signal, receiver });
      return;
    }
    if (this.#failing.has(signal)) return;
    this.#failing.add(signal);
    this.log?.warn('telemetry.export-failed', {
      signal,
      receiver,
      reason: reasonOf(error),
      fix: 'check OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, and that the receiver accepts OTLP over HTTP; until then, data that does not fit into the queue is dropped',
    });
  }
}

function reasonOf(error: Error | undefined): string {
  if (error instanceof OTLPExporterError && error.code !== undefined) return `it responded with ${error.code}`;
  // The SDK's message for 429, 502, 503 and 504.
  if (error?.message === 'Export failed with retryable status')
    return 'it responded that it is overloaded or unavailable';
  return error && 'code' in error ? String(error.code) : (error?.message ?? 'unknown');
}

/** The exporters of one receiver. */
export function exportersTo(receiver: Receiver, watch: ExportWatch) {
  /** @param component names the exporter in the SDK's metrics about itself, which nobody reads here */
  const exporter = <Items, Answer>(
    signal: Signal,
    serializer: ISerializer<Items, Answer>,
    component: string,
    helper: IExporterMetricsHelper<Items>,
  ): OTLPExporterBase<Items> => {
    const url = signalUrl(receiver.endpoint, signal);
    const options = {
      url,
      headers: async () => ({ 'Content-Type': 'application/x-protobuf', ...receiver.headers }),
      timeoutMillis: telemetryLimits.requestMs,
      concurrencyLimit: telemetryLimits.requests,
      compression: 'none' as const,
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
      userAgent: `browserd/${serviceVersion}`,
    };
    const delegate = createOtlpHttpExportDelegate(options, serializer, component, helper, undefined);
    return new OTLPExporterBase<Items>({
      export: (items, done) =>
        delegate.export(items, (result) => {
          watch.noteEnd(signal, url, result);
          done(result);
        }),
      forceFlush: () => delegate.forceFlush(),
      shutdown: () => delegate.shutdown(),
      setMetrics: (metrics) => delegate.setMetrics(metrics),
    });
  };
  return {
    traces: () => exporter('traces', ProtobufTraceSerializer, 'otlp_http_span_exporter', TraceExporterMetricsHelper),
    metrics: () =>
      exporter('metrics', ProtobufMetricsSerializer, 'otlp_http_metric_exporter', MetricsExporterMetricsHelper),
    logs: () => exporter('logs', ProtobufLogsSerializer, 'otlp_http_log_exporter', LogsExporterMetricsHelper),
  };
}

/** The URL of a signal: its path is appended to the base URL (OTLP exporter, "Endpoint URLs for OTLP/HTTP"). */
function signalUrl(endpoint: string, signal: Signal): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`;
  return url.href;
}
