// Reads what a server currently holds (processes, files, slots, sockets, sessions), and compares two such states.
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '../support/service.ts';
import { until } from '../support/until.ts';
import { browsersOf } from './faults.ts';

export interface State {
  processes: number;
  browsers: number;
  renderers: number;
  /** Entries directly in SCRATCH_DIR and DATA_DIR: one directory and one marker for each browser. */
  scratchEntries: number;
  dataEntries: number;
  /** Bytes of all files under SCRATCH_DIR and DATA_DIR. */
  bytes: number;
  running: number;
  queued: number;
  sessions: number;
  /** Open sockets of the server's process, including listening sockets. */
  sockets: number;
  /** Processes by kind, to explain a difference; not compared. */
  kinds: string;
}

/** Databases and caches in a browser's profile grow and shrink a little. */
const bytesTolerance = 4 * 2 ** 20;

function bytesBelow(path: string): number {
  try {
    const info = lstatSync(path);
    if (!info.isDirectory()) return info.size;
    return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
  } catch {
    // The entry was removed after the listing.
    return 0;
  }
}

function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

interface Pressure {
  pressure: { running: number; queued: number };
}

async function readState(service: ServerProcess): Promise<State> {
  const { pressure } = (await service.get('/pressure')).json<Pressure>();
  const sessions = (await service.get('/sessions')).json<unknown[]>();
  const processes = service.tree();
  const kinds = processes.map(({ command }) => /--type=(\S+)/.exec(command)?.[1] ?? 'main');
  return {
    processes: processes.length,
    browsers: browsersOf(service).length,
    renderers: kinds.filter((kind) => kind === 'renderer').length,
    scratchEntries: readdirSync(service.scratchDir).length,
    dataEntries: readdirSync(service.dataDir).length,
    bytes: bytesBelow(service.scratchDir) + bytesBelow(service.dataDir),
    running: pressure.running,
    queued: pressure.queued,
    sessions: sessions.length,
    sockets: socketsOf(service.pid),
    kinds: kinds.toSorted().join(' '),
  };
}

/** A message for each difference between the states. */
function differences(start: State, end: State): string[] {
  const compared = [
    'processes',
    'browsers',
    'renderers',
    'scratchEntries',
    'dataEntries',
    'running',
    'queued',
    'sessions',
    'sockets',
  ] as const;
  const found = compared.flatMap((name) =>
    start[name] === end[name] ? [] : [`${name}: ${start[name]} at the start, ${end[name]} at the end`],
  );
  if (end.processes !== start.processes) found.push(`processes at the start: ${start.kinds}; at the end: ${end.kinds}`);
  if (end.bytes - start.bytes > bytesTolerance)
    found.push(`bytes: ${start.bytes} at the start, ${end.bytes} at the end`);
  return found;
}

/** Spare browsers close when no client has requested one for a minute. */
const sparesLimitMs = 100_000;

/**
 * Waits until two readings are equal and nothing is queued: the server still closes things after its responses.
 * @param rests an additional condition. By default nothing may be running.
 */
export async function settledState(
  service: ServerProcess,
  rests: (state: State) => boolean = ({ running }) => running === 0,
): Promise<State> {
  let last = '';
  return until(
    () => `the server to become idle: ${last}`,
    async () => {
      const state = await readState(service);
      const text = JSON.stringify({ ...state, bytes: 0 });
      const same = text === last && state.queued === 0;
      last = text;
      return same && rests(state) ? state : undefined;
    },
    sparesLimitMs,
  );
}

/** Waits until the state equals the earlier state; returns the differences that remain after 100 s. */
export async function awaitState(service: ServerProcess, start: State): Promise<{ end: State; left: string[] }> {
  let end = await readState(service);
  let left = differences(start, end);
  await until(
    'the state to match the initial state',
    async () => {
      end = await readState(service);
      left = differences(start, end);
      return left.length === 0;
    },
    sparesLimitMs,
  ).catch(() => undefined);
  return { end, left };
}
