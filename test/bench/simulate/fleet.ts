// Simulates the servers of a cluster without browsers: they beat, claim, renew and release through the real store, and
// keep track of what runs where. A moderate number of connections serves all of them. Checks every reply from Valkey
// against that record.
import { Store } from '../../../src/control/cluster/registry/store.ts';
import { StoreDown } from '../../../src/control/cluster/registry/store-down.ts';
import type { ScriptName } from '../../../src/control/cluster/registry/scripts.ts';
import { createLog } from '../../../src/base/telemetry/log.ts';
import { until } from '../../support/until.ts';

/** All in milliseconds. */
export interface Timing {
  beat: number;
  life: number;
  lease: number;
  renew: number;
}

/** A connection that belongs to the server with this name. */
interface Gateway {
  name: string;
  store: Store;
}

export interface Tenant {
  name: string;
  /** Maximum number of slots at a time; 0 for no limit. */
  limit: number;
  weight: number;
  /** Maximum number of waiting requests. */
  queued: number;
  running: number;
}

export interface Server {
  name: string;
  state: 'live' | 'dead' | 'draining';
  /** Claims made after this `performance.now()` timestamp must not get a slot here. */
  closedAt: number;
  /** When the server died, as a `performance.now()` timestamp. */
  diedAt: number;
  nextBeat: number;
  nextRenewal: number;
  readonly sessions: Map<string, Tenant>;
  readonly door: Gateway;
}

export interface Session {
  id: string;
  tenant: Tenant;
  server: Server;
  /** Milliseconds between the claim and the slot. */
  waitedMs: number;
}

interface Waiter {
  /** Name of the claiming server. */
  asker: string;
  resolve(server: string): void;
  reject(error: Error): void;
}

/** Allowed difference between Valkey's clock and that of this process, in milliseconds. */
const clockMs = 50;

export class Fleet {
  readonly servers = new Map<string, Server>();
  readonly slots: number;
  readonly timing: Timing;
  /** Events that must never happen. */
  readonly violations: string[] = [];
  readonly counts = { granted: 0, quota: 0, full: 0, late: 0, sentToDead: 0, down: 0 };
  /** Longest time between the death of a server and a grant of one of its slots, in milliseconds. */
  lastGrantAfterDeathMs = 0;
  /** Number of requests to Valkey that have no reply yet. */
  asking = 0;
  readonly #doors: Gateway[] = [];
  readonly #waiting = new Map<string, Waiter>();
  #turn = 0;

  constructor(slots: number, timing: Timing) {
    this.slots = slots;
    this.timing = timing;
  }

