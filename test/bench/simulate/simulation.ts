// Simulates a cluster from its first heartbeat to its last claim: filling up, in steady use, flooded by one tenant, and
// with servers that die, drain and join. Demand and servers are simulated; the scripts, Redis and time are real.
import { Redis } from 'iovalkey';
import type { Valkey } from '../../support/valkey.ts';
import { runConcurrently } from '../soak.ts';
import { type Callers, Demand } from './demand.ts';
import { Fleet, type Server, type Tenant, type Timing } from './fleet.ts';
import { type Outcome, queueOf } from './outcome.ts';
import { sizeOf, type Work, workOf } from './valkey-figures.ts';

export interface Options {
  servers: number;
  /** Slots of each server. */
  slots: number;
  /** Length of the steady phase; each other phase takes half of that, or as long as it needs. */
  seconds: number;
  /** Number of servers with their own connections (two each), which send the requests of all servers. */
  connections: number;
  /** Mean time that a session holds its slot, in seconds. */
  holdSeconds: number;
  timing: Timing;
  /** Lease of the claims of dying servers, in milliseconds: the real one would outlast the simulation. */
  lastLeaseMs: number;
  report: (line: string) => void;
}

/** Lifetime of heartbeats while scripts are measured one at a time and no heartbeats are sent, in milliseconds. */
const longLifeMs = 600_000;
const lanes = 200;
/** Number of tenants that always have `backlog` requests waiting while another tenant floods. */
const busyTenants = 20;
const backlog = 20;
const floodFactor = 10;

