/** Converts log lines to log records. The SDK adds the trace and span of the code that wrote the line. */
import { type AnyValueMap, type Logger, SeverityNumber } from '@opentelemetry/api-logs';
import type { LogLevel } from '../../errors.ts';
import type { LogLine } from '../log.ts';

const severities: Record<LogLevel, SeverityNumber> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
};

/** Emits a log line, which contains only JSON values. */
export function emitLine(
  logger: Logger,
  { time: _time, level, event, cause, traceId: _trace, ...fields }: LogLine,
): void {
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
