/** Puts the shield between code that drives a context and the pages of a stealth browser. */
import type { BrowserConnection } from '../../browser/cdp/connection.ts';
import { prefixOf, type RawMessage, textOf } from '../../browser/cdp/raw-message.ts';
import { errorOf } from './client-command.ts';
import { Shield } from './shield/shield.ts';
import { type ClientCommand, messageOf } from './shield/sides.ts';

export interface ContextShieldOptions {
  connection: Pick<BrowserConnection, 'command'>;
  /** Sends the client an event of one of its sessions. */
  event(method: string, params: unknown, sessionId: string): void;
}

/** The response to a command, in the protocol's format. */
type Outcome = { result: object } | { error: { code: number; message: string } };

/** A browser message as the shield forwards it. */
type ShieldMessage = ({ id: number } & Outcome) | { id?: undefined; method: string; params: unknown };

export class ContextShield implements Disposable {
  readonly #options: ContextShieldOptions;
  readonly #shield: Shield;
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();

  constructor(options: ContextShieldOptions) {
    this.#options = options;
    this.#shield = new Shield({
      page: undefined,
      forward: (command) => void this.#forward(command as ClientCommand), // Commands of clients and of the shield alike.
      deliver: (message, sessionId) => this.#deliver(message, sessionId),
      reply: (command, outcome) => this.#settle(command.sessionId, command.id, outcome),
      emit: (sessionId, method, params) => options.event(method, params, sessionId),
      // The code of a request has nobody to notify; the documentation says what it loses.
      notice: () => {},
      opened: () => {},
    });
  }

  /** Runs a client command on one of the client's sessions. Resolves with the response, including an error. */
  command(command: ClientCommand): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#waiting.set(keyOf(command.sessionId, command.id), resolve);
    this.#shield.forward(command);
    return promise;
  }

  /** Sends the client a browser event, in order. */
  hear(method: string, params: unknown, sessionId: string): void {
    this.#pass({ method, params, sessionId }, sessionId);
  }

  /** Records that an event of the session `parent` ('' for the browser) attached the client to a target. */
  attached(sessionId: string, { type, waiting }: { type: string; waiting: boolean }, parent: string): void {
    this.#shield.attached({ sessionId, type, waiting }, parent);
  }

  detached(sessionId: string): void {
    this.#shield.detached(sessionId);
  }

  [Symbol.dispose](): void {
    this.#shield[Symbol.dispose]();
    this.#waiting.clear();
  }

  async #forward({ id, method, params, sessionId }: ClientCommand): Promise<void> {
    const outcome = await this.#options.connection.command(method, params, sessionId).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: errorOf(error) }),
    );
    this.#pass({ id, ...outcome, sessionId }, sessionId);
  }

  #pass(value: object, sessionId: string): void {
    const message = messageOf(JSON.stringify(value));
    const beginning = prefixOf(message);
    if (!this.#shield.takeResponse(message, beginning)) this.#shield.receive(message, beginning, sessionId);
  }

  #deliver(message: RawMessage, sessionId: string): void {
    const heard = JSON.parse(textOf(message)) as ShieldMessage; // Written above, or by the shield.
    if (heard.id === undefined) this.#options.event(heard.method, heard.params, sessionId);
    else this.#settle(sessionId, heard.id, heard);
  }

  #settle(sessionId: string, id: number, outcome: Outcome): void {
    const key = keyOf(sessionId, id);
    this.#waiting.get(key)?.(outcome);
    this.#waiting.delete(key);
  }
}

const keyOf = (sessionId: string, id: number) => `${sessionId} ${id}`;
