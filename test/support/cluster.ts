// Starts several real servers that form a cluster.
import { loopbackAddress } from './listeners.ts';
import { freePort } from './proxy-server.ts';
import { type ServerProcess, startProcess } from './service.ts';
import type { Valkey } from './valkey.ts';

/** Prefixes of the servers' ids, in the order in which the files of public/deploy name the servers. */
export const nodeNames = ['aa', 'bb', 'cc'] as const;

export const clusterSecret = 'test-cluster-secret';

type Env = Record<string, string>;
type EnvOf = (index: number) => Env;

/**
 * @param shared returns the variables that connect the servers, from their URLs
 * @param envOf returns additional variables for one server
 */
async function startServers(
  count: number,
  shared: (urls: readonly string[]) => Env,
  envOf: EnvOf,
): Promise<ServerProcess[]> {
  const address = loopbackAddress();
  const ports = await Promise.all(Array.from({ length: count }, () => freePort(address)));
  const urls = ports.map((port) => `http://${address}:${port}`);
  const started = ports.map((port, index) =>
    startProcess({
      env: {
        SPARES: '0',
        TOKEN: 'token-of-all',
        HOST: address,
        PORT: String(port),
        NODE_URL: urls[index] ?? '',
        CLUSTER_SECRET: clusterSecret,
        ...shared(urls),
        ...envOf(index),
      },
    }),
  );
  return Promise.all(started);
}

/**
 * Starts servers that find each other through a list of URLs.
 * @param env variables for all servers
 * @param envOf returns additional variables for one server
 */
export function startListed(count: number, env: Env = {}, envOf: EnvOf = () => ({})): Promise<ServerProcess[]> {
  return startServers(count, (urls) => ({ CLUSTER_NODES: urls.join(), ...env }), envOf);
}

/**
 * Starts servers that find each other through Valkey.
 * @param env variables for all servers
 * @param envOf returns additional variables for one server
 */
export function startRegistered(
  count: number,
  { url }: Valkey,
  env: Env = {},
  envOf: EnvOf = () => ({}),
): Promise<ServerProcess[]> {
  return startServers(count, () => ({ CLUSTER_URL: url, ...env }), envOf);
}

/** Restarts a server that has exited, at the same address and with new directories. */
export function restartServer({ env }: ServerProcess): Promise<ServerProcess> {
  const own = ['TOKEN', 'HOST', 'PORT', 'NODE_URL', 'NODE_NAME', 'CLUSTER_NODES', 'CLUSTER_URL', 'CLUSTER_SECRET'];
  return startProcess({ env: pick(env, [...own, 'SPARES', 'CONCURRENT', 'QUEUED', 'SHUTDOWN_DELAY_MS']) });
}

const pick = (env: Env, names: readonly string[]): Env =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));

/** Adds a server to the cluster of a server that `startRegistered` started. */
export async function joinRegistered({ env }: ServerProcess): Promise<ServerProcess> {
  const { HOST = '' } = env;
  const port = await freePort(HOST);
  const names = ['TOKEN', 'TOKENS_FILE', 'CLUSTER_URL', 'CLUSTER_SECRET', 'CONCURRENT', 'QUEUED', 'DRAIN_TIMEOUT_MS'];
  const own = { SPARES: '0', HOST, PORT: String(port), NODE_URL: `http://${HOST}:${port}` };
  return startProcess({ env: { ...pick(env, names), ...own } });
}

/** Returns a function that cycles through the other servers. */
export function others(all: readonly ServerProcess[], home: ServerProcess): () => ServerProcess {
  const rest = all.filter((each) => each !== home);
  let turn = 0;
  return () => {
    const next = rest[turn++ % rest.length];
    if (!next) throw new Error('there is no other server');
    return next;
  };
}
