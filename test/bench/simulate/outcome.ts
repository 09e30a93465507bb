// The results of a simulation, and how they are printed.
import type { Fleet } from './fleet.ts';
import type { Work } from './valkey-figures.ts';

/** Times in milliseconds. */
interface Queue {
  calls: number;
  p50: number;
  p95: number;
}

export interface Outcome {
  violations: string[];
  counts: Fleet['counts'];
  /** Sessions per server once all slots are taken, and in steady use. */
  spread: Record<'filled' | 'steady', { least: number; median: number; most: number }>;
  /** Valkey's work for each script, measured one at a time. */
  alone: Record<'claim' | 'beat' | 'renew' | 'leave' | 'release' | 'crowded', Work>;
  steady: Work & { claimsPerSecond: number; answer: Queue; bytes: number; connections: number };
  queues: Record<'quietAlone' | 'quietBesideFlood' | 'busyBesideFlood' | 'flood', Queue>;
  deaths: { dead: number; lastGrantMs: number; leaseMs: number; backMs: number; joinedSessions: number };
  /** Keys without an expiration that remain after all servers except the dead ones have left. */
  left: string[];
}

/** @param waits in milliseconds */
export function queueOf(waits: readonly number[]): Queue {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { calls: sorted.length, p50: at(0.5), p95: at(0.95) };
}

const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Formats the results for people to read. */
export function described({ violations, counts, spread, alone, steady, queues, deaths, left }: Outcome): string {
  const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    `claims: ${counts.granted} granted, ${counts.quota} rejected at the limit of the tenant, ${counts.full} because no slot was free, ${counts.late} without a reply in time; connections failed ${counts.down} times`,
    violations.length === 0
      ? 'no slot was granted twice, and no tenant exceeded its limit'
      : `violations:\n  ${violations.join('\n  ')}`,
    ...Object.entries(spread).map(
      ([name, { least, median, most }]) => `sessions per server, ${name}: ${least} to ${most}, median ${median}`,
    ),
    ...Object.entries(alone).map(
      ([name, { scripts, scriptMicroseconds, cpuMicroseconds, seconds }]) =>
        `${name}: ${scriptMicroseconds.toFixed(0)} us in the script, ${cpuMicroseconds.toFixed(0)} us of CPU time each; ${scripts} in ${seconds.toFixed(1)} s`,
    ),
    `steady: ${steady.claimsPerSecond.toFixed(0)} claims/s granted, ${(steady.scripts / steady.seconds).toFixed(0)} scripts/s, ${steady.scriptMicroseconds.toFixed(0)} us each in the script, ${steady.cpuMicroseconds.toFixed(0)} us of CPU time; ${(100 * steady.cores).toFixed(1)} % of a core`,
    `steady: ${size(steady.bytesInPerSecond)}/s in, ${size(steady.bytesOutPerSecond)}/s out, ${steady.connections} connections, ${size(steady.bytes)} of memory`,
    `steady: a claim gets its reply in ${ms(steady.answer.p50)} (p50), ${ms(steady.answer.p95)} (p95)`,
    ...Object.entries(queues).map(
      ([name, { calls, p50, p95 }]) => `queue, ${name}: ${ms(p50)} (p50), ${ms(p95)} (p95) over ${calls} requests`,
    ),
    `queue of the quiet tenant during the flood: ${(queues.quietBesideFlood.p95 / queues.quietAlone.p95).toFixed(2)} times as long as without it (p95)`,
    `${deaths.dead} servers died: their last slot was granted ${ms(deaths.lastGrantMs)} later (${counts.sentToDead} requests in total); with a lease of ${ms(deaths.leaseMs)}, their claims had expired after ${ms(deaths.backMs)}`,
    `as many servers joined and had ${deaths.joinedSessions} sessions at the end`,
    `keys left without an expiration: ${left.join(', ')}`,
  ].join('\n');
}
