// Declares spans as the rest of the server sees them. OpenTelemetry is hidden behind this interface, in `otel/`, and is
// loaded only when the operator enables it: otherwise, a span costs one function call.

/**
 * The contents of a span besides its name and times. Undefined values are omitted; `url.full` is reduced to parts that
 * cannot be secret.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parts of a request. The span of the request itself is named after its method and route. */
type SpanName = 'queue' | 'lease' | 'navigate' | 'act' | 'answer' | 'session';

/** A span that has not ended. */
export interface Span {
  /** For the log; undefined when tracing is off. */
  readonly traceId: string | undefined;
  set(attributes: Attributes): void;
  /** Runs the work; spans that it starts, even later, are children of this one. */
  within<T>(work: () => T): T;
  /** Ends the span. Further calls do nothing. @param error why the work failed */
  end(error?: unknown): void;
}

/** A request at the start of its span. It may identify the client's span (W3C trace context). */
interface TracedCall {
  readonly id: string;
  readonly route: string;
  readonly request: Request;
  readonly url: URL;
}

export interface Tracing {
  /** Starts the span of a request. */
  call(call: TracedCall): Span;
  /** Starts a child of the current span. */
  begin(name: SpanName, attributes: Attributes): Span;
  /** Runs the work in a span that ends when the work does. */
  span<T>(name: SpanName, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T>;
}

export const noSpan: Span = {
  traceId: undefined,
  set: () => {},
  within: (work) => work(),
  end: () => {},
};

export const noTracing: Tracing = {
  call: () => noSpan,
  begin: () => noSpan,
  span: (_name, _attributes, work) => work(noSpan),
};
