// How the load of the CPUs is measured, and when an overload begins and ends. The test needs a machine that is otherwise
// idle, and keeps it busy.
// @alone
import * as assert from 'uvu/assert';
import { busyProcessors } from '../support/processors.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('overload of the CPUs', { timeoutMs: 90_000 });

const isRefused = async (service: Service): Promise<boolean> =>
  (await service.post('/content', { html: 'x' })).status === 429;

/** Requests /pressure, because a request that needs a browser would itself add load. */
const isReady = async (service: Service): Promise<boolean> =>
  (await service.get('/pressure', { headers: { accept: 'text/plain' } })).status === 200;

test.proves('HEALTH MAX_CPU_PERCENT CPU_SAMPLE_INTERVAL_MS CPU_EMA_ALPHA CPU_OVERLOAD_HYSTERESIS');
test('the sample interval, the smoothing and the end of an overload follow the settings', async () => {
  const quick = {
    SPARES: '0',
    HEALTH: 'true',
    MACHINE_STATS_SOURCE: 'host',
    MAX_CPU_PERCENT: '90',
    CPU_SAMPLE_INTERVAL_MS: '100',
    CPU_EMA_ALPHA: '1',
    CPU_OVERLOAD_HYSTERESIS: '0',
  };
  const lower = { ...quick, MAX_CPU_PERCENT: '60' };
  const envs = [
    quick,
    lower,
    // With a weight of 0.01, the average falls slowly, and never below 60 before a measurement does.
    { ...lower, CPU_EMA_ALPHA: '0.01' },
    { ...quick, CPU_SAMPLE_INTERVAL_MS: '3600000' },
    { ...quick, CPU_OVERLOAD_HYSTERESIS: '90' },
    // The overload would end below 0, so it never does; with a different limit, it would.
    { ...quick, MAX_CPU_PERCENT: '1', CPU_OVERLOAD_HYSTERESIS: '1' },
  ];
  const services = await Promise.all(envs.map((env) => startService({ env })));
  let rest = () => {};
  try {
    const quickly = services.slice(0, 2);
    // Start their browsers now, not after the overload. The others take their first measurement while the CPUs are busy.
    await Promise.all(quickly.map(isRefused));
    rest = busyProcessors();
    const refusing = (those: Service[]) => Promise.all(those.map(isRefused));
    // The service that measures once must not do so before the CPUs are fully busy.
    await until('the overload', async () => (await refusing(quickly)).every(Boolean), 60_000);
    await until('the overload of all servers', async () => (await refusing(services)).every(Boolean), 60_000);
    rest();
    // Each service measures on its own schedule: this many checks take longer than two measurements, but far less than
    // the fifty measurements that a weight of 0.01 needs.
    let looks = 15;
    const ended = () => Promise.all(quickly.map(isReady));
    await until('the end of the overload', async () => (await ended()).every(Boolean) && --looks === 0, 60_000);
    assert.equal(await refusing(services.slice(2)), [true, true, true, true], 'the others are still overloaded');
  } finally {
    rest();
    await stopAll(...services);
  }
});
