/** Opens the proxy that a request asks for, before its browser starts, and determines who may read its traffic. */
import type { Payer } from '../../../base/account/payer.ts';
import type { Account } from '../../../control/accounts/account.ts';
import { AllowedDomains } from '../../../browser/network/allowed-domains.ts';
import type { ProxyOrder } from '../../../browser/network/order.ts';
import type { ProxyLease } from '../../../browser/network/upstream/proxies.ts';
import { orReleased } from '../../../base/runtime/deadline.ts';
import type { ProxyChoice } from '../../../browser/network/proxy.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { Exposure } from '../../../sessions/lifecycle/session.ts';
import type { Services } from './services.ts';

/**
 * Returns the proxy order for the browser of a request: its proxy, the domains that the request allows, and those that
 * its token allows; undefined if there is neither a proxy nor a limit on domains.
 */
export function proxyOrder(
  { account, payer }: { account: Account; payer: Payer },
  choice: ProxyChoice | undefined,
  allowedDomains: readonly string[] | undefined,
): ProxyOrder | undefined {
  const domains = AllowedDomains.of({ ofToken: account.terms.allowedDomains, ofRequest: allowedDomains });
  return choice || domains ? { choice, domains, payer } : undefined;
}

/**
 * Opens the proxy of a request; the caller disposes the lease when the browser has exited.
 * @param logFields fields that identify the owner of the proxy in log lines about its failures
 * @returns undefined if no proxy was requested
 * @throws the errors documented for `UpstreamProxies.open`
 */
export async function openProxy(
  order: ProxyOrder | undefined,
  services: Services,
  logFields: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ProxyLease | undefined> {
  if (!order) return undefined;
  const opening = services.network.proxies.open(order, services.log.with(logFields), signal);
  return orReleased(opening, signal, (late) => late[Symbol.dispose]());
}

/** Switches that accept invalid certificates. */
const insecureSwitches = /^--(?:ignore-certificate-errors(?:-spki-list)?|allow-insecure-localhost)(?:=|$)/;

/**
 * Who may read what the pages of a browser send, as chosen by the client. The operator's provider is considered
 * trusted.
 */
export function exposureOf(launch: LaunchOptions, proxy: ProxyOrder | undefined): Exposure {
  return {
    ownProxy: proxy?.choice?.residential === false,
    insecure: launch.acceptInsecureCerts === true || launch.args.some((text) => insecureSwitches.test(text)),
    refusal: refusalOf(launch),
  };
}

function refusalOf({ args, userDataDir }: LaunchOptions): string | undefined {
  if (userDataDir !== undefined) {
    return 'Code from earlier requests may still be active in "launch.userDataDir": load secrets in a browser without it.';
  }
  if (args.some((text) => /^--disable-web-security(?:=|$)/.test(text))) {
    return 'With --disable-web-security, pages from any site may read the field: leave out that switch.';
  }
  return undefined;
}
