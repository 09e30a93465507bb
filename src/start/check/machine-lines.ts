/** Reports the memory, CPUs, and limits of the machine or container, and how many concurrent requests they allow. */
import { Monitor } from '../../control/admission/monitor.ts';
import type { Config } from '../../base/config/config.ts';
import { ExitError } from '../../base/exit-codes.ts';
import { freeBytes } from '../../base/runtime/disk.ts';
import { platform, readSystemFile, runtimeName } from '../../base/runtime/machine.ts';
import { serviceVersion } from '../../base/version.ts';
import { type Line, note, ok, problem, sizeOf } from './line.ts';

/** Memory that the documentation recommends: for the server and its browser, and for each concurrent request. */
const baseBytes = 512 * 2 ** 20;
const callBytes = 50 * 2 ** 20;
/** A separate browser process has a few hundred files open, and the server a few for each request. */
const filesPerCall = 50;
const baseFiles = 512;

export async function machineLines(config: Config): Promise<Line[]> {
  return [
    ok('version', `browserd ${serviceVersion} on ${runtimeName}`),
    ...loadLines(config),
    ...(await sharedMemoryLine()),
    ...fileLines(config),
  ];
}

function loadLines(config: Config): Line[] {
  let monitor: Monitor;
  try {
    monitor = new Monitor(config);
  } catch (error) {
    if (error instanceof ExitError) return [problem('memory', error.message, 'configuration')];
    throw error;
  }
  const { used, limit } = monitor.memory;
  const { processors, isLimited } = monitor.machine;
  const of = isLimited ? 'container' : 'machine';
  return [
    ok('memory', `${sizeOf(limit)} (${of}), ${sizeOf(used)} in use`),
    ok('processors', `${Number(processors.toFixed(2))} (${of})`),
    callsLine(config.CONCURRENT, Math.floor((limit - baseBytes) / callBytes), 'memory'),
  ];
}

/** @param room how many concurrent requests fit */
function callsLine(concurrent: number, room: number, of: string): Line {
  if (room >= concurrent) return ok('concurrency', `CONCURRENT=${concurrent}: enough ${of}`);
  return note(
    'concurrency',
    `CONCURRENT=${concurrent}, but there is only enough ${of} for ${Math.max(0, room)} concurrent requests. Lower CONCURRENT or add ${of}.`,
  );
}

/**
 * Browsers start with --disable-dev-shm-usage, so the size of /dev/shm matters only if a client removes that switch.
 */
async function sharedMemoryLine(): Promise<Line[]> {
  if (platform !== 'linux') return [];
  const free = await freeBytes('/dev/shm');
  const size = free === undefined ? 'missing' : `${sizeOf(free)} free`;
  return [ok('/dev/shm', `${size}; browsers do not use it`)];
}

function fileLines({ CONCURRENT }: Config): Line[] {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readSystemFile('/proc/self/limits') ?? '') ?? [];
  if (soft === undefined) return [];
  const files = soft === 'unlimited' ? Infinity : Number(soft);
  const needed = baseFiles + filesPerCall * CONCURRENT;
  return [
    files >= needed
      ? ok('open files', soft)
      : note('open files', `${soft}, too few for CONCURRENT=${CONCURRENT}. Raise the limit (ulimit -n) to ${needed}.`),
  ];
}
