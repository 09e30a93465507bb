/**
 * Declares the types shared by the HTTP and SOCKS forwarders: what they need from their lease and what they report to
 * it.
 */
import type { Egress } from '../egress.ts';

/** Time in milliseconds within which a proxy must respond; otherwise it is considered unreachable. */
export const upstreamLimitMs = 20_000;

export interface Upstream {
  /** URL of the proxy with username and password. */
  readonly url: () => URL;
  /** The checked IP address of its host; the name is not resolved again. */
  readonly address: string;
  /** The egress, for hosts that are reached without the proxy. */
  readonly direct: Egress;
  /** How a target may be reached; also records why one is refused. */
  routeTo(host: string, port: number): Promise<'proxy' | 'direct' | 'refused'>;
  /** Called when the proxy has connected to a target, or is about to. */
  succeeded(host: string, port: number): void;
  /** @param reason a clause about the proxy: "it rejected the username or password" */
  failed(host: string, port: number, reason: string): void;
}

/** A local proxy in front of the upstream one, which the browser uses without credentials. */
export interface Forwarder {
  readonly port: number;
  /** For `--proxy-server` and Target.createBrowserContext. */
  readonly server: string;
  /** Bytes sent to and received from the upstream proxy so far. */
  bytes(): number;
  /** Closes all connections. */
  close(): Promise<void>;
}
