/**
 * Reads the memory of process groups from /proc. Remembers the group of each process, because a look at every process
 * of a machine costs as much as hundreds of commands of clients.
 */
import { readdir } from 'node:fs/promises';
import { now, readSystemFile } from './machine.ts';

const pageBytes = 4096;
/** The system gives the ids of processes that have ended to others: all groups are read again after this time. */
const rememberMs = 10_000;

interface MemberMemory {
  pid: number;
  /** The process group. */
  group: number;
  /** Private memory of the process: resident minus shared pages. */
  bytes: number;
}

let groupOf = new Map<string, number>();
let readAt = -Infinity;

/**
 * The processes of these groups and their memory; empty without /proc.
 * @param when `afresh` for groups whose processes have only just started
 */
export async function groupMemory(groups: ReadonlySet<number>, when?: 'afresh'): Promise<MemberMemory[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stale = when === 'afresh' || now() - readAt > rememberMs;
  if (stale) readAt = now();
  const known = stale ? new Map<string, number>() : groupOf;
  groupOf = new Map(ids.map((id) => [id, known.get(id) ?? readGroup(id)]));
  return ids.flatMap((id) => {
    const group = groupOf.get(id) ?? 0;
    if (!groups.has(group)) return [];
    const [, resident = 0, shared = 0] = (readSystemFile(`/proc/${id}/statm`) ?? '').split(' ').map(Number);
    return [{ pid: Number(id), group, bytes: (resident - shared) * pageBytes }];
  });
}

/** The process group; 0 once the process has ended. */
function readGroup(id: string): number {
  const stat = readSystemFile(`/proc/${id}/stat`) ?? '';
  // Field 5, counted after the command's closing parenthesis.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] ?? 0);
}
