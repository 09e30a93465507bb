// Starts several real servers that form a cluster.
import { loopbackAddress } from './listeners.ts';
import { freePort } from './proxy-server.ts';
import { type ServerProcess, type Service, startProcess, startService } from './service.ts';
import type { Valkey } from './valkey.ts';

/** Prefixes of the servers' ids, in the order in which the files of public/deploy name the servers. */
export const nodeNames = ['aa', 'bb', 'cc'] as const;

export const clusterSecret = 'test-cluster-secret';

type Env = Record<string, string>;
type EnvOf = (index: number) => Env;

/**
 * Returns the environments of servers that each have an address.
 * @param shared returns the variables that connect the servers, from their URLs
 * @param envOf returns additional variables for one server
 */
async function environments(count: number, shared: (urls: readonly string[]) => Env, envOf: EnvOf): Promise<Env[]> {
  const address = loopbackAddress();
  const ports = await Promise.all(Array.from({ length: count }, () => freePort(address)));
  const urls = ports.map((port) => `http://${address}:${port}`);
  return ports.map((port, index) => ({
    SPARES: '0',
    TOKEN: 'token-of-all',
    HOST: address,
    PORT: String(port),
    NODE_URL: urls[index] ?? '',
    CLUSTER_SECRET: clusterSecret,
    ...shared(urls),
    ...envOf(index),
  }));
}

const listed = (count: number, env: Env, envOf: EnvOf) =>
  environments(count, (urls) => ({ CLUSTER_NODES: urls.join(), ...env }), envOf);
const registered = (count: number, { url }: Valkey, env: Env, envOf: EnvOf) =>
  environments(count, () => ({ CLUSTER_URL: url, ...env }), envOf);

type Services<Count extends 1 | 2 | 3> = { 1: [Service]; 2: [Service, Service]; 3: [Service, Service, Service] }[Count];

/** Starts one server for each environment; the caller states their number in the type. */
const startAll = async <Started extends Service[]>(envs: readonly Env[]) =>
  (await Promise.all(envs.map((env) => startService({ env })))) as Started;

/** Starts the first server in a separate process. */
async function startVictim<Count extends 1 | 2>([first = {}, ...rest]: readonly Env[]) {
  const [victim, services] = await Promise.all([startProcess({ env: first }), startAll<Services<Count>>(rest)]);
  return [victim, ...services] as const;
}

/**
 * Starts servers that find each other through a list of URLs.
 * @param env variables for all servers
 * @param envOf returns additional variables for one server
 */
export const startListed = async <Count extends 1 | 2 | 3>(count: Count, env: Env = {}, envOf: EnvOf = () => ({})) =>
  startAll<Services<Count>>(await listed(count, env, envOf));

/** Like `startListed`, with the servers after one in a separate process, which a test may kill or freeze. */
export const startListedWithVictim = async <Count extends 1 | 2>(count: Count, env: Env = {}) =>
  startVictim<Count>(await listed(1 + count, env, () => ({})));

/** Like `startListed`, with two servers in separate processes. */
export async function startListedProcesses(): Promise<[ServerProcess, ServerProcess]> {
  const [first = {}, second = {}] = await listed(2, {}, () => ({}));
  return Promise.all([startProcess({ env: first }), startProcess({ env: second })]);
}

/**
 * Starts servers that find each other through Valkey.
 * @param env variables for all servers
 * @param envOf returns additional variables for one server
 */
export const startRegistered = async <Count extends 1 | 2 | 3>(
  count: Count,
  valkey: Valkey,
  env: Env = {},
  envOf: EnvOf = () => ({}),
) => startAll<Services<Count>>(await registered(count, valkey, env, envOf));

/** Like `startRegistered`, with the servers after one in a separate process, which a test may kill or freeze. */
export const startRegisteredWithVictim = async <Count extends 1 | 2>(count: Count, valkey: Valkey, env: Env = {}) =>
  startVictim<Count>(await registered(1 + count, valkey, env, () => ({})));

/** Restarts a server that has exited, at the same address and with new directories. */
export function restartServer({ env }: Service): Promise<Service> {
  const own = ['TOKEN', 'HOST', 'PORT', 'NODE_URL', 'NODE_NAME', 'CLUSTER_NODES', 'CLUSTER_URL', 'CLUSTER_SECRET'];
  return startService({ env: pick(env, [...own, 'SPARES', 'CONCURRENT', 'QUEUED', 'SHUTDOWN_DELAY_MS']) });
}

const pick = (env: Env, names: readonly string[]): Env =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));

/** Adds a server in a separate process to the cluster of a server that `startRegistered` started. */
export async function joinRegistered({ env }: Service): Promise<ServerProcess> {
  const { HOST = '' } = env;
  const port = await freePort(HOST);
  const names = ['TOKEN', 'TOKENS_FILE', 'CLUSTER_URL', 'CLUSTER_SECRET', 'CONCURRENT', 'QUEUED', 'DRAIN_TIMEOUT_MS'];
  const own = { SPARES: '0', HOST, PORT: String(port), NODE_URL: `http://${HOST}:${port}` };
  return startProcess({ env: { ...pick(env, names), ...own } });
}

/** Returns a function that cycles through the other servers. */
export function others(all: readonly Service[], home: Service): () => Service {
  const rest = all.filter((each) => each !== home);
  let turn = 0;
  return () => {
    const next = rest[turn++ % rest.length];
    if (!next) throw new Error('there is no other server');
    return next;
  };
}
