// Measures the CPU time and memory of a process tree from /proc. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../support/until.ts';

/** Clock ticks per second of /proc/<pid>/stat: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

interface Usage {
  pid: number;
  parent: number;
  /** Ticks of the process and of exited children that it has waited for. */
  ticks: number;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process exited after the listing.
    return '';
  }
}

function usageOf(pid: number): Usage | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  // The command in parentheses may contain spaces, so count the fields from its end; the first after it is field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { pid, parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
}

/** A process and its descendants, including zombies, whose time is not yet in their parent's sum. */
function tree(root: number): Usage[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (usageOf(Number(name)) ?? []) : []));
  const members = new Set([root]);
  for (let before = 0; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return all.filter(({ pid }) => members.has(pid));
}

/** The currently running processes of a tree. */
export function treePids(root: number): number[] {
  return tree(root).map(({ pid }) => pid);
}

/**
 * CPU seconds that a tree has used so far. To measure, subtract two readings: a renderer that exited in between
 * is in the sum of the zygote that waited for it.
 */
export function cpuSeconds(root: number): number {
  return tree(root).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** CPU seconds of one process alone. */
export function processCpuSeconds(pid: number): number {
  return (usageOf(pid)?.ticks ?? 0) / ticksPerSecond;
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

/** Proportional memory (PSS) of one process, in bytes. */
export function processPss(pid: number): number {
  return kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss') * 1024;
}

/** Private memory (RssAnon) of one process in bytes: memory not shared with other processes of the same program. */
export function privateMemory(pid: number): number {
  return kilobytes(read(`/proc/${pid}/status`), 'RssAnon') * 1024;
}

/** Resident memory (RSS) of one process, in bytes. */
export function processRss(pid: number): number {
  return kilobytes(read(`/proc/${pid}/status`), 'VmRSS') * 1024;
}

/** Proportional memory (PSS) of a whole tree, in bytes. */
export function treePss(root: number): number {
  return pssOf(tree(root));
}

function pssOf(members: readonly Usage[]): number {
  return members.reduce((sum, { pid }) => sum + processPss(pid), 0);
}

/** Rough number of pages that only this tree has mapped, from `statm`, which costs next to nothing to read. */
function unsharedPages(members: readonly Usage[]): number {
  return members.reduce((sum, { pid }) => {
    const [, resident = 0, shared = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number);
    return sum + resident - shared;
  }, 0);
}

/** Growth of a tree after which its PSS is always read again. */
const notableGrowth = 1.1;

/**
 * The highest PSS of a tree while the work runs, in bytes, to within a tenth. Checks four times a second. Reading the
 * PSS slows down processes, and there may be hundreds, so it is read whenever the tree has grown, and apart from that
 * for at most a twentieth of the time.
 */
export async function peakPss(root: number, work: Promise<unknown>): Promise<number> {
  let peak = 0;
  let highest = 0;
  let next = 0;
  let running = true;
  const done = work.finally(() => {
    running = false;
  });
  while (running) {
    const members = tree(root);
    const pages = unsharedPages(members);
    const began = performance.now();
    if (began >= next || pages > highest * notableGrowth) {
      highest = Math.max(highest, pages);
      peak = Math.max(peak, pssOf(members));
      next = performance.now() + 20 * (performance.now() - began);
    }
    await pause(250);
  }
  await done;
  return peak;
}

/**
 * Waits until the trees are idle at two checks in a row, so that work that one contender does after its response is not
 * attributed to the other. Gives up after 2 s: by then, something else is keeping the machine busy.
 */
export async function settle(roots: readonly number[]): Promise<void> {
  const total = () => roots.reduce((sum, root) => sum + cpuSeconds(root), 0);
  const end = performance.now() + 2_000;
  let last = total();
  for (let quiet = 0; quiet < 2 && performance.now() < end;) {
    await pause(20);
    const next = total();
    quiet = next - last < 1.5 / ticksPerSecond ? quiet + 1 : 0;
    last = next;
  }
}

/** Waits until a server and its browsers are idle and do not start anything new after a pause. */
export async function atRest(pid: number): Promise<void> {
  await until(
    'the server to become idle',
    async () => {
      const before = cpuSeconds(pid);
      await pause(500);
      return cpuSeconds(pid) - before < 0.05;
    },
    120_000,
  );
}

/** The median of the values (the upper one of two in the middle); NaN if there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the given share of the values lies; `quantile(v, 1)` is the highest. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
