// The load of the machine or the container: which files are read, how it is smoothed, when an overload starts and ends.
import * as assert from 'uvu/assert';
import { Monitor, type MonitorSettings } from '../../src/control/admission/monitor.ts';
import { hostLoad, now, processorCount } from '../../src/base/runtime/machine.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('load of the machine');
const root = '/sys/fs/cgroup';
const megabyte = 2 ** 20;

const monitorOf = (read: (path: string) => string | undefined, settings: Partial<MonitorSettings> = {}) =>
  new Monitor(
    {
      MACHINE_STATS_SOURCE: 'auto',
      CPU_SAMPLE_INTERVAL_MS: 5,
      CPU_EMA_ALPHA: 0.3,
      MAX_CPU_PERCENT: 90,
      MAX_MEMORY_PERCENT: 90,
      CPU_OVERLOAD_HYSTERESIS: 20,
      ...settings,
    },
    read,
  );

/** A container with these files, whose share of busy CPUs the tests set. */
function container(files: Record<string, string>, processors: number = processorCount) {
  let [used, last, share] = [0, now(), 0];
  const seconds = () => {
    const time = now();
    used += ((time - last) / 1_000) * share * processors;
    last = time;
    return used;
  };
  return {
    busy(next: number) {
      seconds();
      share = next;
    },
    read(path: string): string | undefined {
      const text = files[path.slice(root.length + 1)];
      return text?.replace('USEC', String(Math.round(seconds() * 1e6))).replace('NSEC', String(seconds() * 1e9));
    },
  };
}

const version2 = { 'cpu.stat': 'usage_usec USEC\nuser_usec 1\n', 'cpu.max': 'max 100000\n', 'memory.current': '0\n' };
const version1 = {
  'cpuacct/cpuacct.usage': 'NSEC\n',
  'cpu/cpu.cfs_quota_us': '-1\n',
  'cpu/cpu.cfs_period_us': '100000\n',
  'memory/memory.usage_in_bytes': `${64 * megabyte}\n`,
  'memory/memory.limit_in_bytes': `${256 * megabyte}\n`,
};

/** Waits for a smoothed CPU load. */
const cpuOf = (monitor: Monitor, isExpected: (percent: number) => boolean) =>
  until('the load', async () => isExpected((await monitor.current()).cpu));

test.peer('management and settings');
test('cgroup v2 files are preferred over v1 files, and both are read with their limits', async () => {
  const newer = {
    ...version2,
    'cpu.max': '50000 100000\n',
    'memory.current': `${32 * megabyte}\n`,
    'memory.max': `${64 * megabyte}\n`,
  };
  for (const [files, processors, memory] of [
    [{ ...version1, ...newer }, 0.5, 50],
    [{ ...version1, 'cpu/cpu.cfs_quota_us': '200000\n' }, 2, 25],
  ] as const) {
    const { read, busy } = container(files, processors);
    busy(0.6);
    const monitor = monitorOf(read, { MACHINE_STATS_SOURCE: 'cgroup' });
    assert.is((await monitor.current()).memory, memory);
    await cpuOf(monitor, (percent) => Math.abs(percent - 60) <= 3);
    monitor.stop();
  }
});

test.peer('management and settings');
test('a container without limits has the limits of the machine', async () => {
  const huge = { ...version1, 'memory/memory.limit_in_bytes': '9223372036854771712\n' };
  for (const files of [{ ...version2, 'memory.max': 'max\n' }, huge]) {
    const { read, busy } = container(files);
    busy(0.5);
    const monitor = monitorOf(read);
    const { memoryUsedBytes, memoryTotalBytes } = hostLoad();
    const { memory } = await monitor.current();
    assert.ok(Math.abs(memory - (memoryUsedBytes / memoryTotalBytes) * 100) < 10, `${memory} percent`);
    await cpuOf(monitor, (percent) => Math.abs(percent - 50) <= 3);
    monitor.stop();
  }
});

