/**
 * Measures the CPU and memory use of the machine or its container. The CPU load is smoothed, so that one busy second
 * does not cause a refusal; an overload ends only well below the limit.
 */
import type { Config } from '../../base/config/config.ts';
import { ExitError } from '../../base/exit-codes.ts';
import { hostLoad, now, processorCount, readSystemFile } from '../../base/runtime/machine.ts';

/** The settings that the monitor uses. */
export type MonitorSettings = Pick<
  Config,
  | 'MACHINE_STATS_SOURCE'
  | 'CPU_SAMPLE_INTERVAL_MS'
  | 'CPU_EMA_ALPHA'
  | 'MAX_CPU_PERCENT'
  | 'MAX_MEMORY_PERCENT'
  | 'CPU_OVERLOAD_HYSTERESIS'
>;

/** One reading: CPU time used and available so far, and memory. */
export interface LoadReading {
  /** CPU time used so far, in the unit of `capacity`. */
  busy: number;
  capacity: number;
  memoryUsed: number;
  memoryLimit: number;
  /** Number of CPUs that the server may use; may be fractional. */
  processors: number;
  /** True when a container limits the memory or the CPUs. */
  isLimited: boolean;
}

export interface Load {
  /** Percent of the CPUs that the server may use. */
  cpu: number;
  /** Percent of the memory that the server may use. */
  memory: number;
  overloaded: 'cpu' | 'memory' | undefined;
}

export class Monitor {
  readonly #settings: MonitorSettings;
  readonly #read: () => LoadReading;
  #timer: ReturnType<typeof setInterval> | undefined;
  #last: LoadReading;
  #cpu: number | undefined;
  #memory = 0;
  #cpuOverload = false;
  #first: Promise<void> | undefined;

  /**
   * @param read reads a system file; replaced in tests
   * @throws ExitError for the source `cgroup` when there are no cgroup files
   */
  constructor(settings: MonitorSettings, read: (path: string) => string | undefined = readSystemFile) {
    this.#settings = settings;
    this.#read = loadReader(settings.MACHINE_STATS_SOURCE, read);
    this.#last = this.#read();
  }

