/**
 * GraphQL over a WebSocket: the protocol `graphql-transport-ws` (of the library graphql-ws), and for sockets without a
 * subprotocol plain frames `{query, variables}` that are answered with `{data, errors}`. Contract section 4.5.
 */
import { JsonTooLarge, parseJson } from '../schema/json-text.ts';
import type { BqlRequest } from './language/document.ts';
import { DocumentError } from './language/document.ts';
import { type BqlAnswer, toRequestErrors } from './execute.ts';

export const graphqlProtocol = 'graphql-transport-ws';

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
 * @throws DocumentError for a document that cannot run; anything else ends the connection
 */
export type RunOperation = (request: BqlRequest, signal: AbortSignal) => Promise<BqlAnswer | AsyncIterable<BqlAnswer>>;

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

class Conversation {
  readonly #socket: ProtocolSocket;
  readonly #run: RunOperation;
  readonly #failed: (error: unknown) => void;
  readonly #operations = new Map<string, AbortController>();
  #acknowledged = false;

  constructor(socket: ProtocolSocket, run: RunOperation, failed: (error: unknown) => void) {
    this.#socket = socket;
    this.#run = run;
    this.#failed = failed;
  }

  begin(): void {
    const timer = setTimeout(() => {
      if (!this.#acknowledged) this.#socket.close(4408, 'Connection initialisation timeout');
    }, initLimitMs);
    this.#socket.closed.addEventListener('abort', () => {
      clearTimeout(timer);
      for (const operation of this.#operations.values()) operation.abort(this.#socket.closed.reason);
    });
    this.#socket.onText((text) => this.#receive(text));
  }

  #receive(text: string): void {
    const message = parseObject(text);
    if (typeof message === 'string') return this.#socket.close(4400, message);
    if (!message) return this.#socket.close(4400, 'Messages are JSON objects');
    switch (message.type) {
      case 'connection_init':
        if (this.#acknowledged) return this.#socket.close(4429, 'Too many initialisation requests');
        this.#acknowledged = true;
        return this.#send({ type: 'connection_ack' });
      case 'ping':
        return this.#send({ type: 'pong', ...(message.payload === undefined ? {} : { payload: message.payload }) });
      case 'pong':
        return undefined;
      case 'complete':
        return this.#operations.get(String(message.id))?.abort(new Error('the client no longer wants it'));
      case 'subscribe':
        return this.#subscribe(message);
      default:
        return this.#socket.close(4400, 'Unknown type of message');
    }
  }

  #subscribe({ id, payload }: Message): void {
    if (!this.#acknowledged) return this.#socket.close(4401, 'Unauthorized');
    const request = toRequest(payload);
    if (typeof id !== 'string' || id === '' || !request) {
      return this.#socket.close(4400, 'subscribe needs an id and a payload with a query');
    }
    if (this.#operations.has(id)) return this.#socket.close(4409, `Subscriber for ${id.slice(0, 80)} already exists`);
    if (this.#operations.size >= maxOperations) return this.#socket.close(4400, 'Too many operations at once');
    const operation = new AbortController();
    this.#operations.set(id, operation);
    void this.#answer(id, request, operation);
  }

  async #answer(id: string, request: BqlRequest, operation: AbortController): Promise<void> {
    const { signal } = operation;
    try {
      const answer = await this.#run(request, signal);
      if (Symbol.asyncIterator in answer) {
        for await (const payload of answer) {
          if (!signal.aborted) this.#send({ id, type: 'next', payload });
          // The source has a limit of its own for what nobody takes.
          await this.#socket.drained();
        }
      } else if (!signal.aborted) this.#send({ id, type: 'next', payload: answer });
      if (!signal.aborted) this.#send({ id, type: 'complete' });
    } catch (error) {
      if (error instanceof DocumentError) this.#send({ id, type: 'error', payload: toRequestErrors(error.errors) });
      else if (!signal.aborted) this.#failed(error);
    } finally {
      this.#operations.delete(id);
    }
  }

  #send(message: object): void {
    if (!this.#socket.closed.aborted) this.#socket.send(JSON.stringify(message));
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
        const answer = await run(request, gone.signal);
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
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    return error instanceof JsonTooLarge ? `The message ${error.message}` : undefined;
  }
}

function toRequest(payload: unknown): BqlRequest | undefined {
  if (typeof payload !== 'object' || payload === null || !('query' in payload)) return undefined;
  const { query } = payload;
  if (typeof query !== 'string') return undefined;
  const variables = 'variables' in payload ? payload.variables : undefined;
  const operationName = 'operationName' in payload ? payload.operationName : undefined;
  return {
    query,
    ...(isRecord(variables) ? { variables } : {}),
    ...(typeof operationName === 'string' && operationName !== '' ? { operationName } : {}),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
