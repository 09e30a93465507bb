/**
 * Checks the `url` of `POST /session` when the session is created, so that the client that creates it gets the error.
 * The connections of the browser are checked again later.
 */
import { ServiceError } from '../../../base/errors.ts';
import type { AllowedDomains } from '../../../browser/network/allowed-domains.ts';
import { addressesOf } from '../../../browser/network/egress.ts';
import { isDemoSite, demoSitePort, demoSiteRefusal } from '../../../browser/network/demo-site-host.ts';
import { type NetworkPolicy, refusedNavigation } from '../../../browser/network/policy.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';

export interface StartUrlCheck {
  policy: NetworkPolicy;
  /** True when a proxy resolves hostnames. */
  hasProxy: boolean;
  /** Allowed domains; undefined for all. */
  domains: AllowedDomains | undefined;
  signal: AbortSignal;
}

/**
 * @returns the normalized URL
 * @throws ServiceError `invalid-body`, `forbidden-destination`; the abort reason of the signal
 */
export async function checkStartUrl(
  text: string,
  { policy, hasProxy, domains, signal }: StartUrlCheck,
): Promise<string> {
  try {
    const url = policy.checkUrl(text);
    const outside = /^https?:$/.test(url.protocol) ? domains?.refusal(url.hostname) : undefined;
    if (outside !== undefined) throw refusedNavigation(text, outside);
    if (!hasProxy && /^https?:$/.test(url.protocol)) await orAborted(checkName(url, policy), signal);
    return url.href;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'forbidden-destination') throw error;
    const message = `"url" cannot be opened: ${error.message}. Use another URL, or leave "url" out.`;
    throw new ServiceError(error.code, message, { issues: [{ path: 'url', message }] });
  }
}

/** Checks only the IP addresses that a name resolves to: a name that does not resolve now may do so later. */
async function checkName(url: URL, policy: NetworkPolicy): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  if (isDemoSite(url.hostname)) {
    if (port === demoSitePort) return;
    throw refusedNavigation(url.href, demoSiteRefusal);
  }
  // oxlint-disable-next-line browserd/raced-await -- callers race it
  const addresses = await addressesOf(url.hostname).catch(() => []);
  const refusals = addresses.map((address) => policy.refusal(address, port));
  const [refusal] = refusals;
  if (refusal !== undefined && !refusals.includes(undefined)) throw refusedNavigation(url.href, refusal);
}
