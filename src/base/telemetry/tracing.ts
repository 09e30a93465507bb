// Declares spans as the rest of the server sees them. OpenTelemetry is behind this interface, in `otel/`, and is loaded
// only when the operator asks for it: without it, a span costs one function call.

/**
 * What a span tells besides its name and its times. Undefined values are left out; of `url.full`, the span shows what
 * cannot be a secret.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parts of a call. The span of the call itself has the name of its method and route. */
type SpanName = 'queue' | 'lease' | 'navigate' | 'act' | 'answer' | 'session';

/** A span that runs. */
export interface Span {
  /** For the log; undefined when nothing is traced. */
  readonly traceId: string | undefined;
  set(attributes: Attributes): void;
  /** Runs the work; spans that it begins, also later, are below this one. */
  within<T>(work: () => T): T;
  /** Ends the span. Later calls do nothing. @param error why it failed */
  end(error?: unknown): void;
}

/** A call as its span begins. Its request may name the span of the caller (W3C trace context). */
interface TracedCall {
  readonly id: string;
  readonly route: string;
  readonly request: Request;
  readonly url: URL;
}

export interface Tracing {
  /** Begins the span of a call. */
  call(call: TracedCall): Span;
  /** Begins a span below the one around it. */
  begin(name: SpanName, attributes: Attributes): Span;
  /** Runs the work in a span, which ends with it. */
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
