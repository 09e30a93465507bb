/** Claims what a call needs once in the whole cluster: a slot, a place of its tenant, its tracking id. */
import type { Claim } from '../../../control/cluster/registry/leases.ts';
import { StoreDown } from '../../../control/cluster/registry/store-down.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { trackingIdInUse } from '../../../sessions/lifecycle/registry.ts';
import type { Call } from './call.ts';

/** Longest wait for a slot of the cluster, in milliseconds; whoever leaves earlier gives it up. */
const patienceMs = 3_600_000;

/**
 * Claims a slot in the cluster, and waits for one in turn. The clock of the call stands meanwhile.
 * @param isLocal true when this server itself must answer the call
 * @param without names of servers that it has not reached
 * @returns undefined where the servers share no slots, and while Valkey cannot be asked
 * @throws ServiceError `queue-full`, `quota`; `registry-down` with CLUSTER_STRICT; the clock's reason
 */
export async function claimSlot(
  call: Call,
  isLocal: boolean,
  without: readonly string[] = [],
): Promise<Claim | undefined> {
  const { account, services } = call;
  const { config } = services;
  const { limiter, clusterRegistry: registry } = services.control;
  if (!registry || call.registryFailed) return undefined;
  const { share } = account;
  // Each server has room for QUEUED calls.
  const mayQueue = share.queued ?? config.QUEUED * registry.servers;
  const ask = {
    tenant: account.name,
    limit: share.concurrent ?? 0,
    queued: mayQueue,
    weight: share.weight,
    patienceMs,
    isLocal,
    without,
    onQueued() {
      services.telemetry.metrics.queued();
      services.telemetry.alert('QUEUE_ALERT_URL');
    },
  };
  call.clock.stop();
  try {
    const answer = await registry.claim(ask, call.clock.signal);
    if ('claim' in answer) return answer.claim;
    throw answer.refused === 'quota' ? limiter.overQuota({ share, ...answer }, mayQueue) : limiter.fullQueue();
  } catch (error) {
    if (!(error instanceof StoreDown)) throw error;
    call.registryFailed = true;
    requireLax(call);
    return undefined;
  } finally {
    call.clock.start();
  }
}

/**
 * Holds the tracking id of a call that has one, so that no other session of its account in the cluster has it.
 * @throws ServiceError `invalid-tracking-id`; the clock's reason
 */
export async function claimTrackingId(call: Call): Promise<Disposable | undefined> {
  const { account, trackingId, services, signal, registryFailed } = call;
  const { clusterRegistry: registry } = services.control;
  if (!registry || trackingId === undefined) return undefined;
  const tracking = registry.track(account.name, trackingId, !registryFailed);
  const held = await orAborted(tracking, signal).catch((reason: unknown) => {
    void tracking.then((late) => late?.[Symbol.dispose]());
    throw reason;
  });
  if (!held) throw trackingIdInUse(trackingId);
  return held;
}

/** @throws ServiceError `registry-down` with CLUSTER_STRICT */
function requireLax({ services: { config } }: Call): void {
  if (!config.CLUSTER_STRICT) return;
  throw new ServiceError(
    'registry-down',
    'The servers of this cluster cannot agree on slots now: their Valkey does not answer. Try again in a moment.',
  );
}
