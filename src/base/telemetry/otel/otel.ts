/**
 * Starts the official OpenTelemetry SDK for the traces, metrics and logs that the operator's settings enable. Only then
 * does src/start/start.ts load this module, and with it the SDK. Nothing ever waits for the receiver: data that does
 * not fit into the queues is dropped.
 */
import { type AnyValueMap, type Logger, SeverityNumber } from '@opentelemetry/api-logs';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { telemetryLimits } from '../../limits.ts';
import { orAborted, startDeadline } from '../../runtime/deadline.ts';
import { serviceVersion } from '../../version.ts';
import type { Log, LogLine } from '../log.ts';
import type { MetricReading } from '../prometheus.ts';
import { noTracing, type Tracing } from '../tracing.ts';
import { exportersTo, ExportWatch } from './exporters.ts';
import { metricProducer } from './metric-data.ts';
import { createTracing } from './spans.ts';
import type { LogLevel } from '../../errors.ts';

/** The settings with these names. */
export interface OpenTelemetrySettings {
  OTEL_TRACES_ENABLED: boolean;
  OTEL_METRICS_ENABLED: boolean;
  OTEL_LOGS_ENABLED: boolean;
  OTEL_SERVICE_NAME: string | undefined;
  /** `service.name` in here is used when no other name is set. */
  OTEL_RESOURCE_ATTRIBUTES: Readonly<Record<string, string>>;
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>>;
  OTEL_METRIC_EXPORT_INTERVAL: number;
}

export interface OpenTelemetry {
  readonly tracing: Tracing;
  /** Receives the log lines; undefined when logs are not exported. */
  readonly record: ((line: LogLine) => void) | undefined;
  /** Reports to this log when the receiver stops accepting data, and when it accepts it again. */
  reportTo(log: Log): void;
  /** Starts exporting metrics, if enabled. @param read returns their values */
  exportMetrics(read: () => Promise<readonly MetricReading[]>): void;
  /**
   * Sends everything that is queued. Never rejects; gives up after `limitMs` milliseconds, because the receiver may
   * hang.
   */
  flush(limitMs: number): Promise<void>;
}

/** All options of the SDK's queues, so that no environment variable has an effect. */
const queue = {
  maxQueueSize: telemetryLimits.waiting,
  maxExportBatchSize: telemetryLimits.atOnce,
  scheduledDelayMillis: telemetryLimits.everyMs,
  exportTimeoutMillis: telemetryLimits.requestMs,
};

/** @param runtime name and version, such as `node 26.10.0` */
export function startOpenTelemetry(settings: OpenTelemetrySettings, runtime: string): OpenTelemetry {
  const { OTEL_METRIC_EXPORT_INTERVAL: everyMs } = settings;
  const watch = new ExportWatch();
  const receiver = { endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT, headers: settings.OTEL_EXPORTER_OTLP_HEADERS };
  const exporters = exportersTo(receiver, watch);
  const resource = resourceOf(settings, runtime);
  const flushing: (() => Promise<void>)[] = [];
  return {
    tracing: settings.OTEL_TRACES_ENABLED ? startTraces() : noTracing,
    record: settings.OTEL_LOGS_ENABLED ? startLogs() : undefined,
    reportTo: (log) => (watch.log = log),
    exportMetrics(read) {
      if (!settings.OTEL_METRICS_ENABLED) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: exporters.metrics(),
        exportIntervalMillis: everyMs,
        exportTimeoutMillis: Math.min(everyMs, telemetryLimits.requestMs),
        metricProducers: [metricProducer(read, resource)],
      });
      const provider = new MeterProvider({ resource, readers: [reader] });
      flushing.push(() => provider.forceFlush());
    },
    async flush(limitMs) {
      using limit = startDeadline(Math.max(1, limitMs), () => undefined, []);
      // Log nothing on timeout: the log itself may be among the data being sent.
      await orAborted(Promise.allSettled(flushing.map((flush) => flush())), limit.signal).catch(() => {});
    },
  };

  function startTraces(): Tracing {
    // Makes the current span available to log lines as well.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const { attributes, attributeCharacters, events } = telemetryLimits;
    const provider = new TracerProvider({
      resource,
      // If a client does not record its own trace, its requests are not recorded here either.
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      spanProcessors: [new BatchSpanProcessor({ exporter: exporters.traces(), ...queue })],
      spanLimits: {
        attributeCountLimit: attributes,
        attributeValueLengthLimit: attributeCharacters,
        attributePerEventCountLimit: attributes,
        eventCountLimit: events,
      },
    });
    flushing.push(() => provider.forceFlush());
    return createTracing(provider.getTracer('browserd', serviceVersion));
  }

  function startLogs(): (line: LogLine) => void {
    const processor = new BatchLogRecordProcessor({ exporter: exporters.logs(), ...queue });
    const provider = new LoggerProvider({ resource, processors: [processor] });
    flushing.push(() => provider.forceFlush());
    const logger = provider.getLogger('browserd', serviceVersion);
    return (line) => emitLine(logger, line);
  }
}

function resourceOf(
  { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes }: OpenTelemetrySettings,
  runtime: string,
) {
  const [runtimeName, runtimeVersion] = runtime.split(' ');
  const own = {
    'service.name': name ?? attributes['service.name'] ?? 'browserd',
    'service.version': attributes['service.version'] ?? serviceVersion,
    'service.instance.id': attributes['service.instance.id'] ?? crypto.randomUUID(),
    'process.runtime.name': runtimeName,
    'process.runtime.version': runtimeVersion,
  };
  return defaultResource().merge(resourceFromAttributes({ ...attributes, ...own }));
}

const severities: Record<LogLevel, SeverityNumber> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
};

/** Emits a log line, which contains only JSON values. The SDK adds the trace and span of the code that wrote it. */
function emitLine(logger: Logger, { time: _time, level, event, cause, traceId: _trace, ...fields }: LogLine): void {
  logger.emit({
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    body: String(event),
    // Lines contain only JSON values, which is what an AnyValueMap may hold.
    attributes: { ...fields, ...exceptionOf(cause) } as AnyValueMap,
  });
}

/** Maps the error of a line to the attribute names of the OpenTelemetry semantic conventions. */
function exceptionOf(cause: unknown): Record<string, unknown> {
  if (typeof cause !== 'object' || cause === null) return cause === undefined ? {} : { cause };
  const { name, message, stack, ...others } = cause as Record<string, unknown>; // an object: its properties are unknown
  return {
    'exception.type': name,
    'exception.message': message,
    ...(stack === undefined ? {} : { 'exception.stacktrace': stack }),
    ...(Object.keys(others).length === 0 ? {} : { cause: others }),
  };
}
