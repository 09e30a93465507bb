// Looks at the machine's processes through /proc, to prove that a server left none behind. Elsewhere than on Linux
// every answer is empty.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Start time in clock ticks: pid and start together name one process for good. */
  start: string;
  command: string;
  environment: string;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Parent and start time of a process that lives. */
function statOf(pid: string | number): { parent: number; start: string } | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The command in parentheses may hold blanks, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = 'X', parent = '0'] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return { parent: Number(parent), start: fields[19] ?? '' };
}

/** Every process that is alive now; zombies have ended and are left out. */
export function listProcesses(): ProcessInfo[] {
  if (!existsSync('/proc/self/stat')) return [];
  const found: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    if (!stat) continue;
    found.push({
      pid: Number(name),
      ...stat,
      command: read(`/proc/${name}/cmdline`),
      environment: read(`/proc/${name}/environ`),
    });
  }
  return found;
}

/** Children that have ended and that nobody has asked about. */
export function zombiesOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' && Number(ppid) === parent ? [Number(name)] : [];
  });
}

/** Processes (not this one) that name the text in their command line or environment, such as a directory of ours. */
export function processesMentioning(text: string): ProcessInfo[] {
  return listProcesses().filter(
    ({ pid, command, environment }) => pid !== process.pid && (command.includes(text) || environment.includes(text)),
  );
}

/** A process and all its living descendants. */
export function processTree(root: number): ProcessInfo[] {
  const all = listProcesses();
  const members = new Set([root]);
  for (let before = 0; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  return all.filter(({ pid }) => members.has(pid));
}

/** Those of the given processes that still live. */
export function stillAlive(processes: ProcessInfo[]): ProcessInfo[] {
  return processes.filter(({ pid, start }) => statOf(pid)?.start === start);
}

/** Kills processes that a test started and lost. */
export function endProcesses(processes: ProcessInfo[]): void {
  for (const { pid } of stillAlive(processes)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended between the look and the signal.
    }
  }
}
