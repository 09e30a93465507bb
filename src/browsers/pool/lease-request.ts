/** What a call asks of the pool: which browser, and whether one of its own. */
import type { BrowserName } from '../catalog.ts';

export interface LeaseRequest {
  browser: BrowserName;
  headless: boolean | 'shell' | undefined;
  args: readonly string[];
  ignoreDefaultArgs: boolean | readonly string[];
  userDataDirectory: string | undefined;
  /** Where a full browser with a profile of the caller's puts downloads by default; see StartOptions. */
  downloadDirectory?: string | undefined;
  /** Longest start in milliseconds; the server's own limit when left out. */
  startLimitMs?: number | undefined;
  /**
   * What the call gets where its options leave the choice: a context, or a process. Default: for a job what ISOLATION
   * says, for a client that attaches a process.
   */
  isolation?: 'context' | 'process' | undefined;
  /** Address of the local proxy of a ProxyLease, in place of the egress proxy. */
  proxyServer?: string | undefined;
}

/** True when a spare browser will do: the request sets no launch option and no proxy. */
export function isPlain(request: LeaseRequest): boolean {
  return request.proxyServer === undefined && fitsContext(request);
}

/** True when a context in a shared browser will do; it may have a proxy of its own. */
export function fitsContext(request: LeaseRequest): boolean {
  return request.args.length === 0 && request.ignoreDefaultArgs === false && request.userDataDirectory === undefined;
}
