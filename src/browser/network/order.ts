/** Declares where a local proxy connects, and the services it needs. */
import type { Metrics } from '../../base/telemetry/metrics.ts';
import type { Payer } from '../../base/account/payer.ts';
import type { AllowedDomains } from './allowed-domains.ts';
import type { ProxyChoice } from './proxy.ts';
import type { Egress } from './egress.ts';
import type { NetworkPolicy } from './policy.ts';

/** A local proxy that a browser uses instead of the egress; at least one of the first two properties is set. */
export interface ProxyOrder {
  /** The upstream proxy; undefined for none. */
  readonly choice: ProxyChoice | undefined;
  /** The domains that may be reached; undefined for all. */
  readonly domains: AllowedDomains | undefined;
  /** The account charged for the traffic of an upstream proxy. */
  readonly payer: Payer;
}

export interface ProxyServices {
  readonly policy: NetworkPolicy;
  readonly egress: Egress;
  readonly metrics: Metrics;
}
