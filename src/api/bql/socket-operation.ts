/** Wraps one operation of a graphql-transport-ws socket as an async iterator that graphql-ws can run and end. */
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { orAborted } from '../../base/runtime/deadline.ts';
import type { BqlResponse } from './execute.ts';
import type { ReadyDocument } from './language/document.ts';

export interface OperationHost {
  /** Runs the document until it is done or the signal aborts. */
  run(document: ReadyDocument, signal: AbortSignal): Promise<BqlResponse | AsyncIterable<BqlResponse>>;
  /** Called when graphql-ws starts to read the stream; from then on it can end the operation. */
  started(): void;
  /** Resolves when the client has read nearly all sent data, or has disconnected. */
  drained(): Promise<void>;
  /** Called with errors of `run`, except those after the operation has ended. */
  failed(error: unknown): void;
}

/**
 * Iterates over the responses of an operation, which starts with the first `next`. The yielded items are empty:
 * `answer` holds the response in its final form, which does not fit graphql-ws's types.
 */
export class SocketOperation implements AsyncIterableIterator<ExecutionResult> {
  /** The response of the last `next`. */
  answer: BqlResponse = {};
  readonly #document: ReadyDocument;
  readonly #host: OperationHost;
  readonly #life = new AbortController();
  readonly #forgotten = Promise.withResolvers<void>();
  readonly #answers = this.#run();

  constructor(document: ReadyDocument, host: OperationHost) {
    this.#document = document;
    this.#host = host;
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    const { signal } = this.#life;
    this.#host.started();
    try {
      signal.throwIfAborted();
      const step = await orAborted(this.#answers.next(), signal);
      if (step.done !== true) {
        this.answer = step.value;
        return { done: false, value: {} };
      }
    } catch (error) {
      // Do not rethrow: graphql-ws would send the error to the client unchanged.
      if (!signal.aborted) this.#host.failed(error);
    }
    return { done: true, value: undefined };
  }

  /** Ends the operation. Resolves when graphql-ws has forgotten its id, which the client may then reuse. */
  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#life.abort(new Error('the client completed the operation'));
    this.#answers.return(undefined).catch(() => {});
    await this.#forgotten.promise;
    return { done: true, value: undefined };
  }

  /** Called when graphql-ws has forgotten the operation. */
  forget(): void {
    this.#forgotten.resolve();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#run(): AsyncGenerator<BqlResponse> {
    const answer = await this.#host.run(this.#document, this.#life.signal);
    if (!(Symbol.asyncIterator in answer)) return yield answer;
    for await (const event of answer) {
      yield event;
      // While the client catches up, the source queues events up to its own limit.
      await this.#host.drained();
    }
  }
}

/** Returns the operation that was passed to graphql-ws as context. */
export function operationOf({ contextValue }: Pick<ExecutionArgs, 'contextValue'>): SocketOperation {
  if (contextValue instanceof SocketOperation) return contextValue;
  throw new Error('graphql-ws ran an operation with an unknown context');
}
