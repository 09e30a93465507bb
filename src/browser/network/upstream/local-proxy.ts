/**
 * Starts a local proxy in front of an upstream proxy: the browser learns neither the address nor the password of the
 * upstream proxy, the network policy and the allowed domains apply to every target, and traffic is counted. Without an
 * upstream proxy it connects through the egress, limited to the allowed domains.
 */
import { systemCodeOf } from '../../../base/runtime/disk.ts';
import { capitalize } from '../../../base/text.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import { unbracketed } from '../../../base/schema/request/addresses.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { connectTo } from '../../../base/runtime/tcp.ts';
import type { AllowedDomains } from '../allowed-domains.ts';
import type { ProxyChoice } from '../proxy.ts';
import { portOf } from '../../../base/config/proxy-url.ts';
import { addressesOf, OutcomeMemory, type Outcomes } from '../egress.ts';
import { isDemoSite } from '../demo-site-host.ts';
import type { NetworkPolicy } from '../policy.ts';
import { listenForSocks, reply } from '../socks-server.ts';
import { type Forwarder, type Upstream, upstreamLimitMs } from './forwarder.ts';
import type { ProxyOrder, ProxyServices } from '../order.ts';

interface LocalProxy extends Outcomes {
  /** `http://127.0.0.1:port` or `socks5://127.0.0.1:port` */
  readonly server: string;
  /** Counts the traffic so far. */
  meter(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Interval in milliseconds at which traffic is reported, so that the traffic of long sessions is counted while they
 * run.
 */
const meterEveryMs = 5_000;
/** Time limit for resolving a name, in milliseconds; after that the name is left to the proxy. */
const lookUpLimitMs = 5_000;
const rememberedTargets = 1_000;
/** Maximum number of distinct failure reasons logged per proxy. */
const maxLoggedReasons = 100;

/** @throws the errors documented for `UpstreamProxies.open` */
export async function startLocalProxy(
  { choice, domains, payer }: ProxyOrder,
  services: ProxyServices,
  log: Log,
  signal: AbortSignal,
): Promise<LocalProxy> {
  if (!choice) return startDomainFilter(domains, services);
  const { policy, egress, metrics } = services;
  const name = choice.residential ? 'the residential proxy' : `the proxy from ${choice.field}`;
  const outside = choice.residential ? undefined : domains?.proxyRefusal(unbracketed(choice.url().hostname));
  if (outside !== undefined) {
    throw new ServiceError('forbidden-destination', `${capitalize(name)} is not allowed for this token: ${outside}.`);
  }
  const account = await payer.label();
  const address = await orAborted(reach(choice, name, policy), signal);
  const memory = new OutcomeMemory();
  const loggedReasons = new Set<string>();
  const logFailure = (host: string, port: number, reason: string) => {
    if (loggedReasons.has(reason) || loggedReasons.size >= maxLoggedReasons) return;
    loggedReasons.add(reason);
    log.warn('proxy.failed', { proxy: choice.field, target: `${host}:${port}`, reason });
  };
  const bypass = bypassRules(choice.bypass);
  // The proxy does not know the demo site, or knows another site with that name.
  const bypassed = (host: string, port: number) => bypass(host, port) || isDemoSite(host);
  const refusalOf = targetCheck(policy);
  const upstream: Upstream = {
    url: choice.url,
    address,
    direct: egress,
    routeTo: async (host, port) => {
      // A page may try any number of hosts, so do not log them.
      const unlisted = domains?.refusal(host);
      if (unlisted !== undefined) {
        memory.remember(host, port, { refused: unlisted });
        return 'refused';
      }
      if (bypassed(host, port)) return 'direct';
      const refusal = await refusalOf(host, port);
      if (refusal === undefined) return 'proxy';
      memory.remember(host, port, { refused: refusal });
      logFailure(host, port, refusal);
      return 'refused';
    },
    succeeded: (host, port) => memory.remember(host, port, undefined),
    failed: (host, port, reason) => {
      memory.remember(host, port, { proxy: `${capitalize(name)} failed: ${reason}.` });
      logFailure(host, port, reason);
    },
  };
  const isHttp = choice.url().protocol.startsWith('http');
  const forwarder = isHttp
    ? await (await import('./http-forwarder.ts')).startHttpForwarder(upstream)
    : await (await import('./socks-forwarder.ts')).startSocksForwarder(upstream);
  const unprotect = policy.protectPort(forwarder.port);
  const meter = startMeter(forwarder, (bytes) =>
    payer.charge(metrics.proxied({ residential: choice.residential, account, bytes })),
  );
  return {
    server: forwarder.server,
    outcome: (host, port) =>
      memory.outcome(host, port) ?? (bypassed(host, port) ? egress.outcome(host, port) : undefined),
    failureOf: (status) =>
      isHttp && status >= 590 && status < 600 ? `${capitalize(name)} failed: the connection was lost.` : undefined,
    meter: () => meter.read(),
    async close() {
      await forwarder.close();
      meter[Symbol.dispose]();
      unprotect();
    },
  };
}

/** Connects to the allowed domains in the same way as the egress. */
async function startDomainFilter(
  domains: AllowedDomains | undefined,
  { policy, egress }: ProxyServices,
): Promise<LocalProxy> {
  const refused = new OutcomeMemory();
  const listener = await listenForSocks((host, port) => {
    const refusal = domains?.refusal(host);
    if (refusal === undefined) return egress.dial(host, port);
    refused.remember(host, port, { refused: refusal });
    return Promise.resolve(reply.notAllowed);
  });
  const unprotect = policy.protectPort(listener.port);
  return {
    server: `socks5://127.0.0.1:${listener.port}`,
    outcome: (host, port) => refused.outcome(host, port) ?? egress.outcome(host, port),
    failureOf: () => undefined,
    meter: () => {},
    async close() {
      unprotect();
      await listener.close();
    },
  };
}

/** The first IP address of the proxy that accepts a connection. */
async function reach(choice: ProxyChoice, name: string, policy: NetworkPolicy): Promise<string> {
  const url = choice.url();
  const host = unbracketed(url.hostname);
  const port = portOf(url);
  const shown = choice.residential ? '' : ` at ${host}:${port}`;
  const failure = (reason: string) =>
    new ServiceError('proxy-failed', `${capitalize(name)}${shown} could not be reached: ${reason}.`);
  const addresses = await addressesOf(host).catch(() => []);
  if (addresses.length === 0) throw failure('the hostname could not be resolved');
  // The operator's provider may have an address that clients must not reach.
  const refusals = choice.residential ? [] : addresses.flatMap((address) => policy.refusal(address, port) ?? []);
  const [refusal] = refusals;
  if (refusal !== undefined) {
    throw new ServiceError('forbidden-destination', `${capitalize(name)} is not allowed: ${refusal}.`);
  }
  let code = '';
  for (const address of addresses) {
    try {
      (await connectTo(address, port, upstreamLimitMs / addresses.length)).destroy();
      return address;
    } catch (error) {
      code = systemCodeOf(error) ?? '';
    }
  }
  throw failure(
    code === 'ECONNREFUSED'
      ? 'it refused the connection'
      : code === 'ETIMEDOUT'
        ? 'it did not respond in time'
        : `the connection failed${code && ` (${code})`}`,
  );
}

/**
 * Returns why a target may not be reached through a proxy. The proxy resolves names itself, so a name is refused when
 * the policy refuses any address that it resolves to here; a name that does not resolve here is left to the proxy,
 * which may know it.
 */
function targetCheck(policy: NetworkPolicy): (host: string, port: number) => Promise<string | undefined> {
  const known = new Map<string, Promise<string[]>>();
  return async (host, port) => {
    const addresses = known.get(host) ?? addressesOrNone(host);
    if (known.size >= rememberedTargets) known.clear();
    known.set(host, addresses);
    return (await addresses).map((address) => policy.refusal(address, port)).find((refusal) => refusal !== undefined);
  };
}

async function addressesOrNone(host: string): Promise<string[]> {
  using limit = startDeadline(lookUpLimitMs, () => new Error('the name was not resolved in time'), []);
  return orAborted(addressesOf(host), limit.signal).catch(() => []);
}

/** Reports the bytes since the last report: every few seconds, on each `read`, and when disposed. */
function startMeter(forwarder: Forwarder, report: (bytes: number) => void): Disposable & { read(): void } {
  let reported = 0;
  const read = () => {
    const bytes = forwarder.bytes() - reported;
    reported += bytes;
    if (bytes > 0) report(bytes);
  };
  const timer = setInterval(read, meterEveryMs);
  return {
    read,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      read();
    },
  };
}

/**
 * Parses the hosts that a client reaches without the proxy, as in Chromium's --proxy-bypass-list: rules separated by
 * commas or semicolons: `example.com`, `.example.com` and `*.example.com` (all subdomains), `*`,
 * `<local>` (names without a dot), each optionally with `:port`. Other kinds of rules never match.
 */
export function bypassRules(list: string | undefined): (host: string, port: number) => boolean {
  const rules = (list ?? '')
    .split(/[,;]/)
    .map((rule) => /^(?:\w+:\/\/)?(<local>|[^:<>/]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(rule.trim().toLowerCase()))
    .flatMap((match) => (match ? [{ host: match[1] ?? '', port: match[2] }] : []));
  return (host, port) =>
    rules.some((rule) => (rule.port === undefined || Number(rule.port) === port) && matches(rule.host, host));
}

function matches(rule: string, host: string): boolean {
  const name = host.toLowerCase();
  if (rule === '<local>') return !name.includes('.') && !name.includes(':');
  if (rule.startsWith('*')) return name.endsWith(rule.slice(1));
  return rule.startsWith('.') ? name.endsWith(rule) : name === unbracketed(rule);
}
