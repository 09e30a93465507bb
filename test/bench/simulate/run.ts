// `npm run simulate` measures how much one Valkey can handle. Drives the registry's scripts with the load of many
// servers and prints the numbers for the documentation page on large clusters. Exits with 1 if a slot was granted twice
// or a flood made a quiet tenant wait more than 1.2 times as long.
// node test/bench/simulate/run.ts [--nodes=1000] [--slots=50] [--seconds=40] [--connections=50] [--hold=60]
import process from 'node:process';
import { parseArgs } from 'node:util';
import { registryLimits } from '../../../src/base/limits.ts';
import { startValkey } from '../../support/valkey.ts';
import { described } from './outcome.ts';
import { simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    slots: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '40' },
    connections: { type: 'string', default: '50' },
    hold: { type: 'string', default: '60' },
  },
});
function count(name: keyof typeof values): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number, at least 1`);
  return value;
}

const { beatMs, lifeMs, leaseMs, renewMs } = registryLimits;
const valkey = await startValkey();
try {
  const outcome = await simulate(valkey, {
    servers: count('nodes'),
    slots: count('slots'),
    seconds: count('seconds'),
    connections: Math.min(count('connections'), count('nodes')),
    holdSeconds: count('hold'),
    timing: { beat: beatMs, life: lifeMs, lease: leaseMs, renew: renewMs },
    lastLeaseMs: 4_000,
    report: (line) => console.error(line),
  });
  console.log(described(outcome));
  const { quietAlone, quietBesideFlood } = outcome.queues;
  const isFair = quietBesideFlood.p95 <= 1.2 * quietAlone.p95;
  if (outcome.violations.length > 0 || !isFair) process.exitCode = 1;
} finally {
  await valkey.stop();
}