  /** The smoothed load; the first call starts sampling and waits for the first sample. */
  async current(): Promise<Load> {
    await this.#start();
    return { cpu: Math.round(this.#cpu ?? 0), memory: Math.round(this.#memory), overloaded: this.overloaded };
  }

  /** The resource that was over its limit at the last sample. */
  get overloaded(): Load['overloaded'] {
    // Memory first: the kernel kills processes when it runs out.
    if (this.#memory >= this.#settings.MAX_MEMORY_PERCENT) return 'memory';
    return this.#cpuOverload ? 'cpu' : undefined;
  }

  /** The last values, each 0 to 1, or null before the first sample; does not start sampling. */
  latest(): { cpu: number | null; memory: number | null } {
    if (this.#cpu === undefined) return { cpu: null, memory: null };
    return { cpu: this.#cpu / 100, memory: this.#memory / 100 };
  }

  /** Memory in use and memory that the server may use, in bytes, at the last sample. */
  get memory(): { used: number; limit: number } {
    return { used: this.#last.memoryUsed, limit: this.#last.memoryLimit };
  }

  /** The CPUs that the server may use, and whether a container limits them or the memory. */
  get machine(): { processors: number; isLimited: boolean } {
    return { processors: this.#last.processors, isLimited: this.#last.isLimited };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #start(): Promise<void> {
    this.#first ??= new Promise((resolve) => {
      this.#last = this.#read();
      // The first sample comes early, so that the first caller does not wait for a whole interval.
      setTimeout(
        () => {
          this.#sample();
          resolve();
          this.#timer ??= setInterval(() => this.#sample(), this.#settings.CPU_SAMPLE_INTERVAL_MS);
          // Sampling alone must not keep the process alive (Deno and Node return a timer object here).
          if (typeof this.#timer === 'object') this.#timer.unref();
        },
        Math.min(100, this.#settings.CPU_SAMPLE_INTERVAL_MS),
      );
    });
    return this.#first;
  }

  #sample(): void {
    const reading = this.#read();
    const capacity = reading.capacity - this.#last.capacity;
    const percent =
      capacity > 0 ? Math.min(100, ((reading.busy - this.#last.busy) / capacity) * 100) : (this.#cpu ?? 0);
    this.#last = reading;
    this.#cpu = this.#cpu === undefined ? percent : this.#cpu + (percent - this.#cpu) * this.#settings.CPU_EMA_ALPHA;
    this.#memory = reading.memoryLimit > 0 ? (reading.memoryUsed / reading.memoryLimit) * 100 : 0;
    const limit = this.#settings.MAX_CPU_PERCENT;
    if (this.#cpu >= limit) this.#cpuOverload = true;
    else if (this.#cpu < limit - this.#settings.CPU_OVERLOAD_HYSTERESIS) this.#cpuOverload = false;
  }
}

/** @throws ExitError for the source `cgroup` when there are no cgroup files */
function loadReader(
  source: MonitorSettings['MACHINE_STATS_SOURCE'],
  read: (path: string) => string | undefined,
): () => LoadReading {
  if (source === 'host') return readHost;
  const cgroup = cgroupReader(read);
  if (cgroup) return cgroup;
  if (source === 'cgroup') {
    throw new ExitError(
      'configuration',
      'MACHINE_STATS_SOURCE=cgroup, but there are no cgroup files in /sys/fs/cgroup; use auto or host',
    );
  }
  return readHost;
}

function readHost(): LoadReading {
  const { busy, total, memoryUsedBytes, memoryTotalBytes } = hostLoad();
  return {
    busy,
    capacity: total,
    memoryUsed: memoryUsedBytes,
    memoryLimit: memoryTotalBytes,
    processors: processorCount,
    isLimited: false,
  };
}

/** A limit above this means no limit: cgroup v1 reports the largest possible number of pages. */
const unboundedBytes = 2 ** 60;

function cgroupReader(read: (path: string) => string | undefined): (() => LoadReading) | undefined {
  const root = '/sys/fs/cgroup';
  const number = (path: string) => {
    const text = read(path)?.trim();
    const value = text === undefined || text === '' || text === 'max' ? NaN : Number(text);
    return Number.isFinite(value) && value >= 0 && value < unboundedBytes ? value : undefined;
  };
  const version2 = () => {
    const seconds = Number(/^usage_usec (\d+)/m.exec(read(`${root}/cpu.stat`) ?? '')?.[1] ?? NaN) / 1e6;
    const [quota, period] = (read(`${root}/cpu.max`) ?? '').trim().split(/\s+/).map(Number);
    const used = number(`${root}/memory.current`);
    return {
      seconds,
      processors: quota && period ? quota / period : undefined,
      used,
      limit: number(`${root}/memory.max`),
    };
  };
  const version1 = () => {
    const quota = number(`${root}/cpu/cpu.cfs_quota_us`);
    const period = number(`${root}/cpu/cpu.cfs_period_us`);
    return {
      seconds: (number(`${root}/cpuacct/cpuacct.usage`) ?? NaN) / 1e9,
      processors: quota && period ? quota / period : undefined,
      used: number(`${root}/memory/memory.usage_in_bytes`),
      limit: number(`${root}/memory/memory.limit_in_bytes`),
    };
  };
  const readings = [version2, version1].find((version) => {
    const { seconds, used } = version();
    return Number.isFinite(seconds) && used !== undefined;
  });
  if (!readings) return undefined;
  return () => {
    const { seconds, processors, used, limit } = readings();
    const host = hostLoad();
    return {
      busy: Number.isFinite(seconds) ? seconds : 0,
      capacity: (now() / 1_000) * (processors ?? processorCount),
      // A container without a memory limit shares the machine's memory, so that counts.
      memoryUsed: limit === undefined ? host.memoryUsedBytes : (used ?? 0),
      memoryLimit: Math.min(limit ?? host.memoryTotalBytes, host.memoryTotalBytes),
      processors: processors ?? processorCount,
      isLimited: limit !== undefined || processors !== undefined,
    };
  };
}
