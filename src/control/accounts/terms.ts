/** Declares what an account may do. */
import { type Feature, featureNames } from '../../base/account/features.ts';

/** What an account may do. */
export interface Terms {
  readonly plan: string;
  readonly features: ReadonlySet<Feature>;
  /** Routes that it may call, as its row names them; undefined for all. */
  readonly routes: readonly string[] | undefined;
  /** Domains that its browsers may reach; undefined for all. */
  readonly allowedDomains: readonly string[] | undefined;
  /** Calls that run and that wait at the same time; undefined for as many as the server has. */
  readonly concurrent: number | undefined;
  readonly queued: number | undefined;
  /** Calls that begin in any minute; undefined for no limit. */
  readonly perMinute: number | undefined;
  /** Longest time limit of a call, and longest wait for a reconnection, in milliseconds; undefined for the server's. */
  readonly maxTimeoutMs: number | undefined;
  readonly maxReconnectMs: number | undefined;
  /** Budget of a calendar month (UTC); undefined for none. */
  readonly unitsPerMonth: number | undefined;
  /** Its share of the slots when several accounts wait, against 1 of the others. */
  readonly weight: number;
}

/** The plan of whom no row limits. */
export const usualPlan = 'enterprise';

/** The terms of the operator, and of everybody on a server without a tokens file. */
export const unlimited: Terms = {
  plan: usualPlan,
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