test.proves('MACHINE_STATS_SOURCE');
test.peer('management and settings');
test('uses the load of the machine if the cgroup files are missing or invalid, unless they are required', async () => {
  const damaged = { 'cpu.stat': 'nr_periods 0\n', 'memory.current': 'much\n' };
  for (const files of [{}, damaged]) {
    const { read } = container(files);
    assert.throws(
      () => monitorOf(read, { MACHINE_STATS_SOURCE: 'cgroup' }),
      /MACHINE_STATS_SOURCE=cgroup, but there are no/,
    );
    const monitor = monitorOf(read);
    const { cpu, memory } = await monitor.current();
    assert.ok(cpu >= 0 && cpu <= 100 && memory > 0 && memory <= 100);
    monitor.stop();
  }
  const { read } = container(version1);
  const host = monitorOf(read, { MACHINE_STATS_SOURCE: 'host' });
  const { memoryUsedBytes, memoryTotalBytes } = hostLoad();
  assert.ok(Math.abs((await host.current()).memory - (memoryUsedBytes / memoryTotalBytes) * 100) < 10);
  host.stop();
});

test.peer('management and settings');
test('there is no value before the first sample, and current() waits for it', async () => {
  const { read, busy } = container(version2);
  busy(1);
  const monitor = monitorOf(read);
  assert.equal(monitor.latest(), { cpu: null, memory: null });
  const { cpu } = await monitor.current();
  // A pause of this process between a sample's two clock readings lowers the value.
  assert.ok(cpu > 50, `${cpu} percent`);
  assert.ok((monitor.latest().cpu ?? 0) > 0.5);
  monitor.stop();
});

test.peer('management and settings');
test('the load is smoothed: a brief spike does not count in full', async () => {
  const { read, busy } = container(version2);
  const monitor = monitorOf(read, { CPU_SAMPLE_INTERVAL_MS: 20, CPU_EMA_ALPHA: 0.05 });
  await monitor.current();
  busy(1);
  const rising: number[] = [];
  await until('the load to rise', async () => rising.push((await monitor.current()).cpu) && (rising.at(-1) ?? 0) > 60);
  assert.ok(
    rising.some((percent) => percent > 5 && percent < 50),
    rising.join(' '),
  );
  monitor.stop();
});

test.peer('management and settings');
test('an overload starts at the limit and ends well below it', async () => {
  const { read, busy } = container(version2);
  // A pause of this process between a sample's two clock readings must matter little, so use longer samples with less
  // weight.
  const monitor = monitorOf(read, { CPU_SAMPLE_INTERVAL_MS: 20, CPU_EMA_ALPHA: 0.1 });
  const overloaded = async () => (await monitor.current()).overloaded;
  busy(0.8);
  await cpuOf(monitor, (percent) => percent >= 78);
  assert.is(await overloaded(), undefined, 'below the limit, it has not started');
  busy(1);
  await until('the overload', async () => (await overloaded()) === 'cpu');
  busy(0.8);
  await cpuOf(monitor, (percent) => percent <= 82);
  assert.is(await overloaded(), 'cpu', 'slightly below the limit, it continues');
  busy(0.5);
  await until('its end', async () => (await overloaded()) === undefined);
  monitor.stop();
});

test('memory over its limit is an overload, and is reported before a CPU overload', async () => {
  const { read, busy } = container(version1);
  busy(1);
  const monitor = monitorOf(read, { MAX_MEMORY_PERCENT: 25 });
  await until('the CPU load', async () => (await monitor.current()).cpu > 95);
  assert.is((await monitor.current()).overloaded, 'memory');
  monitor.stop();
});

test.peer('management and settings', 'load: no sampling after shutdown');
test('reads nothing after it is stopped', async () => {
  const { read } = container(version2);
  let reads = 0;
  const monitor = monitorOf((path) => (reads++, read(path)));
  await monitor.current();
  monitor.stop();
  const before = reads;
  const since = now();
  await until('several intervals', () => now() - since > 50);
  assert.is(reads, before);
});
