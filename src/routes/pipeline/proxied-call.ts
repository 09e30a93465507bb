/** Opens the proxy that a call asks for, before the browser that uses it starts. */
import type { ProxyLease } from '../../network/upstream-proxy.ts';
import { orGivenBack } from '../../runtime/deadline.ts';
import type { ProxyChoice } from '../../network/proxy.ts';
import type { Payer } from '../../accounts/account.ts';
import type { Services } from './services.ts';

export interface ProxyRequest {
  choice: ProxyChoice;
  /** Whom its traffic is counted for. */
  payer: Payer;
}

/**
 * Opens the proxy of a call; the caller disposes the lease when the browser is gone.
 * @param logFields fields that say whose proxy it is, in log lines about its failures
 * @returns undefined when none was asked for
 * @throws ServiceError as UpstreamProxies.open does
 */
export async function openProxy(
  request: ProxyRequest | undefined,
  services: Services,
  logFields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ProxyLease | undefined> {
  if (!request) return undefined;
  const opening = services.proxies.open(request.choice, request.payer, services.log.with(logFields), signal);
  return orGivenBack(opening, signal, (late) => late[Symbol.dispose]());
}
