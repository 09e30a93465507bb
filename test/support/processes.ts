// Lists the machine's processes from /proc, to verify that a server left none behind. Every list is empty on systems
// other than Linux.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Start time in clock ticks: pid and start time together identify a process even after the pid is reused. */
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

/** Parent and start time of a living process. */
function statOf(pid: string | number): { parent: number; start: string } | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The command in parentheses may contain spaces, so count the fields from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = 'X', parent = '0'] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return { parent: Number(parent), start: fields[19] ?? '' };
}

/** Every living process, without zombies. */
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

/** Zombies: child processes that have exited and that the parent has not waited for. */
export function zombiesOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' && Number(ppid) === parent ? [Number(name)] : [];
  });
}

/** Other processes whose command line or environment contains the text, such as a directory of a test. */
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

/** The given processes that are still alive. */
export function stillAlive(processes: ProcessInfo[]): ProcessInfo[] {
  return processes.filter(({ pid, start }) => statOf(pid)?.start === start);
}

/** Kills processes that a test started and left behind. */
export function endProcesses(processes: ProcessInfo[]): void {
  for (const { pid } of stillAlive(processes)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It exited between the check and the signal.
    }
  }
}

/** Kills the Chromium renderers among the processes, which crashes their pages. */
export function endRenderers(processes: ProcessInfo[]): void {
  const renderers = processes.filter(({ command }) => command.includes('--type=renderer'));
  if (renderers.length === 0) throw new Error('there is no renderer to kill');
  endProcesses(renderers);
}
