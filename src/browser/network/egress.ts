/**
 * Runs the only way out for pages: a SOCKS5 proxy (RFC 1928, CONNECT only) inside the server. It resolves each name
 * itself, checks every address against the network policy and connects to the address it checked. So no redirect,
 * WebSocket, worker or name that changes its address between check and use (DNS rebinding) gets past the policy.
 *
 * One name is served inside this process: http://playground.localhost/.
 *
 *   browser ──SOCKS5──▶ egress ──TCP──▶ the checked address
 */
import { systemCodeOf } from '../../base/runtime/disk.ts';
import { names } from '../../base/runtime/names.ts';
import { connectTo, type Socket } from '../../base/runtime/tcp.ts';
import { parseAddress, unbracketed } from '../../base/schema/request/addresses.ts';
import { isDemoSite, demoSitePort, demoSiteRefusal } from './demo-site-host.ts';
import type { NetworkPolicy } from './policy.ts';
import { listenForSocks, reply } from './socks-server.ts';

/** Result of the last connection to a host and port; `proxy` is a message about the upstream proxy that failed. */
export type EgressOutcome = { address: string } | { refused: string } | { error: string } | { proxy: string };

/** Results of the connections made through the egress or an upstream proxy. */
export interface Outcomes {
  /** The last outcome for this host and port, for error messages and X-Response-IP; remembered for 1,000 pairs. */
  outcome(host: string, port: number): EgressOutcome | undefined;
  /** Explains a status that the proxy itself sent in place of the site; undefined for the site's own status. */
  failureOf(status: number): string | undefined;
}

export interface Egress extends AsyncDisposable, Outcomes {
  /** Loopback port of the proxy. */
  readonly port: number;
  /** Connects to a host if the policy allows it: a socket, or a SOCKS reply code. */
  dial(host: string, port: number): Promise<Socket | number>;
  /** Number of open connections on the browser's side. */
  connections(): number;
}

/** Time in milliseconds within which a site must accept a connection; otherwise it is considered unreachable. */
const connectTimeoutMs = 30_000;
const rememberedOutcomes = 1_000;

/** Remembers the last outcome of each host and port. */
export class OutcomeMemory {
  readonly #outcomes = new Map<string, EgressOutcome>();

  outcome(host: string, port: number): EgressOutcome | undefined {
    return this.#outcomes.get(`${unbracketed(host)}:${port}`);
  }

  remember(host: string, port: number, outcome: EgressOutcome | undefined): void {
    const key = `${unbracketed(host)}:${port}`;
    this.#outcomes.delete(key);
    if (outcome) this.#outcomes.set(key, outcome);
    if (this.#outcomes.size > rememberedOutcomes) this.#outcomes.delete(this.#outcomes.keys().next().value ?? '');
  }
}

/** Serves http://playground.localhost/. */
export interface DemoSite extends AsyncDisposable {
  connect(): Promise<Socket>;
}

/** @param demoSite closed along with the egress; without it, its name is refused */
export async function startEgress(policy: NetworkPolicy, demoSite?: DemoSite): Promise<Egress> {
  const memory = new OutcomeMemory();
  const dial = (host: string, port: number) =>
    isDemoSite(host) ? connectToDemoSite(host, port, demoSite, memory) : connect(host, port, policy, memory);
  const listener = await listenForSocks(dial);
  const release = policy.protectPort(listener.port);
  return {
    port: listener.port,
    outcome: (host, port) => memory.outcome(host, port),
    failureOf: () => undefined,
    dial,
    connections: listener.count,
    [Symbol.asyncDispose]: async () => {
      release();
      await listener.close();
      await demoSite?.[Symbol.asyncDispose]();
    },
  };
}

/** Connects to the demo site; its name with another port is refused, because it resolves to this machine. */
async function connectToDemoSite(
  host: string,
  port: number,
  demoSite: DemoSite | undefined,
  memory: OutcomeMemory,
): Promise<Socket | number> {
  if (demoSite === undefined || port !== demoSitePort) {
    memory.remember(host, port, { refused: demoSiteRefusal });
    return reply.notAllowed;
  }
  memory.remember(host, port, undefined);
  return demoSite.connect();
}

/** Returns a connected socket, or the reply code that says why there is none. */
async function connect(
  host: string,
  port: number,
  policy: NetworkPolicy,
  memory: OutcomeMemory,
): Promise<Socket | number> {
  let addresses: string[];
  try {
    addresses = await addressesOf(host);
  } catch (error) {
    memory.remember(host, port, { error: systemCodeOf(error) ?? 'ENOTFOUND' });
    return reply.hostUnreachable;
  }
  const refusals = addresses.map((address) => policy.refusal(address, port));
  const allowed = addresses.filter((_, index) => refusals[index] === undefined);
  if (allowed.length === 0) {
    memory.remember(host, port, { refused: refusals.find((refusal) => refusal !== undefined) ?? 'no address' });
    return reply.notAllowed;
  }
  let code = 'ECONNREFUSED';
  for (const address of allowed) {
    try {
      const socket = await connectTo(address, port, connectTimeoutMs / allowed.length);
      memory.remember(host, port, { address });
      return socket;
    } catch (error) {
      code = systemCodeOf(error) ?? code;
    }
  }
  memory.remember(host, port, { error: code });
  return code === 'ECONNREFUSED' ? reply.refused : reply.hostUnreachable;
}

/** Returns all addresses of a name or address, as browsers interpret it. Rejects with the resolver's error. */
export async function addressesOf(host: string): Promise<string[]> {
  if (parseAddress(host)) return [host];
  // RFC 6761 section 6.3: browsers resolve every name under .localhost to the machine itself.
  if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  return names.resolve(host);
}
