/**
 * Turns a handler's result into a Response: adds safe headers, limits its size, and keeps the browser of a stream until
 * the client has read the stream.
 */
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import type { Outlet } from '../../../base/runtime/http/outlets.ts';
import type { Call } from './call.ts';
import type { RouteResult } from './route.ts';

/**
 * A longer body is sent in parts of this size, in bytes, each after the client has read the previous one: this shows
 * that a slow client is still reading.
 */
const partBytes = 2 ** 18;

/** The dependencies for sending a response. */
export interface SendOptions {
  call: Call;
  outlet: Outlet;
  /** Ends a stream, even if the client does not read it. */
  signal: AbortSignal;
}

/**
 * @param failed called when a streamed body fails, or the client abandons it
 * @throws ServiceError `bad-request` for a response above MAX_ANSWER_MB
 */
export function respond(
  answer: RouteResult,
  { call, outlet, signal }: SendOptions,
  failed: (error: ServiceError) => void,
): Response {
  const limitBytes = call.services.config.MAX_ANSWER_MB * 2 ** 20;
  const { body, status = 200, contentType } = answer;
  const headers = { ...safeHeaders, ...answer.headers, 'Content-Type': contentType };
  if (body instanceof ReadableStream) {
    const kept = call.held.move();
    const end = (error?: ServiceError) => {
      if (kept.disposed) return;
      kept.dispose();
      if (error) failed(error);
    };
    return new Response(watched(body, signal, end), { status, headers });
  }
  if (limitBytes > 0 && body.length > limitBytes) throw tooLarge(body.length, limitBytes);
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if ((typeof body === 'string' ? body.length * 3 : body.length) <= partBytes)
    return new Response(toBody(body), { status, headers });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  outlet.hold(bytes.length);
  return new Response(inParts(bytes), { status, headers: { ...headers, 'Content-Length': String(bytes.length) } });
}

function tooLarge(size: number, limitBytes: number): ServiceError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return new ServiceError(
    'bad-request',
    `The response is ${megabytes(size)} MB, more than MAX_ANSWER_MB allows (${megabytes(limitBytes)} MB). Request a part of it, or a file with /download.`,
  );
}

function inParts(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, (at += partBytes)));
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Narrows a body to text or bytes over unshared memory; the type of Uint8Array also allows shared memory. */
function toBody(body: string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  // Only bytes in shared memory are copied, and the server uses none.
  return typeof body === 'string' || isPlain(body) ? body : body.slice();
}

function isPlain(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
}

/** A page from another site in a response must not run with the server's origin when a browser opens it. */
const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': 'sandbox',
} as const;

/**
 * Forwards the stream. Calls `end` once: when the stream is read to its end or fails, or when the client or the signal
 * ends it.
 */
function watched(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  end: (error?: ServiceError) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let rest: Uint8Array = new Uint8Array();
  let stopListening = () => {};
  const finish = (error?: ServiceError) => {
    stopListening();
    end(error);
  };
  const next = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(rest.subarray(0, partBytes));
    rest = rest.subarray(partBytes);
  };
  return new ReadableStream({
    start(controller) {
      const aborted = () => {
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
        finish(toServiceError(signal.reason));
      };
      stopListening = () => signal.removeEventListener('abort', aborted);
      signal.addEventListener('abort', aborted, { once: true });
    },
    async pull(controller) {
      try {
        if (rest.length > 0) return next(controller);
        // oxlint-disable-next-line browserd/raced-await -- an abort ends the stream itself
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (done) {
          controller.close();
          finish();
        } else {
          rest = value;
          next(controller);
        }
      } catch (error) {
        if (signal.aborted) return;
        controller.error(error);
        finish(toServiceError(error));
      }
    },
    async cancel(reason) {
      // oxlint-disable-next-line browserd/raced-await -- the client has left: nobody waits
      await reader.cancel(reason).catch(() => {});
      finish(new ServiceError('client-gone', 'The client closed the connection'));
    },
  });
}
