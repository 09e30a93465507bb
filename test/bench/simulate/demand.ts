// Simulates requests that arrive and sessions that end over time, while heartbeats and renewals continue.
import { setInterval as ticks } from 'node:timers/promises';
import type { Fleet, Session, Tenant } from './fleet.ts';

const tickMs = 4;
/**
 * Maximum number of requests to Valkey in flight; if the machine cannot keep up with the demand, requests arrive later.
 */
const mostAsking = 400;

/** A random, exponentially distributed time with this mean, as between independent events. */
function exponential(mean: number): number {
  return -Math.log(1 - Math.random()) * mean;
}

/** Tenants that request slots during a run, chosen at random. */
export interface Callers {
  tenants: readonly Tenant[];
  /** Requests per second, as independent events; omitted for tenants that always have `backlog` requests waiting. */
  perSecond?: number;
  backlog?: number;
}

export class Demand {
  readonly #fleet: Fleet;
  readonly #holdMs: number;
  /** Sessions by the tick at which they end. */
  readonly #ends = new Map<number, Session[]>();
  /** How long requests have waited for their slots, in milliseconds, by tenant. */
  readonly waits = new Map<Tenant, number[]>();
  #tick = 0;

  /** @param holdMs how long a session holds its slot on average */
  constructor(fleet: Fleet, holdMs: number) {
    this.#fleet = fleet;
    this.#holdMs = holdMs;
  }

  /** Schedules the end of the session. */
  hold(session: Session): void {
    const at = this.#tick + Math.ceil(exponential(this.#holdMs) / tickMs);
    const others = this.#ends.get(at);
    if (others) others.push(session);
    else this.#ends.set(at, [session]);
  }

  /** Hands over all sessions that have not ended to the caller. */
  takeAll(): Session[] {
    const all = [...this.#ends.values()].flat();
    this.#ends.clear();
    return all;
  }

  /** Runs for at least `seconds` and until `isEnough`; requests that are still waiting then leave the queue. */
  async run(seconds: number, callers: readonly Callers[], isEnough: () => boolean = () => true): Promise<void> {
    this.waits.clear();
    const fleet = this.#fleet;
    const began = performance.now();
    const firstTick = this.#tick;
    for (const server of fleet.servers.values()) {
      // Spread them out: in a real cluster, the servers do not all do this at the same moment.
      if (server.nextBeat < began) server.nextBeat = began + Math.random() * fleet.timing.beat;
      if (server.nextRenewal < began) server.nextRenewal = began + Math.random() * fleet.timing.renew;
    }
    let isOpen = true;
    const flows = callers.flatMap(({ tenants, perSecond }) =>
      perSecond === undefined ? [] : [{ tenants, mean: 1_000 / perSecond, next: began }],
    );
    const again = async (tenant: Tenant) => {
      while (isOpen) await this.#call(tenant);
    };
    const loops = callers.flatMap(({ tenants, backlog = 0 }) =>
      tenants.flatMap((tenant) => Array.from({ length: backlog }, () => again(tenant))),
    );
    for await (const _ of ticks(tickMs)) {
      const now = performance.now();
      if (isEnough() && now - began >= seconds * 1_000) break;
      const due = firstTick + Math.floor((now - began) / tickMs);
      for (; this.#tick < due; this.#tick++) this.#endSessions();
      this.#keepAlive(now);
      for (const flow of flows) {
        for (; flow.next <= now && fleet.asking < mostAsking; flow.next += exponential(flow.mean)) {
          const tenant = flow.tenants[Math.floor(Math.random() * flow.tenants.length)];
          if (tenant) void this.#call(tenant);
        }
      }
    }
    isOpen = false;
    fleet.leaveAll();
    await Promise.all(loops);
    await fleet.settled();
  }

  async #call(tenant: Tenant): Promise<void> {
    const session = await this.#fleet.claim(tenant);
    if (!session) return;
    this.hold(session);
    const waits = this.waits.get(tenant);
    if (waits) waits.push(session.waitedMs);
    else this.waits.set(tenant, [session.waitedMs]);
  }

  #endSessions(): void {
    for (const session of this.#ends.get(this.#tick) ?? []) void this.#fleet.release(session);
    this.#ends.delete(this.#tick);
  }

  #keepAlive(now: number): void {
    for (const server of this.#fleet.servers.values()) {
      if (server.state === 'dead') continue;
      if (server.nextBeat <= now) {
        server.nextBeat = now + this.#fleet.timing.beat;
        void this.#fleet.beat(server);
      }
      if (server.nextRenewal <= now) {
        server.nextRenewal = now + this.#fleet.timing.renew;
        void this.#fleet.renew(server);
      }
    }
  }
}
