/**
 * Restricts a browser's connections to certain domains: those named in the request, and those the operator has set for
 * its token. It is checked wherever a connection is made, so it also covers redirects, frames, workers, WebSockets and
 * downloads.
 */
import { covers } from '../../base/schema/request/addresses.ts';

/** Number of domains that a message lists; the rest are counted. */
const maxListedDomains = 5;

/** Lists as `domainList` returns them; undefined for all domains. */
interface Lists {
  ofToken: readonly string[] | undefined;
  ofRequest: readonly string[] | undefined;
}

export class AllowedDomains {
  readonly #lists: Lists;

  private constructor(lists: Lists) {
    this.#lists = lists;
  }

  /** Allows hosts that both lists cover; undefined when there is no list. */
  static of(lists: Lists): AllowedDomains | undefined {
    return lists.ofToken || lists.ofRequest ? new AllowedDomains(lists) : undefined;
  }

  /** Returns why a host may not be reached, as part of a sentence; undefined when it may. */
  refusal(host: string): string | undefined {
    return refusalBy(this.#lists.ofToken, host) ?? refusalBy(this.#lists.ofRequest, host);
  }

  /**
   * Like `refusal`, for the host of the client's own proxy. A proxy can respond for any host, so it must be in the list
   * of the token; it need not be in the list of the request.
   */
  proxyRefusal(host: string): string | undefined {
    return refusalBy(this.#lists.ofToken, host);
  }
}

function refusalBy(domains: readonly string[] | undefined, host: string): string | undefined {
  if (!domains || covers(domains, host)) return undefined;
  const more = domains.length > maxListedDomains ? ` and ${domains.length - maxListedDomains} more` : '';
  return `${host} is not one of the allowed domains (${domains.slice(0, maxListedDomains).join(', ')}${more})`;
}
