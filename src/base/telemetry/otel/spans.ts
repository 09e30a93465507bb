/** Creates spans with the official SDK. AsyncLocalStorage tracks the current span. */
import {
  type Context,
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { ServiceError } from '../../errors.ts';
import { loggable, redact } from '../log.ts';
import type { Attributes, Span, Tracing } from '../tracing.ts';

type SdkSpan = ReturnType<Tracer['startSpan']>;

const traceContext = new W3CTraceContextPropagator();

const headerGetter: TextMapGetter<Headers> = {
  keys: (headers) => [...headers.keys()],
  get: (headers, name) => headers.get(name) ?? undefined,
};

export function createTracing(tracer: Tracer): Tracing {
  const begin = (name: string, attributes: Attributes) => {
    const span = new OpenSpan(tracer.startSpan(name), context.active(), false);
    span.set(attributes);
    return span;
  };
  return {
    call({ id, route, request, url }) {
      const { method, headers } = request;
      // A header that violates the standard is treated as absent.
      const parent = traceContext.extract(ROOT_CONTEXT, headers, headerGetter);
      const started = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER }, parent);
      const span = new OpenSpan(started, parent, true);
      // Attribute names from the semantic conventions for HTTP servers. The query is omitted: it may contain a token.
      span.set({
        'http.request.method': method,
        'http.route': route,
        'url.path': redact(url.pathname),
        'url.scheme': url.protocol.slice(0, -1),
        'user_agent.original': headers.get('user-agent') ?? undefined,
        'browserd.request.id': id,
      });
      return span;
    },
    begin,
    async span(name, attributes, work) {
      const span = begin(name, attributes);
      try {
        const result = await span.within(() => work(span));
        span.end();
        return result;
      } catch (error) {
        span.end(error);
        throw error;
      }
    },
  };
}

/**
 * The URL of a page as shown in spans: without user, password, query and fragment; for schemes other than http and
 * https, only the scheme.
 */
export function pageAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname}` : protocol;
}

class OpenSpan implements Span {
  readonly traceId: string;
  readonly #span: SdkSpan;
  readonly #context: Context;
  readonly #isCall: boolean;
  #ended = false;

  constructor(span: SdkSpan, around: Context, isCall: boolean) {
    this.#span = span;
    this.#context = trace.setSpan(around, span);
    this.#isCall = isCall;
    this.traceId = span.spanContext().traceId;
  }

  set(attributes: Attributes): void {
    for (const [name, given] of Object.entries(attributes)) {
      const value = name === 'url.full' ? pageAddress(String(given)) : given;
      if (value !== undefined) this.#span.setAttribute(name, value);
    }
  }

  within<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end(error?: unknown): void {
    // The SDK would report a second end as an error.
    if (this.#ended) return;
    this.#ended = true;
    if (error !== undefined) this.#fail(error);
    this.#span.end();
  }

  #fail(error: unknown): void {
    const type = typeOf(error);
    // Messages of other errors may quote a page or the client's code.
    const told = error instanceof ServiceError ? { message: loggable(error) } : {};
    this.#span.setAttribute('error.type', type);
    this.#span.recordException({ name: type, ...told });
    // By the conventions for HTTP, a client error is not a server error: the status of the request's span stays unset.
    if (this.#isCall && error instanceof ServiceError && error.status < 500) return;
    this.#span.setStatus({ code: SpanStatusCode.ERROR, ...told });
  }
}

/** The code of an error, or the name of its class. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
