/** A user of the server: the operator, or the owner of a token in TOKENS_FILE. */
import type { Share } from '../admission/limiter.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Feature, features } from '../../base/account/features.ts';
import { type Terms, unlimited } from './terms.ts';
import { Units } from './units.ts';
import { now } from '../../base/runtime/machine.ts';

const minuteMs = 60_000;

/** Limits how many requests of an account start per minute. */
class RequestRate {
  /** Start times of the last minute's requests, the oldest first, on the clock `now`. */
  #begun: number[] = [];

  /**
   * Counts a request.
   * @param limit the maximum number of requests in any minute; undefined for no limit
   * @throws ServiceError `quota` that states the limit and when to try again
   */
  begin(limit: number | undefined): void {
    if (limit === undefined) return;
    const time = now();
    const since = this.#begun.findIndex((at) => time - at < minuteMs);
    this.#begun = since === -1 ? [] : this.#begun.slice(since);
    const oldest = this.#begun.at(-limit);
    if (oldest !== undefined) {
      throw new ServiceError(
        'quota',
        `Too many requests: this token may start ${limit} requests a minute (perMinute). Wait as long as Retry-After says.`,
        { retryAfterSeconds: Math.max(1, Math.ceil((oldest + minuteMs - time) / 1_000)) },
      );
    }
    this.#begun.push(time);
  }
}

export class Account implements Share {
  /** The name of its row; empty for the operator, and `?` for clients without a token. */
  readonly name: string;
  readonly units = new Units();
  /** What the tokens file contains now. */
  terms: Terms;
  readonly #rate = new RequestRate();
  readonly #servers: () => number;

  /** @param servers how many servers currently enforce the concurrency limit independently, each with a part of it */
  constructor(name: string, terms: Terms, servers: () => number = () => 1) {
    this.name = name;
    this.terms = terms;
    this.#servers = servers;
  }

  get concurrent(): number | undefined {
    const { concurrent } = this.terms;
    return concurrent && Math.max(1, Math.floor(concurrent / this.#servers()));
  }

  get queued(): number | undefined {
    return this.terms.queued;
  }

  get weight(): number {
    return this.terms.weight;
  }

  /** True for accounts that may see and stop everything: tokens in TOKEN, and everyone on a server without tokens. */
  get isOperator(): boolean {
    return this.name === '';
  }

  /** True for resources of this account; the operator may use everything. @param owner name of an account */
  mayUse(owner: string): boolean {
    return this.isOperator || owner === this.name;
  }

  has(feature: Feature): boolean {
    return this.terms.features.has(feature);
  }

  /** @throws ServiceError `not-in-plan` that names the feature and the fix */
  require(feature: Feature): void {
    if (!this.has(feature)) throw new ServiceError('not-in-plan', this.missing(feature));
  }

  /** The error message for a feature that the plan lacks. */
  missing(feature: Feature): string {
    return `Your plan (${this.terms.plan}) does not include ${features[feature].label}. Ask the operator to add "${feature}".`;
  }

  /**
   * @param route the path as it is mounted
   * @throws ServiceError `not-in-plan` for a route that the row of the token does not list
   */
  requireRoute(route: string): void {
    const { routes, plan } = this.terms;
    if (routes === undefined || route === '/account') return;
    const plain = withoutBrowser(route);
    const covers = (named: string) => [route, plain].some((path) => path === named || path.startsWith(`${named}/`));
    if (routes.some(covers)) return;
    throw new ServiceError(
      'not-in-plan',
      `Your plan (${plan}) does not include the route ${plain}. Ask the operator to add it to "routes".`,
    );
  }

  /** Counts a request that is starting. @throws ServiceError `quota` */
  beginCall(): void {
    this.#rate.begin(this.terms.perMinute);
  }

  /** @throws ServiceError `not-in-plan` for anyone except the operator */
  requireOperator(): void {
    if (this.isOperator) return;
    throw new ServiceError('not-in-plan', 'Only the operator may do this. Use a token from TOKEN.');
  }
}

/** A route without its browser prefix: `/pdf` for `/chromium/pdf`. */
export function withoutBrowser(route: string): string {
  return route.replace(/^\/(chromium|chrome|edge|firefox|webkit)(?=\/)/, '');
}

/** A client without a token: it owns nothing. */
export const visitor = new Account('?', unlimited);

/** The account of the operator, and of every client of a server without tokens. */
export const operator = new Account('', unlimited);
