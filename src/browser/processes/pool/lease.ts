/** Declares a request to the pool (which browser, and whether a separate one), and the lease that it receives. */
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { BrowserName, Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import type { Clients } from '../flags.ts';
import type { StealthProfile } from '../stealth/profile.ts';
import type { PageTarget } from '../page-target.ts';
import type { BrowserProcess } from '../process.ts';
import type { Profile } from '../profiles.ts';
import type { Wear } from './wear.ts';

export interface PoolOptions {
  /** Contexts, virtual browsers and, with process isolation, browsers created ahead of time. */
  spares: number;
  recycleLimits: Wear;
  isolation: 'context' | 'process';
  /** True when accounts share no process. Then a process that no account has used waits for the next account. */
  byTenant: boolean;
  /** Memory of one page in bytes beyond which its renderer is killed; 0 for no limit. */
  pageMemoryBytes: number;
  /** How long a page of a virtual browser may keep a CPU busy, in milliseconds; 0 for no limit. */
  pageBusyMs: number;
  /** Returns how many more browsers may run now: the pool starts at most this number of spare browsers for clients. */
  freeSlots: () => number;
}

export interface LeaseRequest {
  /** Only requests of one group share processes; see BrowserPool.groupOf. */
  group: string;
  browser: BrowserName;
  /** Has no effect with `stealth`. */
  headless: boolean | 'shell' | undefined;
  /** Requests a browser that hides that it is automated: always a separate process. */
  stealth?: StealthProfile | undefined;
  args: readonly string[];
  ignoreDefaultArgs: boolean | readonly string[];
  userDataDirectory: string | undefined;
  /** Where a full browser with a client's own profile puts downloads by default; see StartOptions. */
  downloadDirectory?: string | undefined;
  /** Time limit for startup in milliseconds; the server's own limit when omitted. */
  startLimitMs?: number | undefined;
  /**
   * Whether the request receives a context or a process when its options allow both. Default: for a job, the setting
   * ISOLATION; for a client that attaches, a process.
   */
  isolation?: 'context' | 'process' | undefined;
  /** True when the pages may open windows. */
  opensWindows?: boolean | undefined;
  /** URL of the local proxy of a ProxyLease, in place of the egress proxy. */
  proxyServer?: string | undefined;
}

/** The part of a request that its launch options determine. */
export function leaseOptions(
  launch: LaunchOptions,
): Pick<LeaseRequest, 'headless' | 'stealth' | 'args' | 'ignoreDefaultArgs'> {
  return {
    headless: launch.headless === 'new' ? true : launch.headless,
    stealth: launch.stealth === true ? { timezone: launch.timezone } : undefined,
    args: launch.args,
    ignoreDefaultArgs: launch.ignoreDefaultArgs ?? false,
  };
}

/** The right to use a page for one request. Disposing it is the only way to release it, and returns immediately. */
export interface Lease extends Disposable {
  readonly target: PageTarget;
  readonly browser: BrowserProcess;
  /** True when only this lease uses the browser. */
  readonly ownBrowser: boolean;
  /** Aborted when the browser has exited, or is being replaced and only waits for its last leases. */
  readonly retiring: AbortSignal;
}

/** How a browser for one request is started. */
export interface OwnBrowser {
  request: LeaseRequest;
  executable: Executable;
  mode: Mode;
  profile: Profile;
  clients: Exclude<Clients, 'several'>;
}

/** True when a spare browser will do: the request sets neither a launch option nor a proxy. */
export function isPlain(request: LeaseRequest): boolean {
  return request.proxyServer === undefined && request.stealth?.timezone === undefined && hasDefaultSwitches(request);
}

/** True when a context in a shared browser will do; it may have its own proxy. */
export function fitsContext(request: LeaseRequest): boolean {
  return request.stealth === undefined && hasDefaultSwitches(request);
}

function hasDefaultSwitches({ args, ignoreDefaultArgs, userDataDirectory }: LeaseRequest): boolean {
  return args.length === 0 && ignoreDefaultArgs === false && userDataDirectory === undefined;
}
