/**
 * GraphQL over a WebSocket: the protocol `graphql-transport-ws`, spoken by the library graphql-ws, and for sockets
 * without a subprotocol plain frames `{query, variables}` that are answered with `{data, errors}`
 * (compatibility.mdx#browserql-transport).
 */
import { type ExecutionArgs, GraphQLError } from 'graphql';
import {
  CloseCode,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  makeServer,
  type SubscribePayload,
  type WebSocket,
} from 'graphql-ws';
import { checkJson, JsonTooLarge, parseJson } from '../schema/json-text.ts';
import { isPlainObject, isRecord } from '../schema/record.ts';
import type { BqlRequest, ReadyDocument } from './language/document.ts';
import { DocumentError } from './language/document.ts';
import { loadLanguage } from './language/schema.ts';
import { type BqlAnswer, readDocument, toRequestErrors } from './execute.ts';
import { operationOf, SocketOperation } from './socket-operation.ts';

export const graphqlProtocol = GRAPHQL_TRANSPORT_WS_PROTOCOL;

export interface ProtocolSocket {
  readonly protocol: string;
  readonly closed: AbortSignal;
  send(text: string): void;
  /** Resolves when the client has read nearly all, or has left. */
  drained(): Promise<void>;
  onText(listener: (text: string) => void): void;
  close(code: number, reason: string): void;
}

/**
 * Runs one operation.
 * @param signal aborts when the client no longer wants it, or has left
 * @throws anything, which ends the connection
 */
export type RunOperation = (
  document: ReadyDocument,
  signal: AbortSignal,
) => Promise<BqlAnswer | AsyncIterable<BqlAnswer>>;

/** A client that does not begin within this time is cut off, in milliseconds. */
const initLimitMs = 10_000;
/** Operations of one socket that run or wait. */
const maxOperations = 100;

interface Message {
  type?: unknown;
  id?: unknown;
  payload?: unknown;
}

/** Speaks with a client until it leaves. @param failed told of errors that are not the document's */
export function speakGraphql(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void): void {
  if (socket.protocol === graphqlProtocol) new Conversation(socket, run, failed).begin();
  else speakPlainly(socket, run, failed);
}

/** One socket of graphql-transport-ws: graphql-ws speaks, what it does not bound is bounded here. */
class Conversation {
  readonly #socket: ProtocolSocket;
  readonly #run: RunOperation;
  readonly #failed: (error: unknown) => void;
  /** By id; undefined while the document is read. */
  readonly #operations = new Map<string, SocketOperation | undefined>();
  /** Resolves when the library knows the stream of the operation that the last message asked for. */
  #started = Promise.withResolvers<void>();
  #turn: Promise<void> = Promise.resolve();
  /** After a close nothing more is said, nor heard. */
  #over = false;

  constructor(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void) {
    this.#socket = socket;
    this.#run = run;
    this.#failed = failed;
  }

  begin(): void {
    const server = makeServer({
      connectionInitWaitTimeout: initLimitMs,
      onSubscribe: (_context, id, payload) => this.#begin(id, payload),
      // A stream also for a single answer: streams are all that the library ends when a client has enough.
      execute: operationOf,
      subscribe: operationOf,
      onNext: (_context, _id, _payload, args) => operationOf(args).answer,
      onError: (_context, _id, _payload, errors) => toRequestErrors(errors),
      onComplete: (_context, id) => this.#forget(id),
    });
    const end = server.opened(this.#adapter(), undefined);
    this.#socket.closed.addEventListener('abort', () => {
      this.#over = true;
      end().catch(this.#failed);
    });
  }

  /** The socket as the library wants it. */
  #adapter(): WebSocket {
    let current = '';
    return {
      protocol: this.#socket.protocol,
      send: (message) => {
        if (!this.#over) this.#socket.send(message);
      },
      // The library has one reason for all that it cannot read: who writes a client needs to know more.
      close: (code = CloseCode.InternalServerError, reason = '') =>
        this.#close(code, code === Number(CloseCode.BadRequest) ? (whatIsWrong(current) ?? reason) : reason),
      onMessage: (receive) => {
        const take = (text: string) => {
          current = text;
          return this.#take(text, receive);
        };
        // Messages that came together must not overtake each other: the library acknowledges, reads and ends in steps.
        this.#socket.onText((text) => (this.#turn = this.#turn.then(() => take(text))));
      },
    };
  }

