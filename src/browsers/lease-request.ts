/** What a call asks of the pool: which browser, and whether one of its own. */
import type { BrowserName } from './catalog.ts';

export interface LeaseRequest {
  browser: BrowserName;
  headless: boolean | 'shell' | undefined;
  args: readonly string[];
  ignoreDefaultArgs: boolean | readonly string[];
  userDataDirectory: string | undefined;
  /** Longest start in milliseconds; the server's own limit when left out. */
  startLimitMs?: number | undefined;
}

/** True when a request asks for nothing special: a browser started ahead will do. */
export function isPlain(request: LeaseRequest): boolean {
  return request.args.length === 0 && request.ignoreDefaultArgs === false && request.userDataDirectory === undefined;
}
