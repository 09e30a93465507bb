/** Runs GraphQL subscriptions: streams a page's console messages, requests or responses to the client. */
import { type ExecutionResult, GraphQLError, type GraphQLResolveInfo, subscribe } from 'graphql';
import { watchConsole } from '../../browser/page/requests/console-hook.ts';
import { compileMatch } from '../../browser/page/requests/request-match.ts';
import { argumentsFor, type ReadyDocument } from './language/document.ts';
import { toBqlResponse, type BqlResponse } from './execute.ts';
import { type MatchArgs, toMatch, toRequest, toResponse } from './operations/network.ts';
import { loadLanguage } from './language/schema.ts';
import { selects } from './language/selection.ts';
import type { BqlSession } from './run/session.ts';
import { badArgument } from './run/step-error.ts';
import { textSize } from './run.ts';

/** Limits on the events queued for a slow client and on their text; beyond them the oldest are dropped. */
const maxWaiting = 1_000;
const maxWaitingCharacters = 2 ** 24;

/** A bounded queue of events for one reader. */
class EventQueue<T> implements AsyncIterableIterator<T> {
  /** Stops the source of the events. */
  stop = () => {};
  readonly #waiting: { event: T; size: number }[] = [];
  #characters = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  readonly #session: BqlSession;

  constructor(session: BqlSession, signal: AbortSignal) {
    this.#session = session;
    signal.addEventListener('abort', () => void this.return(), { once: true });
  }

  push(event: T): void {
    // Even the fact that something matched may reveal what a page does with a secret.
    if (this.#session.secrets.size > 0) return;
    const size = textSize(event);
    this.#waiting.push({ event, size });
    this.#characters += size;
    // Keep the newest event, however large it is.
    while (this.#waiting.length > 1 && (this.#waiting.length > maxWaiting || this.#characters > maxWaitingCharacters)) {
      this.#characters -= this.#waiting.shift()?.size ?? 0;
    }
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<T>> {
    for (;;) {
      const first = this.#waiting.shift();
      if (first !== undefined) {
        this.#characters -= first.size;
        return { done: false, value: first.event };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  return(): Promise<IteratorResult<T>> {
    if (!this.#ended) {
      this.#ended = true;
      this.stop();
      this.#wake?.();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

type Start = (
  args: MatchArgs,
  session: BqlSession,
  signal: AbortSignal,
  info: GraphQLResolveInfo,
) => Promise<AsyncIterable<unknown>>;

const sources: Readonly<Record<string, Start>> = {
  async console(_args, session, signal) {
    const queue = new EventQueue<unknown>(session, signal);
    const stops = [
      session.environment.watchCode?.((type, text) =>
        queue.push({ type: type === 'warn' ? 'warning' : type, text, args: [], location: null, timestamp: Date.now() }),
      ),
      await watchConsole(session.tab.page, (message) => queue.push(message)),
    ];
    queue.stop = () => {
      for (const each of stops) each?.();
    };
    return queue;
  },
  request(args, session, signal) {
    const match = compileMatch(toMatch(args));
    const queue = new EventQueue<unknown>(session, signal);
    queue.stop = session.tab.log().watch((record, event) => {
      if (event === 'request' && match.test(record)) queue.push(toRequest(record));
    });
    return Promise.resolve(queue);
  },
  response(args, session, signal, info) {
    const match = compileMatch(toMatch(args));
    const withBody = selects(info, 'body') || selects(info, 'bodyEncoding');
    const queue = new EventQueue<unknown>(session, signal);
    queue.stop = session.tab.log(withBody).watch((record, event) => {
      if (event !== 'finished' || !record.response || !match.test(record)) return;
      void toResponse(record, withBody).then((response) => queue.push(response));
    });
    return Promise.resolve(queue);
  },
};

/**
 * Starts a subscription.
 * @param signal ends the subscription
 * @returns the stream of responses, or one response with errors when the subscription cannot start
 */
export async function subscribeTo(
  ready: ReadyDocument,
  session: BqlSession,
  signal: AbortSignal,
): Promise<AsyncIterable<BqlResponse> | BqlResponse> {
  const { schema } = await loadLanguage();
  const result = await subscribe({
    ...argumentsFor(ready),
    schema,
    subscribeFieldResolver: (_source, args: MatchArgs, _context, info) => {
      const start = sources[info.fieldName];
      if (!start) throw new GraphQLError(`${info.fieldName} is not a subscription`);
      if (session.secrets.size > 0) {
        throw badArgument(
          'Subscriptions are refused because loadSecret has filled in a secret in this browser. Watch pages in a different browser.',
        );
      }
      return start(args, session, signal, info);
    },
    fieldResolver: (source: unknown, _args, _context, info) =>
      // The value of the root field is the event itself.
      info.parentType.name === 'Subscription' ? source : fieldOf(source, info.fieldName),
  });
  if (!(Symbol.asyncIterator in result)) return toBqlResponse(result, session.environment);
  return answersOf(result, session);
}

async function* answersOf(results: AsyncIterable<ExecutionResult>, session: BqlSession): AsyncGenerator<BqlResponse> {
  for await (const result of results) {
    // Nobody may see what pages do with a secret that was filled in.
    if (session.secrets.size > 0) return;
    yield toBqlResponse(result, session.environment);
  }
}

function fieldOf(source: unknown, name: string): unknown {
  return typeof source === 'object' && source !== null ? Reflect.get(source, name) : undefined;
}
