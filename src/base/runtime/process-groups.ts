/**
 * Reads the memory and CPU time of process groups from /proc. Remembers the group of each process, because scanning all
 * processes of a machine costs as much as hundreds of client commands.
 */
import { readdir } from 'node:fs/promises';
import { now, readSystemFile } from './machine.ts';

const pageBytes = 4096;
/**
 * Time in milliseconds after which all groups are read again, because the system reuses the ids of processes that have
 * exited.
 */
const rememberMs = 10_000;

interface MemberMemory {
  pid: number;
  /** The process group. */
  group: number;
  /** Private memory of the process: resident minus shared pages. */
  bytes: number;
}

interface MemberTime {
  pid: number;
  /** CPU time of all its threads since it started, in milliseconds. */
  ms: number;
}

/** Linux counts CPU time in this many ticks per second on every architecture (USER_HZ). */
const ticksPerSecond = 100;

let groupOf = new Map<string, number>();
let readAt = -Infinity;

/**
 * The processes of these groups and their memory; empty if there is no /proc.
 * @param when `afresh` for groups whose processes have only just started
 */
export async function groupMemory(groups: ReadonlySet<number>, when?: 'afresh'): Promise<MemberMemory[]> {
  return (await membersOf(groups, when)).map(({ id, group }) => {
    const [, resident = 0, shared = 0] = (readSystemFile(`/proc/${id}/statm`) ?? '').split(' ').map(Number);
    return { pid: Number(id), group, bytes: (resident - shared) * pageBytes };
  });
}

/** The processes of these groups and the CPU time that they have used; empty if there is no /proc. */
export async function groupTime(groups: ReadonlySet<number>): Promise<MemberTime[]> {
  return (await membersOf(groups)).map(({ id }) => {
    const fields = fieldsOf(id);
    // Fields 14 and 15 of proc_pid_stat(5): time in user mode and in the kernel.
    return { pid: Number(id), ms: ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1_000) / ticksPerSecond };
  });
}

async function membersOf(groups: ReadonlySet<number>, when?: 'afresh'): Promise<{ id: string; group: number }[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stale = when === 'afresh' || now() - readAt > rememberMs;
  if (stale) readAt = now();
  const known = stale ? new Map<string, number>() : groupOf;
  groupOf = new Map(ids.map((id) => [id, known.get(id) ?? readGroup(id)]));
  return ids.flatMap((id) => {
    const group = groupOf.get(id) ?? 0;
    return groups.has(group) ? [{ id, group }] : [];
  });
}

/** The process group; 0 once the process has exited. */
function readGroup(id: string): number {
  // Field 5 of proc_pid_stat(5).
  return Number(fieldsOf(id)[2] ?? 0);
}

/** The fields of proc_pid_stat(5) from the third on: the second, the command, may contain spaces. */
function fieldsOf(id: string): string[] {
  const stat = readSystemFile(`/proc/${id}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
