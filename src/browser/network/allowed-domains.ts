/**
 * Keeps the connections of a browser to some domains: those that the call names, and those that the operator names for
 * its token. It is asked wherever a connection is made, so redirects, frames, workers, WebSockets and downloads count too.
 */
import { covers } from '../../base/schema/request/addresses.ts';

/** Domains that a message names; the others are counted. */
const shownDomains = 5;

/** Lists as `domainList` returns them; undefined for all domains. */
interface Lists {
  ofToken: readonly string[] | undefined;
  ofCall: readonly string[] | undefined;
}

export class AllowedDomains {
  readonly #lists: Lists;

  private constructor(lists: Lists) {
    this.#lists = lists;
  }

  /** Hosts that both lists cover; undefined when there is none. */
  static of(lists: Lists): AllowedDomains | undefined {
    return lists.ofToken || lists.ofCall ? new AllowedDomains(lists) : undefined;
  }

  /** Why a host may not be reached, as a part of a sentence; undefined when it may. */
  refusal(host: string): string | undefined {
    return refusalBy(this.#lists.ofToken, host) ?? refusalBy(this.#lists.ofCall, host);
  }

  /**
   * The same for the host of a proxy of the caller's own. It answers for whatever host it likes, so it has to be in the
   * list of the token; in that of the call it need not be.
   */
  proxyRefusal(host: string): string | undefined {
    return refusalBy(this.#lists.ofToken, host);
  }
}

function refusalBy(domains: readonly string[] | undefined, host: string): string | undefined {
  if (!domains || covers(domains, host)) return undefined;
  const more = domains.length > shownDomains ? ` and ${domains.length - shownDomains} more` : '';
  return `${host} is none of the allowed domains (${domains.slice(0, shownDomains).join(', ')}${more})`;
}
