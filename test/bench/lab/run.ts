// `npm run lab`: opens the lab page and the gate through every endpoint of the service, and compares what pages see
// with the same browser without automation. Exits with 1 when a stealth endpoint shows something that the reference
// does not.
// node test/bench/lab/run.ts [--endpoints=rest,bql] [--rounds=20] [--no-input] [--json=FILE]
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { missing } from '../../support/programs.ts';
import { startProcess } from '../../support/service.ts';
import { endpoints, endpointsNamed } from './endpoints/table.ts';
import { examine, examineReference } from './examine.ts';
import { type Column, type LabTable, printed, stealthFaults } from './print.ts';
import { findReference } from './reference.ts';
import { startLabSite } from './site.ts';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    endpoints: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    input: { type: 'boolean', default: true },
    json: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a positive integer');
const selectedEndpoints = options.endpoints === undefined ? endpoints : endpointsNamed(options.endpoints.split(','));

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopped.abort(new Error(`stopped by ${signal}`)));

async function runLab(): Promise<LabTable> {
  await using site = await startLabSite();
  const reference = await findReference();
  const lab = { site, signal: stopped.signal, rounds, withInput: options.input };
  console.error(`reference: ${reference.title}`);
  const found = await examineReference(reference, lab);
  const service = await startProcess();
  try {
    const columns: Column[] = [];
    for (const endpoint of selectedEndpoints) {
      stopped.signal.throwIfAborted();
      const examined = await examine(endpoint, { ...lab, service });
      console.error(`${endpoint.name}: ${examined.state}, ${(examined.ms / 1_000).toFixed(1)} s`);
      columns.push({ endpoint, examined });
    }
    return { referenceTitle: reference.title, reference: found, columns };
  } finally {
    await service.stop();
  }
}

const lacking = missing('a full Chromium');
if (lacking !== undefined) {
  console.log(`the lab ${lacking}`);
  process.exit(1);
}
const table = await runLab();
console.log(printed(table));
const faults = stealthFaults(table);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ ...table, faults }, undefined, 2));
process.exitCode = faults.length > 0 ? 1 : 0;
