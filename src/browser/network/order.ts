/** Declares what a local proxy leads to, and what it needs for that. */
import type { Metrics } from '../../base/telemetry/metrics.ts';
import type { Payer } from '../../base/account/payer.ts';
import type { AllowedDomains } from './allowed-domains.ts';
import type { ProxyChoice } from './proxy.ts';
import type { Egress } from './egress.ts';
import type { NetworkPolicy } from './policy.ts';

/** What a browser has in place of the egress: a local proxy for one of the first two at least. */
export interface ProxyOrder {
  /** The proxy behind it; undefined for none. */
  readonly choice: ProxyChoice | undefined;
  /** The domains that it connects to; undefined for all. */
  readonly domains: AllowedDomains | undefined;
  /** Whom the traffic of an upstream proxy is counted for. */
  readonly payer: Payer;
}

export interface ProxyServices {
  readonly policy: NetworkPolicy;
  readonly egress: Egress;
  readonly metrics: Metrics;
}