  /** Hands a message to the library. Resolves when it has been dealt with, or its operation runs. */
  async #take(text: string, receive: (text: string) => Promise<void>): Promise<void> {
    if (this.#over) return;
    const excess = excessOf(text);
    if (excess !== undefined) return this.#close(4400, excess);
    this.#started = Promise.withResolvers();
    const handled = receive(text).catch((error: unknown) => {
      // Messages that only servers send are errors of the library.
      const wrong = whatIsWrong(text);
      if (wrong === undefined) this.#fail(error);
      else this.#close(4400, wrong);
    });
    await Promise.race([handled, this.#started.promise]);
  }

  /** Reads the document of an operation: its errors, or what the library needs to run it. */
  async #begin(id: string, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const started = this.#started.resolve;
    // The library frees an id when the client completes it; the end of that operation would be that of the next.
    if (this.#operations.has(id)) return this.#refuse(4409, `Subscriber for ${id} already exists`);
    if (this.#operations.size >= maxOperations) return this.#refuse(4400, 'Too many operations at once');
    this.#operations.set(id, undefined);
    try {
      const ready = await readDocument(requestOf(payload));
      const operation = new SocketOperation(ready, {
        run: this.#run,
        started,
        drained: () => this.#socket.drained(),
        failed: (error) => this.#fail(error),
      });
      this.#operations.set(id, operation);
      const { schema } = await loadLanguage();
      const { document, variables: variableValues } = ready;
      const operationName = ready.operation.name?.value;
      return { schema, document, variableValues, operationName, contextValue: operation };
    } catch (error) {
      this.#operations.delete(id);
      if (error instanceof DocumentError) return error.errors;
      throw error;
    }
  }

  #forget(id: string): void {
    const operation = this.#operations.get(id);
    this.#operations.delete(id);
    operation?.forget();
  }

  /** Ends the connection; the error is for the library, which goes on with it and is not heard any more. */
  #refuse(code: number, reason: string): GraphQLError[] {
    this.#close(code, reason);
    return [new GraphQLError(reason)];
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#failed(error);
  }

  #close(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.close(code, reason);
  }
}

function speakPlainly(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void): void {
  const gone = new AbortController();
  socket.closed.addEventListener('abort', () => gone.abort(socket.closed.reason), { once: true });
  const send = (answer: BqlAnswer, id: unknown) => {
    if (!socket.closed.aborted) socket.send(JSON.stringify(id === undefined ? answer : { id, ...answer }));
  };
  const refuse = (message: string, id?: unknown) =>
    send({ errors: [{ message, extensions: { code: 'BAD_DOCUMENT' } }] }, id);
  let running = 0;
  socket.onText((text) => {
    const message = parseObject(text);
    if (typeof message === 'string') return refuse(message);
    const request = toRequest(message);
    if (!message || !request)
      return refuse('Send JSON such as {"query": "mutation { title { title } }"}.', message?.id);
    if (running >= maxOperations) {
      return refuse(`This socket runs ${maxOperations} documents already: wait for their answers.`, message.id);
    }
    running++;
    void (async () => {
      try {
        const answer = await run(await readDocument(request), gone.signal);
        if (!(Symbol.asyncIterator in answer)) return send(answer, message.id);
        for await (const event of answer) {
          send(event, message.id);
          await socket.drained();
        }
      } catch (error) {
        if (error instanceof DocumentError) send({ errors: toRequestErrors(error.errors) }, message.id);
        else if (!gone.signal.aborted) failed(error);
      } finally {
        running--;
      }
    })();
  });
}

/** Undefined for what is no object; a sentence for what is too much of one. */
function parseObject(text: string): Message | undefined | string {
  try {
    const value: unknown = parseJson(text);
    return isPlainObject(value) ? value : undefined;
  } catch (error) {
    return error instanceof JsonTooLarge ? `The message ${error.message}` : undefined;
  }
}

/** What a message has too much of, as a sentence; undefined when it may be parsed. */
function excessOf(text: string): string | undefined {
  try {
    checkJson(new TextEncoder().encode(text));
    return undefined;
  } catch (error) {
    if (error instanceof JsonTooLarge) return `The message ${error.message}`;
    throw error;
  }
}

const clientTypes: readonly unknown[] = ['connection_init', 'ping', 'pong', 'subscribe', 'complete'];

/** Why a message of a client is none of graphql-transport-ws; undefined when nothing more can be said. */
function whatIsWrong(text: string): string | undefined {
  const message = parseObject(text);
  if (!isRecord(message)) return 'Messages are JSON objects';
  const { type, id, payload } = message;
  if (!clientTypes.includes(type)) return 'Unknown type of message';
  const misfit = type === 'subscribe' && (typeof id !== 'string' || id === '' || toRequest(payload) === undefined);
  return misfit ? 'subscribe needs an id and a payload with a query' : undefined;
}

function requestOf({ query, variables, operationName }: SubscribePayload): BqlRequest {
  return { query, variables: variables ?? undefined, operationName: operationName || undefined };
}

function toRequest(payload: unknown): BqlRequest | undefined {
  if (typeof payload !== 'object' || payload === null || !('query' in payload)) return undefined;
  const { query } = payload;
  if (typeof query !== 'string') return undefined;
  const variables = 'variables' in payload ? payload.variables : undefined;
  const operationName = 'operationName' in payload ? payload.operationName : undefined;
  return {
    query,
    ...(isPlainObject(variables) ? { variables } : {}),
    ...(typeof operationName === 'string' && operationName !== '' ? { operationName } : {}),
  };
}
