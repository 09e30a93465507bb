/**
 * Keeps the connections of a browser to some domains: those that the call names, and those that the operator names for
 * its token. It is asked wherever a connection is made, so redirects, frames, workers, WebSockets and downloads count too.
 */
import { covers } from '../schema/request/addresses.ts';

/** Domains that a message names; the others are counted. */
const shownDomains = 5;

export class AllowedDomains {
  readonly #lists: readonly (readonly string[])[];

  private constructor(lists: readonly (readonly string[])[]) {
    this.#lists = lists;
  }

  /** Hosts that every list covers; undefined when there is no list. @param lists as `domainList` returns them */
  static of(...lists: readonly (readonly string[] | undefined)[]): AllowedDomains | undefined {
    const given = lists.filter((list) => list !== undefined);
    return given.length > 0 ? new AllowedDomains(given) : undefined;
  }

  /** Why a host may not be reached, as a part of a sentence; undefined when it may. */
  refusal(host: string): string | undefined {
    const list = this.#lists.find((domains) => !covers(domains, host));
    if (!list) return undefined;
    const more = list.length > shownDomains ? ` and ${list.length - shownDomains} more` : '';
    return `${host} is none of the allowed domains (${list.slice(0, shownDomains).join(', ')}${more})`;
  }
}
