/**
 * Serves GraphQL over a WebSocket: the subprotocol `graphql-transport-ws` with the graphql-ws library, and for sockets
 * without a subprotocol plain messages `{query, variables}`, answered with `{data, errors}`
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
import { isLong, turnBefore } from '../../base/runtime/deadline.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import { checkJson, JsonTooLarge, parseJson, readJson } from '../../base/schema/json-text.ts';
import { isPlainObject, isRecord } from '../../base/schema/record.ts';
import type { BqlRequest, ReadyDocument } from './language/document.ts';
import { argumentsFor, DocumentError, toRequestErrors } from './language/document.ts';
import { loadLanguage } from './language/schema.ts';
import { type BqlResponse, readDocument } from './execute.ts';
import { operationOf, SocketOperation } from './socket-operation.ts';

export const graphqlProtocol = GRAPHQL_TRANSPORT_WS_PROTOCOL;

export interface ProtocolSocket {
  readonly protocol: string;
  readonly closed: AbortSignal;
  send(text: string): void;
  /** Resolves when the client has read nearly all sent data, or has disconnected. */
  drained(): Promise<void>;
  onText(listener: (text: string) => Promise<void> | undefined): void;
  close(code: number, reason: string): void;
}

/**
 * Runs one operation.
 * @param signal aborts when the client ends the operation or disconnects
 * @throws any error; it ends the connection
 */
export type RunOperation = (
  document: ReadyDocument,
  signal: AbortSignal,
) => Promise<BqlResponse | AsyncIterable<BqlResponse>>;

/** Time limit for the client's connection_init, in milliseconds; then the socket is closed. */
const initLimitMs = 10_000;
/** Limit of running and waiting operations per socket. */
const maxOperations = 100;

interface Message {
  type?: unknown;
  id?: unknown;
  payload?: unknown;
}

/** Serves a client until it disconnects. @param failed called with errors that the document did not cause */
export function serveGraphql(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void): void {
  if (socket.protocol === graphqlProtocol) new Conversation(socket, run, failed).begin();
  else servePlain(socket, run, failed);
}

/** One graphql-transport-ws socket: runs graphql-ws and adds the limits that it lacks. */
class Conversation {
  readonly #socket: ProtocolSocket;
  readonly #run: RunOperation;
  readonly #failed: (error: unknown) => void;
  /** Operations by id; undefined while the document is being parsed. */
  readonly #operations = new Map<string, SocketOperation | undefined>();
  /** Resolves when graphql-ws reads the stream of the operation that the last message started. */
  #started = Promise.withResolvers<void>();
  readonly #messages = new SerialQueue();
  /** True after a close: no more messages are sent or handled. */
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
      // Use a stream even for a single response: on `complete`, graphql-ws can end only streams.
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

  /** Adapts the socket to graphql-ws's interface. */
  #adapter(): WebSocket {
    let current = '';
    return {
      protocol: this.#socket.protocol,
      send: (message) => {
        if (!this.#over) this.#socket.send(message);
      },
      // graphql-ws gives the same reason for every invalid message; client authors need a precise one.
      close: (code = CloseCode.InternalServerError, reason = '') =>
        this.#close(code, code === Number(CloseCode.BadRequest) ? (invalidReason(current) ?? reason) : reason),
      onMessage: (receive) => {
        const take = (text: string) => {
          current = text;
          return this.#take(text, receive);
        };
        // Handle messages in series: graphql-ws handles each asynchronously, so messages could overtake each other.
        this.#socket.onText((text) => void this.#messages.run(() => take(text)));
      },
    };
  }

  /** Passes a message to graphql-ws. Resolves when the message is handled, or its operation runs. */
  async #take(text: string, receive: (text: string) => Promise<void>): Promise<void> {
    if (this.#over) return;
    await turnBefore(text);
    const excess = excessOf(text);
    if (excess !== undefined) return this.#close(4400, excess);
    await turnBefore(text);
    // The socket may have closed in between.
    if (this.#over) return;
    this.#started = Promise.withResolvers();
    const handled = receive(text).catch((error: unknown) => {
      // graphql-ws throws for message types that only servers send.
      const wrong = invalidReason(text);
      if (wrong === undefined) this.#fail(error);
      else this.#close(4400, wrong);
    });
    await Promise.race([handled, this.#started.promise]);
  }

  /** Prepares the document of an operation: returns its errors, or the arguments with which graphql-ws runs it. */
  async #begin(id: string, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const started = this.#started.resolve;
    // graphql-ws frees an id as soon as the client completes it; a reused id would then end with the earlier operation.
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
      return { ...argumentsFor(ready), schema, contextValue: operation };
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

  /** Closes the connection and returns the error for graphql-ws, whose further messages are dropped. */
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

function servePlain(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void): void {
  const gone = new AbortController();
  socket.closed.addEventListener('abort', () => gone.abort(socket.closed.reason), { once: true });
  const send = (answer: BqlResponse, id: unknown) => {
    if (!socket.closed.aborted) socket.send(JSON.stringify(id === undefined ? answer : { id, ...answer }));
  };
  const refuse = (message: string, id?: unknown) =>
    send({ errors: [{ message, extensions: { code: 'BAD_DOCUMENT' } }] }, id);
  let running = 0;
  const take = (message: Message | undefined | string): void => {
    if (typeof message === 'string') return refuse(message);
    const request = toRequest(message);
    if (!message || !request)
      return refuse('Send JSON such as {"query": "mutation { title { title } }"}.', message?.id);
    if (running >= maxOperations) {
      return refuse(`This socket is already running ${maxOperations} documents: wait for their responses.`, message.id);
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
  };
  socket.onText((text) => (isLong(text) ? readObject(text).then(take) : void take(parseObject(text))));
}

/** Parses a JSON object; undefined for anything else, an error message when it exceeds the JSON limits. */
function parseObject(text: string): Message | undefined | string {
  try {
    return objectOf(parseJson(text));
  } catch (error) {
    return excessIn(error);
  }
}

/** Like `parseObject`, but parses long text over several turns of the event loop. */
async function readObject(text: string): Promise<Message | undefined | string> {
  try {
    return objectOf(await readJson(text));
  } catch (error) {
    return excessIn(error);
  }
}

function objectOf(value: unknown): Message | undefined {
  return isPlainObject(value) ? value : undefined;
}

function excessIn(error: unknown): string | undefined {
  return error instanceof JsonTooLarge ? `The message ${error.message}` : undefined;
}

/** Returns the JSON limit that a message exceeds, as an error message; undefined when it may be parsed. */
function excessOf(text: string): string | undefined {
  try {
    checkJson(text);
    return undefined;
  } catch (error) {
    return excessIn(error);
  }
}

const clientTypes: readonly unknown[] = ['connection_init', 'ping', 'pong', 'subscribe', 'complete'];

/** Explains why a client's message is invalid in graphql-transport-ws; undefined when it finds no problem. */
function invalidReason(text: string): string | undefined {
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
