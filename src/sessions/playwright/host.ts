/**
 * Runs Playwright's servers in a process separate from the server, so that the memory and time that one client's
 * messages and responses cost can stop only Playwright, and only for the clients that share the process.
 */
import type { Log } from '../../base/telemetry/log.ts';
import { providePackage } from '../../base/program/assets.ts';
import { runScript } from '../../base/program/script.ts';
import { orAborted } from '../../base/runtime/deadline.ts';
import { signalGroup } from '../../base/runtime/process.ts';
import type { BrowserEnd, HostMessage, HostCommand, LibraryFacts } from './host-messages.ts';

type CommandBody = HostCommand extends infer Each ? (Each extends HostCommand ? Omit<Each, 'id'> : never) : never;
export type LaunchCommand = Omit<Extract<HostCommand, { do: 'launch' }>, 'id' | 'do'>;

/** A browser that a Playwright server has started. */
export interface HostedBrowser {
  /** Leader of its process group. */
  readonly pid: number;
  /** Resolves when the browser has exited; with undefined when the process of its server exited first. */
  readonly ended: Promise<BrowserEnd | undefined>;
  /** Ends the browser. Resolves when Playwright has removed its directories. */
  kill(): Promise<void>;
}

export class PlaywrightHost {
  readonly #stop = new AbortController();
  readonly #gone = new AbortController();
  /** Aborted once the process has exited. */
  readonly gone = this.#gone.signal;
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ends = new Map<number, (end: BrowserEnd | undefined) => void>();
  readonly #facts = new Map<string, Promise<LibraryFacts>>();
  readonly #over: Promise<void>;
  #send: (line: Uint8Array) => void = () => {};
  /** Why `fail` terminated the process. */
  why: string | undefined;
  #lastId = 0;
  /** Leader of its process group. */
  pid = 0;
  readonly id: string;
  readonly holds = 'its Playwright server held';

  constructor(id: string, log: Log) {
    this.id = id;
    const running = runScript('playwright', {
      signal: this.#stop.signal,
      onStart: (pid) => (this.pid = pid),
      onProgress: (message) => log.debug('playwright.process', { message }),
      openChannel: (send) => {
        this.#send = (line) => send([line]);
        return (line) => this.#take(line);
      },
    });
    const ended = (cause?: unknown) => {
      if (!this.#stop.signal.aborted) log.error('playwright.process-ended', { cause });
      this.#leave();
    };
    this.#over = running.then(() => ended(), ended);
  }

  /** Returns what a version needs to start browsers; queried once. Loading a version takes 0.2 to 1 s. */
  describe(packageName: string): Promise<LibraryFacts> {
    let facts = this.#facts.get(packageName);
    if (!facts) {
      facts = this.#describe(packageName);
      this.#facts.set(packageName, facts);
      facts.catch(() => this.#facts.delete(packageName));
    }
    return facts;
  }

  async #describe(packageName: string): Promise<LibraryFacts> {
    // Not in the other process, which may be killed at any time.
    await providePackage(packageName);
    return (await this.#ask({ do: 'describe', packageName })) as LibraryFacts; // Our own script responds.
  }

  /** @throws Error with the library's message */
  async launch(order: LaunchCommand): Promise<HostedBrowser> {
    const id = this.#lastId + 1;
    const ended = new Promise<BrowserEnd | undefined>((resolve) => this.#ends.set(id, resolve));
    try {
      const pid = Number(await this.#ask({ do: 'launch', ...order }));
      return { pid, ended, kill: async () => void (await this.#ask({ do: 'kill', browser: id })) };
    } catch (error) {
      this.#ends.delete(id);
      throw error;
    }
  }

  /** Ends the process immediately. @param why a clause for the clients of its browsers */
  fail(why: string): void {
    this.why = why;
    signalGroup(this.pid, 'SIGKILL');
  }

  /** Ends the process; resolves when it has exited. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('Playwright is no longer needed'));
    await this.#over;
  }

  async #ask(order: CommandBody): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#answers.set(id, answer);
    if (!this.gone.aborted) this.#send(new TextEncoder().encode(JSON.stringify({ ...order, id })));
    try {
      return await orAborted(answer.promise, this.gone);
    } finally {
      this.#answers.delete(id);
    }
  }

  #take(line: string): void {
    // Our own script wrote it.
    const message = JSON.parse(line) as HostMessage;
    if ('ended' in message) {
      this.#ends.get(message.ended)?.(message.end);
      this.#ends.delete(message.ended);
    } else if ('error' in message) this.#answers.get(message.id)?.reject(new Error(message.error));
    else this.#answers.get(message.id)?.resolve(message.result);
  }

  #leave(): void {
    this.#gone.abort(new Error(`the Playwright process exited${this.why === undefined ? '' : `: ${this.why}`}`));
    for (const end of this.#ends.values()) end(undefined);
    this.#ends.clear();
  }
}
