/**
 * Runs commands in Valkey or Redis 7 (library iovalkey). A command may take at most 250 ms; after three failures within
 * a second no command is sent until Valkey responds again, so that requests do not wait for it.
 */
import type { Socket } from 'node:net';
import { Redis } from 'iovalkey';
import { registryLimits } from '../../../base/limits.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { AddressListener } from '../other-servers.ts';
import { type ScriptName, scripts } from './scripts.ts';
import { StoreDown } from './store-down.ts';

export interface StoreEvents {
  /** Called with a message to this server, or to all servers. */
  onMessage(message: unknown): void;
  /** Called when Valkey responds again, or for the first time: it may have lost everything. */
  onUp(): void;
  onDown(): void;
  /** Called when messages may have been lost: the connection that receives them is a new one. */
  onGap(): void;
}

export interface StoreOptions {
  /**
   * `valkey://` or `redis://` (with TLS: `valkeys://` or `rediss://`); may contain a username, password and database
   * number.
   */
  url: string;
  /** Name of this server. */
  node: string;
  /** Called with the address where Valkey listens: pages must not reach it. */
  onAddress: AddressListener;
  log: Log;
}

type Arguments = readonly (string | number)[];

const defaultPort = 6379;
const prefix = 'bd:{c}:';

export class Store {
  readonly #commands: Redis;
  readonly #subscriber: Redis;
  readonly #events: StoreEvents;
  readonly #log: Log;
  /** Times of recent failures, as `performance.now()` timestamps. */
  readonly #failures: number[] = [];
  /** Whether Valkey responds; undefined until that is known. */
  #up: boolean | undefined;
  #closed = false;
  readonly #known = Promise.withResolvers<void>();
  /** When the last message arrived, a `performance.now()` timestamp. */
  #heardAt = performance.now();
  #probe: ReturnType<typeof setInterval>;

  constructor({ url, node, onAddress, log }: StoreOptions, events: StoreEvents) {
    this.#events = events;
    this.#log = log;
    const address = url.replace(/^valkey/, 'redis');
    const { hostname, port } = new URL(url);
    onAddress(hostname, Number(port || defaultPort));
    const options = {
      enableOfflineQueue: false,
      commandTimeout: registryLimits.commandMs,
      connectTimeout: registryLimits.connectMs,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt: number) => Math.min(100 * attempt, 1_000),
      // READONLY comes from a demoted server: its hostname may resolve to another server by now.
      reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
    };
    this.#commands = new Redis(address, options);
    // It subscribes below each time it is ready; nobody would hear when the library fails to.
    this.#subscriber = new Redis(address, { ...options, autoResubscribe: false });
    for (const [name, lua] of Object.entries(scripts)) this.#commands.defineCommand(name, { numberOfKeys: 0, lua });
    // Without a listener, a connection error would end the process; commands fail with it anyway.
    for (const each of [this.#commands, this.#subscriber]) each.on('error', () => undefined);
    this.#subscriber.on('ready', () => {
      this.#heardAt = performance.now();
      this.#subscriber.subscribe(`${prefix}to:${node}`).then(
        () => this.#events.onGap(),
        () => undefined,
      );
    });
    this.#subscriber.on('message', (_channel: string, text: string) => this.#take(text));
    this.#commands.on('ready', () => void this.#tryAgain());
    this.#commands.on('connect', () => {
      // The type is that of a stream; TCP and TLS connections are sockets.
      const { remoteAddress, remotePort } = this.#commands.stream as Socket;
      if (remoteAddress !== undefined && remotePort !== undefined) onAddress(remoteAddress, remotePort);
    });
    this.#commands.on('close', () => this.#down(new Error('the connection to Valkey was closed')));
    this.#probe = setInterval(() => void this.#tryAgain(), registryLimits.probeMs);
    this.#probe.unref();
  }

  get up(): boolean {
    return this.#up === true;
  }

  /** Resolves when it is known whether Valkey responds. */
  whenKnown(): Promise<void> {
    return this.#known.promise;
  }

  /** Milliseconds since the last message. */
  get msSinceLastMessage(): number {
    return performance.now() - this.#heardAt;
  }

  /** Reconnects the subscriber: the connection may have been cut without notice. */
  listenAgain(): void {
    this.#heardAt = performance.now();
    this.#subscriber.disconnect(true);
  }

  /** Runs a script. @throws StoreDown */
  async run(script: ScriptName, ...values: Arguments): Promise<unknown> {
    // The method was added by `defineCommand`.
    return this.#ask(() =>
      (this.#commands as unknown as Record<ScriptName, (...given: Arguments) => Promise<unknown>>)[script](...values),
    );
  }

  /** @throws StoreDown */
  async hashGet(key: string, field: string): Promise<string | undefined> {
    return (await this.#ask(() => this.#commands.hget(prefix + key, field))) ?? undefined;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#probe);
    this.#commands.disconnect();
    this.#subscriber.disconnect();
  }

  async #ask<Result>(command: () => Promise<Result>): Promise<Result> {
    if (!this.#up) throw new StoreDown('Valkey cannot be reached');
    try {
      return await command();
    } catch (cause) {
      this.#failed(cause);
      throw new StoreDown(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  #failed(cause: unknown): void {
    const now = performance.now();
    this.#failures.push(now);
    while (this.#failures.length > registryLimits.failures) this.#failures.shift();
    const first = this.#failures[0] ?? now;
    if (this.#failures.length === registryLimits.failures && now - first <= 1_000) this.#down(cause);
  }

  #down(cause: unknown): void {
    if (this.#up === false || this.#closed) return;
    this.#up = false;
    this.#known.resolve();
    this.#log.error('cluster.registry-down', { cause });
    this.#events.onDown();
  }

  /** Checks whether Valkey responds again. */
  async #tryAgain(): Promise<void> {
    if (this.#up || this.#commands.status !== 'ready') return;
    // A Valkey server that refuses writes is useless here.
    const answers = await this.#commands.set(`${prefix}probe`, '1', 'PX', registryLimits.probeMs).then(
      () => true,
      () => false,
    );
    if (!answers || this.#up) return;
    this.#up = true;
    this.#known.resolve();
    this.#failures.length = 0;
    this.#log.info('cluster.registry-up');
    this.#events.onUp();
  }

  #take(text: string): void {
    this.#heardAt = performance.now();
    try {
      this.#events.onMessage(JSON.parse(text));
    } catch (cause) {
      this.#log.warn('cluster.message', { cause });
    }
  }
}
