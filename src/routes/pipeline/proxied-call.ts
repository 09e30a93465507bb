/** Opens the proxy that a call asks for, before the browser that uses it starts. */
import { AllowedDomains } from '../../network/allowed-domains.ts';
import type { ProxyOrder } from '../../network/upstream/order.ts';
import type { ProxyLease } from '../../network/upstream/proxies.ts';
import { orGivenBack } from '../../runtime/deadline.ts';
import type { ProxyChoice } from '../../network/proxy.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';

/**
 * What a browser of a call needs for its proxy, for the domains that the call names and for those of its token;
 * undefined when it needs neither.
 */
export function proxyOrder(
  { account, payer }: Pick<Call, 'account' | 'payer'>,
  choice: ProxyChoice | undefined,
  allowedDomains: readonly string[] | undefined,
): ProxyOrder | undefined {
  const domains = AllowedDomains.of(account.terms.allowedDomains, allowedDomains);
  return choice || domains ? { choice, domains, payer } : undefined;
}

/**
 * Opens the proxy of a call; the caller disposes the lease when the browser is gone.
 * @param logFields fields that say whose proxy it is, in log lines about its failures
 * @returns undefined when none was asked for
 * @throws ServiceError as UpstreamProxies.open does
 */
export async function openProxy(
  order: ProxyOrder | undefined,
  services: Services,
  logFields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ProxyLease | undefined> {
  if (!order) return undefined;
  const opening = services.proxies.open(order, services.log.with(logFields), signal);
  return orGivenBack(opening, signal, (late) => late[Symbol.dispose]());
}