  /** Opens connections, each for a different server; those servers send the requests of all servers. */
  async open(url: string, connections: number): Promise<void> {
    const log = createLog({ level: 'error', write: () => this.counts.down++ });
    for (let index = 0; index < connections; index++) {
      const name = nameOf(index);
      const events = {
        onMessage: (message: unknown) => this.#take(message),
        onUp() {},
        onDown: () => this.leaveAll(name),
        onGap: () => this.leaveAll(name),
      };
      this.#doors.push({ name, store: new Store({ url, node: name, onAddress() {}, log }, events) });
    }
    await until('the connections to Valkey', () => this.#doors.every(({ store }) => store.up));
  }

  /** Whether the server sends requests for others; such servers neither die nor drain. */
  isDoor({ name }: Server): boolean {
    return this.#doors.some((door) => door.name === name);
  }

  /** @param lifeMs how long the first heartbeat is valid */
  async join(lifeMs = this.timing.life): Promise<Server> {
    const now = performance.now();
    const server: Server = {
      name: nameOf(this.servers.size),
      state: 'live',
      closedAt: Infinity,
      diedAt: Infinity,
      nextBeat: now + Math.random() * this.timing.beat,
      nextRenewal: now + Math.random() * this.timing.renew,
      sessions: new Map(),
      door: this.#door(),
    };
    this.servers.set(server.name, server);
    await this.beat(server, lifeMs);
    return server;
  }

  async beat(server: Server, lifeMs = this.timing.life): Promise<void> {
    const { name } = server;
    const address = `http://${name}.browserd:3000`;
    const drain = () => (server.state === 'draining' ? 1 : 0);
    await this.#insist(server.door, 'beat', () => [name, address, this.slots, 0, 0, drain(), '0.1.0', lifeMs, 0, 0]);
    const now = performance.now();
    if (server.state === 'live') server.closedAt = now + lifeMs + clockMs;
    else if (server.state === 'draining') server.closedAt = Math.min(server.closedAt, now);
  }

  async renew({ name, door, sessions }: Server, leaseMs = this.timing.lease): Promise<void> {
    const claims = () => [...sessions].flatMap(([id, tenant]) => [tenant.name, id]);
    if (sessions.size > 0) await this.#insist(door, 'renew', () => [name, leaseMs, ...claims()]);
  }

  /** Silences the server: its sessions are gone, and nobody notifies Valkey. */
  die(server: Server): void {
    server.state = 'dead';
    server.diedAt = performance.now();
    for (const tenant of server.sessions.values()) tenant.running--;
    server.sessions.clear();
  }

  async drain(server: Server): Promise<void> {
    server.state = 'draining';
    await this.beat(server);
  }

  async part({ name, door }: Server): Promise<void> {
    await this.#insist(door, 'part', () => [name]);
  }

  /**
   * Claims a slot, waiting in the queue if necessary.
   * @returns undefined if the request was rejected or left the queue
   */
  async claim(tenant: Tenant): Promise<Session | undefined> {
    const door = this.#door();
    const id = crypto.randomUUID();
    const began = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    promise.catch(() => undefined);
    this.#waiting.set(id, { asker: door.name, resolve, reject });
    try {
      const { name, limit, queued, weight } = tenant;
      const asked = [name, limit, id, this.timing.lease, door.name, queued, 100_000];
      const values = [...asked, 3_600_000, weight, door.name, '', ''];
      const [said, found] = await this.#ask(door.store, ...values);
      if (said === 'quota' || said === 'full') {
        this.counts[said]++;
        return undefined;
      }
      return this.#admit(id, tenant, said === 'ok' ? String(found) : await promise, began);
    } catch (error) {
      if (error instanceof StoreDown) this.counts.late++;
      await this.#insist(door, 'leave', () => [id, tenant.name]);
      return undefined;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async release(session: Session): Promise<void> {
    const { id, tenant, server } = session;
    if (this.#end(session)) await this.#insist(server.door, 'release', () => [server.name, tenant.name, id]);
  }

  /** Releases a slot that was granted to a request that had already left and so does not know on which server. */
  async leave(session: Session): Promise<void> {
    const { id, tenant, server } = session;
    if (this.#end(session)) await this.#insist(server.door, 'leave', () => [id, tenant.name]);
  }

  /** Makes waiting requests leave the queue: all, or those that this server sent. */
  leaveAll(asker?: string): void {
    for (const each of this.#waiting.values())
      if (asker === undefined || each.asker === asker) each.reject(new Error('left'));
  }

  /** Resolves when every request has its reply. */
  async settled(): Promise<void> {
    await until('all replies', () => this.asking === 0 && this.#waiting.size === 0);
  }

  close(): void {
    for (const { store } of this.#doors) store.close();
  }

  async #ask(store: Store, ...values: (string | number)[]): Promise<unknown[]> {
    this.asking++;
    try {
      const told = await store.run('claim', ...values);
      return Array.isArray(told) ? told : [];
    } finally {
      this.asking--;
    }
  }

  /**
   * Retries a script until Valkey has replied: a lost request would merely lose a lease, but the counts here would then
   * differ from Valkey's. A server's requests share one connection, so that they are handled in order.
   * @param values returns the arguments at the time of sending
   */
  async #insist(door: Gateway, script: ScriptName, values: () => (string | number)[]): Promise<void> {
    this.asking++;
    try {
      await until(`the reply to ${script}`, () =>
        door.store.run(script, ...values()).then(
          () => true,
          () => false,
        ),
      );
    } finally {
      this.asking--;
    }
  }

  #door(): Gateway {
    const door = this.#doors[this.#turn++ % this.#doors.length];
    if (!door) throw new Error('no connection is open');
    return door;
  }

  #admit(id: string, tenant: Tenant, name: string, began: number): Session | undefined {
    const server = this.servers.get(name);
    if (!server) throw new Error(`Valkey returned an unknown server: ${name}`);
    const now = performance.now();
    const session = { id, tenant, server, waitedMs: now - began };
    if (began > server.closedAt) this.violations.push(`granted a slot of ${name}, which was already ${server.state}`);
    server.sessions.set(id, tenant);
    tenant.running++;
    if (server.state === 'dead') {
      this.counts.sentToDead++;
      this.lastGrantAfterDeathMs = Math.max(this.lastGrantAfterDeathMs, now - server.diedAt);
      void this.release(session);
      return undefined;
    }
    this.counts.granted++;
    if (server.sessions.size > this.slots) this.violations.push(`${server.sessions.size} sessions on ${name}`);
    if (tenant.limit > 0 && tenant.running > tenant.limit)
      this.violations.push(`${tenant.running} sessions of ${tenant.name}`);
    return session;
  }

  /** @returns false if the session had already ended because its server died */
  #end({ id, tenant, server }: Session): boolean {
    if (!server.sessions.delete(id)) return false;
    tenant.running--;
    return true;
  }

  #take(message: unknown): void {
    if (message === null || typeof message !== 'object' || !('granted' in message) || !('node' in message)) return;
    this.#waiting.get(String(message.granted))?.resolve(String(message.node));
  }
}

/** A name about as long as a real server's name, which has seven characters. */
function nameOf(index: number): string {
  return `n${String(index).padStart(5, '0')}`;
}
