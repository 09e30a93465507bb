/** From a handler's answer to the Response: safe headers, and streams that keep their browser until they are read. */
import { ServiceError, toServiceError } from '../errors.ts';
import type { Answer } from './route.ts';

/**
 * @param held what the answer lives on; a streamed body takes it along until its end
 * @param finished called once, when the answer is complete, failed or given up by the client
 */
export function respond(answer: Answer, held: DisposableStack, finished: (error?: ServiceError) => void): Response {
  const headers = { ...safeHeaders, ...answer.headers, 'Content-Type': answer.contentType };
  if (!(answer.body instanceof ReadableStream)) {
    finished();
    return new Response(toBody(answer.body), { headers });
  }
  const kept = held.move();
  const end = (error?: ServiceError) => {
    if (kept.disposed) return;
    kept.dispose();
    finished(error);
  };
  return new Response(watched(answer.body, end), { headers });
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

/** The same stream; `end` is called once, when it is read to its end, fails or is given up by the client. */
function watched(stream: ReadableStream<Uint8Array>, end: (error?: ServiceError) => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          end();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        controller.error(error);
        end(toServiceError(error));
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {});
      end(new ServiceError('client-gone', 'The client closed the connection'));
    },
  });
}
