/** An operation of a graphql-transport-ws socket, in the form in which graphql-ws runs one: a stream that can be ended. */
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { orAborted } from '../runtime/deadline.ts';
import type { BqlAnswer } from './execute.ts';
import type { ReadyDocument } from './language/document.ts';

export interface OperationHost {
  /** Runs the document until it is done or the signal aborts. */
  run(document: ReadyDocument, signal: AbortSignal): Promise<BqlAnswer | AsyncIterable<BqlAnswer>>;
  /** Told that the stream is read: from now on it can be ended. */
  started(): void;
  /** Resolves when the client has read nearly all, or has left. */
  drained(): Promise<void>;
  /** Told of errors of `run`, but for those after the end. */
  failed(error: unknown): void;
}

/**
 * The answers of an operation. It runs from the first `next` on. Its items are empty: `answer` has what they stand for,
 * in the final form, for which graphql-ws has no type.
 */
export class SocketOperation implements AsyncIterableIterator<ExecutionResult> {
  /** The answer of the last `next`. */
  answer: BqlAnswer = {};
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
      // Thrown on, it would be sent to the client as it is.
      if (!signal.aborted) this.#host.failed(error);
    }
    return { done: true, value: undefined };
  }

  /** Ends the operation. Resolves when the library has forgotten its id, which the client may then use again. */
  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#life.abort(new Error('the client no longer wants it'));
    this.#answers.return(undefined).catch(() => {});
    await this.#forgotten.promise;
    return { done: true, value: undefined };
  }

  /** The library has forgotten the operation. */
  forget(): void {
    this.#forgotten.resolve();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#run(): AsyncGenerator<BqlAnswer> {
    const answer = await this.#host.run(this.#document, this.#life.signal);
    if (!(Symbol.asyncIterator in answer)) return yield answer;
    for await (const event of answer) {
      yield event;
      // The source has a limit of its own for what nobody takes.
      await this.#host.drained();
    }
  }
}

/** The operation that graphql-ws was given to run. */
export function operationOf({ contextValue }: Pick<ExecutionArgs, 'contextValue'>): SocketOperation {
  if (contextValue instanceof SocketOperation) return contextValue;
  throw new Error('graphql-ws runs what it was not given');
}
