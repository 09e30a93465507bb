// Reads Valkey's own statistics: CPU time, time in scripts, memory, bytes and connections.
import type { Redis } from 'iovalkey';

interface Counters {
  atMs: number;
  cpuSeconds: number;
  scripts: number;
  scriptMicroseconds: number;
  bytesIn: number;
  bytesOut: number;
}

/** Valkey's work between two points in time. */
export interface Work {
  seconds: number;
  /** Number of scripts run. */
  scripts: number;
  /** Microseconds per script inside Valkey, without the network. */
  scriptMicroseconds: number;
  /** Microseconds of CPU time per script, including the network. */
  cpuMicroseconds: number;
  /** CPU seconds per second. */
  cores: number;
  bytesInPerSecond: number;
  bytesOutPerSecond: number;
}

async function fields(inspector: Redis): Promise<Map<string, string>> {
  const text = (await inspector.call('INFO', 'everything')) as string;
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
}

async function counters(inspector: Redis): Promise<Counters> {
  const told = await fields(inspector);
  const number = (name: string) => Number(told.get(name) ?? 0);
  const of = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(told.get('cmdstat_evalsha') ?? '')?.[1] ?? 0);
  return {
    atMs: performance.now(),
    cpuSeconds: number('used_cpu_user') + number('used_cpu_sys'),
    scripts: of('calls'),
    scriptMicroseconds: of('usec'),
    bytesIn: number('total_net_input_bytes'),
    bytesOut: number('total_net_output_bytes'),
  };
}

/** Measures Valkey's work during `run`. */
export async function workOf(inspector: Redis, run: () => Promise<unknown>): Promise<Work> {
  const before = await counters(inspector);
  await run();
  const after = await counters(inspector);
  const seconds = (after.atMs - before.atMs) / 1_000;
  const scripts = after.scripts - before.scripts;
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return {
    seconds,
    scripts,
    scriptMicroseconds: (after.scriptMicroseconds - before.scriptMicroseconds) / scripts,
    cpuMicroseconds: (cpuSeconds * 1e6) / scripts,
    cores: cpuSeconds / seconds,
    bytesInPerSecond: (after.bytesIn - before.bytesIn) / seconds,
    bytesOutPerSecond: (after.bytesOut - before.bytesOut) / seconds,
  };
}

/** Valkey's memory in bytes and its number of connections. */
export async function sizeOf(inspector: Redis): Promise<{ bytes: number; connections: number }> {
  const told = await fields(inspector);
  return { bytes: Number(told.get('used_memory')), connections: Number(told.get('connected_clients')) };
}
