/** Reads the body of a request chunk by chunk. */
import { orAborted } from '../../../base/runtime/deadline.ts';

/** Yields the body as it arrives. @throws the abort reason of the signal */
export async function* bodyOf({ body }: Request, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Canceling would close the connection before the client has its response.
    reader.releaseLock();
  }
}
