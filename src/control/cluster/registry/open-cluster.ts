/** Opens the cluster of a server that belongs to one; a single server never loads the modules for it. */
import type { Cluster } from '../cluster.ts';
import type { Registry } from './registry.ts';
import type { Config } from '../../../base/config/config.ts';
import type { AddressListener } from '../other-servers.ts';
import { makeNodeName } from '../../../base/runtime/ids.ts';
import type { Log } from '../../../base/telemetry/log.ts';

interface Others {
  /** Undefined for a single server. */
  cluster: Cluster | undefined;
  /** Undefined without CLUSTER_URL. */
  registry: Registry | undefined;
}

/** @param onAddress called with the addresses where the other servers and Valkey listen: pages must not reach them */
export async function openCluster(config: Config, onAddress: AddressListener, log: Log): Promise<Others> {
  const { CLUSTER_SECRET, CLUSTER_NODES, CLUSTER_URL, NODE_NAME, NODE_URL, HOST, PORT } = config;
  if (NODE_URL === undefined || CLUSTER_SECRET === undefined) return { cluster: undefined, registry: undefined };
  const node = makeNodeName(NODE_NAME);
  const registry =
    CLUSTER_URL === undefined
      ? undefined
      : new (await import('./registry.ts')).Registry({
          url: CLUSTER_URL,
          node,
          address: NODE_URL,
          secret: CLUSTER_SECRET,
          onAddress,
          log,
        });
  const { Cluster: OtherServers } = await import('../cluster.ts');
  const options = { node, NODE_URL, CLUSTER_NODES, CLUSTER_SECRET, HOST, PORT, nodes: registry };
  const cluster = new OtherServers(options, log, onAddress);
  return { cluster, registry };
}
