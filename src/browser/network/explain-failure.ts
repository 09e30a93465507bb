/**
 * Explains why a page could not be reached. Pages go through the egress proxy, or a local proxy in front of the
 * client's own, so Chromium only knows that the proxy refused; the proxy knows the reason.
 */
import type { Outcomes } from './egress.ts';
import { refusedNavigation } from './policy.ts';
import { ServiceError } from '../../base/errors.ts';

/** System error codes in plain words. */
const reasons: Record<string, string> = {
  ENOTFOUND: 'the hostname could not be resolved',
  EAI_AGAIN: 'the hostname could not be resolved (temporary DNS failure)',
  EAI_FAIL: 'the hostname could not be resolved',
  ECONNREFUSED: 'it refused the connection',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'the network is unreachable',
  ECONNRESET: 'it reset the connection',
};

/**
 * The error for a URL to which the proxy refused or failed to connect; undefined when it did connect or never tried.
 */
export function explainFailure(url: string, outcomes: Outcomes): ServiceError | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const outcome = outcomes.outcome(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
  if (outcome === undefined || 'address' in outcome) return undefined;
  if ('refused' in outcome) return refusedNavigation(url, outcome.refused);
  if ('proxy' in outcome) return new ServiceError('proxy-failed', outcome.proxy);
  const reason = reasons[outcome.error] ?? `the connection failed (${outcome.error})`;
  return new ServiceError('navigation-failed', `Could not reach ${hostname}${port ? `:${port}` : ''}: ${reason}.`);
}

/** The error for a response that a proxy sent in place of the site; undefined for the site's own response. */
export function explainProxyResponse(
  { url, status }: { url: string; status: number },
  outcomes: Outcomes,
): ServiceError | undefined {
  // Only clients' proxies respond in place of a site: to requests over plain http, and with 407 to all.
  if (status < 400 || (status !== 407 && !url.startsWith('http:'))) return undefined;
  const failure = outcomes.failureOf(status);
  return (
    explainFailure(url, outcomes) ?? (failure === undefined ? undefined : new ServiceError('proxy-failed', failure))
  );
}

/** The address at which a URL's host was last reached; undefined when it was not reached. */
export function addressOf(url: string, outcomes: Outcomes): { ip: string; port: number } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  const outcome = outcomes.outcome(hostname, number);
  return outcome && 'address' in outcome ? { ip: outcome.address, port: number } : undefined;
}
