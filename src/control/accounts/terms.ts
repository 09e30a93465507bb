/** Declares what an account may do. */
import { type Feature, featureNames } from '../../base/account/features.ts';

/** The permissions and limits of an account. */
export interface Terms {
  readonly plan: string;
  readonly features: ReadonlySet<Feature>;
  /** Routes that it may use, as listed in its row; undefined for all. */
  readonly routes: readonly string[] | undefined;
  /** Domains that its browsers may reach; undefined for all. */
  readonly allowedDomains: readonly string[] | undefined;
  /** Limits on running and waiting requests; undefined for the limits of the server. */
  readonly concurrent: number | undefined;
  readonly queued: number | undefined;
  /** Limit on requests that start in any minute; undefined for no limit. */
  readonly perMinute: number | undefined;
  /**
   * Maximum time limit of a request, and maximum wait for a reconnection, in milliseconds; undefined for the server's.
   */
  readonly maxTimeoutMs: number | undefined;
  readonly maxReconnectMs: number | undefined;
  /** Units per calendar month (UTC); undefined for no limit. */
  readonly unitsPerMonth: number | undefined;
  /** Its share of the slots while several accounts wait, relative to an account of weight 1. */
  readonly weight: number;
}

/** Default plan for tokens without one. */
export const defaultPlan = 'enterprise';

/** The terms of the operator, and of everyone on a server without a tokens file. */
export const unlimited: Terms = {
  plan: defaultPlan,
  features: new Set(featureNames),
  routes: undefined,
  allowedDomains: undefined,
  concurrent: undefined,
  queued: undefined,
  perMinute: undefined,
  maxTimeoutMs: undefined,
  maxReconnectMs: undefined,
  unitsPerMonth: undefined,
  weight: 1,
};
