/** What HTTP and SOCKS upstream proxies share: what they need of their lease and what they report to it. */
import type { Egress } from './egress.ts';

/** A proxy that does not answer within this time counts as unreachable, in milliseconds. */
export const upstreamLimitMs = 20_000;

export interface Upstream {
  /** Its address with user name and password. */
  readonly url: () => URL;
  /** The address of its host that was checked; names are not looked up again. */
  readonly address: string;
  /** The way out for hosts that are reached without it. */
  readonly direct: Egress;
  /** How a target may be reached; also remembers why not. */
  wayTo(host: string, port: number): Promise<'proxy' | 'direct' | 'refused'>;
  /** The proxy connects, or is about to. */
  worked(host: string, port: number): void;
  /** @param reason half a sentence about the proxy: "it refused the user name or password" */
  failed(host: string, port: number, reason: string): void;
}

/** A local proxy in front of the upstream one, which the browser uses without credentials. */
export interface Forwarder {
  readonly port: number;
  /** For `--proxy-server` and Target.createBrowserContext. */
  readonly server: string;
  /** Bytes that went to and came from the upstream so far. */
  bytes(): number;
  /** Cuts every connection. */
  close(): Promise<void>;
}
