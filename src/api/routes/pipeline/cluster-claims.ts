/**
 * Claims resources that are limited across the whole cluster: a request's slot, its share of the tenant's limit, and
 * its tracking id.
 */
import type { Claim } from '../../../control/cluster/registry/leases.ts';
import { StoreDown } from '../../../control/cluster/registry/store-down.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { trackingIdInUse } from '../../../sessions/lifecycle/registry.ts';
import type { Call } from './call.ts';

/** Longest wait for a cluster slot, in milliseconds; a client that disconnects earlier gives up its claim. */
const maxWaitMs = 3_600_000;

/**
 * Claims a slot in the cluster, and waits its turn if all are taken. The request's clock is stopped while it waits.
 * @param isLocal true if this node itself must handle the request
 * @param excluded names of nodes that were already tried
 * @returns undefined if the nodes do not share slots, and while Valkey is unavailable
 * @throws ServiceError `queue-full`, `quota`; `registry-down` with CLUSTER_STRICT; the abort reason of the request's
 *   clock
 */
export async function claimSlot(
  call: Call,
  isLocal: boolean,
  excluded: readonly string[] = [],
): Promise<Claim | undefined> {
  const { account, services } = call;
  const { config } = services;
  const { limiter, clusterRegistry: registry } = services.control;
  if (!registry || call.registryFailed) return undefined;
  // Each node queues up to QUEUED requests.
  const mayQueue = account.queued ?? config.QUEUED * registry.servers;
  const slotRequest = {
    tenant: account.name,
    limit: account.concurrent ?? 0,
    queued: mayQueue,
    weight: account.weight,
    maxWaitMs,
    isLocal,
    excluded,
    onQueued() {
      services.telemetry.metrics.queued();
      services.telemetry.alert('QUEUE_ALERT_URL');
    },
  };
  call.clock.stop();
  try {
    const result = await registry.claim(slotRequest, call.clock.signal);
    if ('claim' in result) return result.claim;
    throw result.refused === 'quota' ? limiter.overQuota({ share: account, ...result }, mayQueue) : limiter.fullQueue();
  } catch (error) {
    if (!(error instanceof StoreDown)) throw error;
    call.registryFailed = true;
    requireNotStrict(call);
    return undefined;
  } finally {
    call.clock.start();
  }
}

/**
 * Reserves the tracking id of a request, if it has one, so that no other session of its account in the cluster can use
 * it.
 * @throws ServiceError `invalid-tracking-id`; the abort reason of the request's clock
 */
export async function claimTrackingId(call: Call): Promise<Disposable | undefined> {
  const { account, trackingId, services, signal, registryFailed } = call;
  const { clusterRegistry: registry } = services.control;
  if (!registry || trackingId === undefined) return undefined;
  const tracking = registry.leases.track(account.name, trackingId, !registryFailed);
  const held = await orAborted(tracking, signal).catch((reason: unknown) => {
    void tracking.then((late) => late?.[Symbol.dispose]());
    throw reason;
  });
  if (!held) throw trackingIdInUse(trackingId);
  return held;
}

/** @throws ServiceError `registry-down` with CLUSTER_STRICT */
function requireNotStrict({ services: { config } }: Call): void {
  if (!config.CLUSTER_STRICT) return;
  throw new ServiceError(
    'registry-down',
    'The servers of this cluster cannot assign slots: their Valkey is not responding. Try again in a moment.',
  );
}