/** Counts the unexpired claims of servers and tenants in one step. */
const census = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = {}
for _, name in ipairs(ARGV) do table.insert(found, redis.call('ZCOUNT', 'bd:{c}:' .. name, '(' .. now, '+inf')) end
return found
`;

function tenantOf(name: string, options: Partial<Tenant> = {}): Tenant {
  return { name, limit: 0, weight: 1, queued: 0, running: 0, ...options };
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Runs the whole simulation against an empty Valkey. */
export async function simulate(valkey: Valkey, options: Options): Promise<Outcome> {
  const { slots, seconds } = options;
  const fleet = new Fleet(slots, options.timing);
  const inspector = new Redis(valkey.url.replace(/^valkey/, 'redis'));
  try {
    await fleet.open(valkey.url, options.connections);
    return await new Simulation(fleet, inspector, options).run(seconds);
  } finally {
    fleet.close();
    inspector.disconnect();
  }
}

class Simulation {
  readonly #fleet: Fleet;
  readonly #inspector: Redis;
  readonly #options: Options;
  readonly #demand: Demand;
  readonly #ordinary: Tenant[];
  readonly #tenants: Tenant[];

  constructor(fleet: Fleet, inspector: Redis, options: Options) {
    this.#fleet = fleet;
    this.#inspector = inspector;
    this.#options = options;
    this.#demand = new Demand(fleet, options.holdSeconds * 1_000);
    const limit = Math.ceil((options.servers * options.slots) / 200);
    // Each claims a hundredth of the slots; one in ten is limited to half of that.
    this.#ordinary = many(100, (index) =>
      tenantOf(`ordinary${index}`, { weight: 1 + (index % 3), limit: index % 10 === 0 ? limit : 0 }),
    );
    this.#tenants = [...this.#ordinary];
  }

  async run(seconds: number): Promise<Outcome> {
    const { report, servers, slots } = this.#options;
    const { beat, claim, renew, leave, filled } = await this.#fill();
    report(`${servers * slots} slots are taken`);
    const steady = await this.#steady(seconds);
    report(`steady for ${seconds} s`);
    const queues = await this.#flood(seconds / 2);
    report('flooded by one tenant');
    const deaths = await this.#lose(seconds / 2);
    report('servers died, drained and joined');
    const { release, crowded } = await this.#crowd();
    report('a crowd of tenants has queued at their limits');
    return {
      violations: this.#fleet.violations,
      counts: this.#fleet.counts,
      spread: { filled, steady: steady.spread },
      alone: { claim, beat, renew, leave, release, crowded },
      steady: steady.figures,
      queues,
      deaths,
      left: await this.#end(),
    };
  }

  async #fill() {
    const { servers, slots } = this.#options;
    const fleet = this.#fleet;
    const beat = await this.#work(() =>
      runConcurrently(servers, lanes, async () => void (await fleet.join(longLifeMs))),
    );
    const claim = await this.#work(() => this.#take(servers * slots, this.#ordinary));
    const filled = this.#spread();
    const refused = fleet.counts.full + fleet.counts.late;
    const late = tenantOf('late');
    await runConcurrently(1_000, lanes, async () => void (await fleet.claim(late)));
    // A request that Valkey did not respond to in time did not get a slot either.
    if (fleet.counts.full + fleet.counts.late - refused !== 1_000)
      fleet.violations.push('one slot too many was granted');
    await this.#compare();
    const renew = await this.#work(() => this.#each([...fleet.servers.values()], (server) => fleet.renew(server)));
    const gone = this.#demand.takeAll();
    const few = gone.splice(0, Math.min(500, gone.length / 10));
    const leave = await this.#work(() => this.#each(few, (session) => fleet.leave(session)));
    for (const session of gone) this.#demand.hold(session);
    await this.#compare();
    return { beat, claim, renew, leave, filled };
  }

  /** Requests arrive almost as fast as sessions end. */
  async #steady(seconds: number) {
    const { servers, slots, holdSeconds } = this.#options;
    const callers = [{ tenants: this.#ordinary, perSecond: (0.97 * servers * slots) / holdSeconds }];
    const granted = this.#fleet.counts.granted;
    const work = await this.#work(() => this.#demand.run(seconds, callers));
    const claims = this.#fleet.counts.granted - granted;
    const answer = queueOf([...this.#demand.waits.values()].flat());
    await this.#compare();
    const figures = {
      ...work,
      ...(await sizeOf(this.#inspector)),
      claimsPerSecond: claims / work.seconds,
      answer,
    };
    return { figures, spread: this.#spread() };
  }

  /** More requests than slots: first without a flood, then with one. A quiet tenant claims half of its share. */
  async #flood(seconds: number) {
    const { servers, slots, holdSeconds } = this.#options;
    const [quiet] = this.#add([tenantOf('quiet', { queued: 1_000 })]);
    const [flood] = this.#add([tenantOf('flood', { queued: 10_000 })]);
    const busy = this.#add(many(busyTenants, (index) => tenantOf(`busy${index}`, { queued: 1_000 })));
    if (!quiet || !flood) throw new Error('the quiet or the flood tenant is missing');
    const share = (servers * slots) / holdSeconds / (busyTenants + 2);
    const usual: Callers[] = [
      { tenants: busy, backlog },
      { tenants: [quiet], perSecond: share / 2 },
    ];
    const queue = (...tenants: Tenant[]) => queueOf(tenants.flatMap((each) => this.#demand.waits.get(each) ?? []));
    // Nobody waits until nearly all slots are taken.
    await this.#demand.run(0, usual, () => this.#running() >= 0.99 * servers * slots);
    await this.#demand.run(seconds, usual);
    const quietAlone = queue(quiet);
    await this.#demand.run(seconds, [...usual, { tenants: [flood], backlog: floodFactor * backlog }]);
    await this.#compare();
    return { quietAlone, quietBesideFlood: queue(quiet), busyBesideFlood: queue(...busy), flood: queue(flood) };
  }

  /** One in fifty servers dies; as many drain, and as many join. */
  async #lose(seconds: number) {
    const { servers, slots, holdSeconds, lastLeaseMs } = this.#options;
    const fleet = this.#fleet;
    const count = Math.max(1, Math.floor(servers / 50));
    const others = [...fleet.servers.values()].filter((server) => !fleet.isDoor(server));
    const dying = others.slice(0, count);
    const renewedAt = performance.now();
    await this.#each(dying, (server) => fleet.renew(server, lastLeaseMs));
    for (const server of dying) fleet.die(server);
    await this.#each([...fleet.servers.values()], (server) => fleet.renew(server));
    await this.#each(others.slice(count, 2 * count), (server) => fleet.drain(server));
    const joined: Server[] = [];
    await runConcurrently(count, lanes, async () => void joined.push(await fleet.join()));
    let backMs = 0;
    let isBusy = false;
    const look = () => {
      if (backMs === 0 && !isBusy) {
        isBusy = true;
        void this.#census(dying.map(({ name }) => `claims:${name}`)).then((counts) => {
          if (backMs === 0 && counts.every((each) => each === 0)) backMs = performance.now() - renewedAt;
          isBusy = false;
        });
      }
      return backMs > 0;
    };
    const callers = [{ tenants: this.#ordinary, perSecond: (servers * slots) / holdSeconds }];
    await this.#demand.run(Math.max(seconds, fleet.timing.life / 1_000 + 1), callers, look);
    await this.#compare();
    const joinedSessions = joined.reduce((sum, { sessions }) => sum + sessions.size, 0);
    return { dead: count, lastGrantMs: fleet.lastGrantAfterDeathMs, leaseMs: lastLeaseMs, backMs, joinedSessions };
  }

  /** Half of the sessions end. Then one tenant per server has requests waiting at its limit. */
  async #crowd() {
    const fleet = this.#fleet;
    await this.#each([...fleet.servers.values()], async (server) => {
      if (server.state !== 'dead') await fleet.beat(server, longLifeMs);
    });
    const all = this.#demand.takeAll();
    const ending = all.splice(0, all.length / 2);
    const release = await this.#work(() => this.#each(ending, (session) => fleet.release(session)));
    for (const session of all) this.#demand.hold(session);
    const crowd = this.#add(many(this.#options.servers, (index) => tenantOf(`crowd${index}`, { limit: 1, queued: 1 })));
    await this.#take(crowd.length, crowd);
    const waiting = crowd.map((tenant) => fleet.claim(tenant));
    const crowded = await this.#work(() =>
      runConcurrently(500, lanes, async () => {
        const session = await fleet.claim(this.#ordinary[1] ?? tenantOf('nobody'));
        if (session) await fleet.release(session);
      }),
    );
    fleet.leaveAll();
    await Promise.all(waiting);
    await this.#compare();
    return { release, crowded };
  }

  async #end(): Promise<string[]> {
    const fleet = this.#fleet;
    await this.#each(this.#demand.takeAll(), (session) => fleet.release(session));
    await fleet.settled();
    await this.#compare();
    await this.#each([...fleet.servers.values()], async (server) => {
      if (server.state !== 'dead') await fleet.part(server);
    });
    const keys = await this.#inspector.keys('*');
    const lives = await Promise.all(keys.map((key) => this.#inspector.pttl(key)));
    return keys.filter((_, index) => lives[index] === -1).toSorted();
  }

  #add(tenants: Tenant[]): Tenant[] {
    this.#tenants.push(...tenants);
    return tenants;
  }

  /** Claims until `count` sessions have started. */
  async #take(count: number, tenants: readonly Tenant[]): Promise<void> {
    let open = count;
    let turn = 0;
    await runConcurrently(Math.min(lanes, count), lanes, async () => {
      while (open > 0) {
        open--;
        const tenant = tenants[turn++ % tenants.length];
        const session = tenant && (await this.#fleet.claim(tenant));
        if (session) this.#demand.hold(session);
        else open++;
      }
    });
  }

  #each<T>(list: readonly T[], run: (each: T) => Promise<unknown>): Promise<void> {
    return runConcurrently(list.length, lanes, async (index) => {
      const each = list[index];
      if (each !== undefined) await run(each);
    });
  }

  #work(run: () => Promise<unknown>): Promise<Work> {
    return workOf(this.#inspector, run);
  }

  #running(): number {
    return [...this.#fleet.servers.values()].reduce((sum, { sessions }) => sum + sessions.size, 0);
  }

  #spread() {
    const sizes = [...this.#fleet.servers.values()].map(({ sessions }) => sessions.size).toSorted((a, b) => a - b);
    const at = (part: number) => sizes[Math.floor((sizes.length - 1) * part)] ?? 0;
    return { least: at(0), median: at(0.5), most: at(1) };
  }

  async #census(names: readonly string[]): Promise<number[]> {
    return ((await this.#inspector.eval(census, 0, ...names)) as unknown[]).map(Number);
  }

  /** Once all replies have arrived, checks that Valkey's counts match the sessions of every server and tenant. */
  async #compare(): Promise<void> {
    await this.#fleet.settled();
    const servers = [...this.#fleet.servers.values()];
    const truth = [
      ...servers.map(({ name, sessions }) => [`claims:${name}`, sessions.size] as const),
      ...this.#tenants.map(({ name, running }) => [`tenant:${name}`, running] as const),
    ];
    const told = await this.#census(truth.map(([name]) => name));
    for (const [index, [name, count]] of truth.entries())
      if (told[index] !== count) this.#fleet.violations.push(`${name} has ${told[index]} claims and ${count} sessions`);
  }
}
