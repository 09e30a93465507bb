// Starts several real servers that form a cluster.
import { loopbackAddress } from './listeners.ts';
import { freePort } from './proxy-server.ts';
import { type Service, startService } from './service.ts';
import type { Valkey } from './valkey.ts';

/** How ids of the servers begin, in the order in which the files of public/deploy name them. */
export const nodeNames = ['aa', 'bb', 'cc'] as const;

export const clusterSecret = 'a secret of the tests';

type Env = Record<string, string>;
type EnvOf = (index: number) => Env;

/**
 * @param shared how they know each other, from their addresses
 * @param envOf what one of them has besides
 */
async function startServers(count: number, shared: (urls: readonly string[]) => Env, envOf: EnvOf): Promise<Service[]> {
  const address = loopbackAddress();
  const ports = await Promise.all(Array.from({ length: count }, () => freePort(address)));
  const urls = ports.map((port) => `http://${address}:${port}`);
  const started = ports.map((port, index) =>
    startService({
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
 * Starts servers that know each other by a list of addresses.
 * @param env of all of them
 * @param envOf what one of them has besides
 */
export function startListed(count: number, env: Env = {}, envOf: EnvOf = () => ({})): Promise<Service[]> {
  return startServers(count, (urls) => ({ CLUSTER_NODES: urls.join(), ...env }), envOf);
}

/**
 * Starts servers that know each other through Valkey.
 * @param env of all of them
 * @param envOf what one of them has besides
 */
export function startRegistered(
  count: number,
  { url }: Valkey,
  env: Env = {},
  envOf: EnvOf = () => ({}),
): Promise<Service[]> {
  return startServers(count, () => ({ CLUSTER_URL: url, ...env }), envOf);
}

/** Starts a server that has ended, at the same address and with directories of its own. */
export function startAgain({ env }: Service): Promise<Service> {
  const own = ['TOKEN', 'HOST', 'PORT', 'NODE_URL', 'NODE_NAME', 'CLUSTER_NODES', 'CLUSTER_URL', 'CLUSTER_SECRET'];
  return startService({ env: some(env, [...own, 'SPARES', 'CONCURRENT', 'QUEUED', 'SHUTDOWN_DELAY_MS']) });
}

const some = (env: Env, names: readonly string[]): Env =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));

/** Starts one more server beside one that `startRegistered` has started. */
export async function joinRegistered({ env }: Service): Promise<Service> {
  const { HOST = '' } = env;
  const port = await freePort(HOST);
  const names = ['TOKEN', 'TOKENS_FILE', 'CLUSTER_URL', 'CLUSTER_SECRET', 'CONCURRENT', 'QUEUED', 'DRAIN_TIMEOUT_MS'];
  const own = { SPARES: '0', HOST, PORT: String(port), NODE_URL: `http://${HOST}:${port}` };
  return startService({ env: { ...some(env, names), ...own } });
}

/** The other servers, which take turns. */
export function others(all: readonly Service[], home: Service): () => Service {
  const rest = all.filter((each) => each !== home);
  let turn = 0;
  return () => {
    const next = rest[turn++ % rest.length];
    if (!next) throw new Error('there is no other server');
    return next;
  };
}
