/** From a handler's answer to the Response: safe headers, and streams that keep their browser until they are read. */
import { ServiceError, toServiceError } from '../errors.ts';
import type { Answer } from './route.ts';

/**
 * @param held what the answer lives on; a streamed body takes it along until its end
 * @param signal the call's deadline: it ends a stream too, also one that the client does not read
 * @param finished called once, when the answer is complete, failed or given up by the client
 */
export function respond(
  answer: Answer,
  held: DisposableStack,
  signal: AbortSignal,
  finished: (error?: ServiceError) => void,
): Response {
  const headers = { ...safeHeaders, ...answer.headers, 'Content-Type': answer.contentType };
  if (!(answer.body instanceof ReadableStream)) {
    finished();
    return new Response(toBody(answer.body), { status: answer.status ?? 200, headers });
  }
  const kept = held.move();
  const end = (error?: ServiceError) => {
    if (kept.disposed) return;
    kept.dispose();
    finished(error);
  };
  return new Response(watched(answer.body, signal, end), { status: answer.status ?? 200, headers });
}

/** Bodies are text or bytes over memory of their own; the type of Uint8Array also admits shared memory. */
function toBody(body: string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  // A copy is only made of what lies in shared memory, which nothing of ours does.
  return typeof body === 'string' || isPlain(body) ? body : body.slice();
}

function isPlain(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer;
}

/** Pages of other people must not run as ours when an answer is opened in a browser. */
const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': 'sandbox',
} as const;

/**
 * The same stream; `end` is called once, when it is read to its end, fails, is given up by the client or by the signal.
 */
function watched(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  end: (error?: ServiceError) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let stopListening = () => {};
  const finish = (error?: ServiceError) => {
    stopListening();
    end(error);
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
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (done) {
          controller.close();
          finish();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        if (signal.aborted) return;
        controller.error(error);
        finish(toServiceError(error));
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {});
      finish(new ServiceError('client-gone', 'The client closed the connection'));
    },
  });
}
