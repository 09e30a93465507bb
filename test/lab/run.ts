// `npm run lab`: opens the lab's page and the gate through every door of the service and compares what pages see with
// the same browser without automation. Exits with 1 when a stealth door shows something that the reference does not.
// node test/lab/run.ts [--doors=rest,bql] [--rounds=20] [--no-input] [--json=FILE]
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { missing } from '../support/programs.ts';
import { startService } from '../support/service.ts';
import { doors, doorsNamed } from './doors/table.ts';
import { examine, examineReference } from './examine.ts';
import { type Column, type LabTable, printed, stealthFaults } from './print.ts';
import { findReference } from './reference.ts';
import { startLabSite } from './site.ts';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    doors: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    input: { type: 'boolean', default: true },
    json: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number from 1');
const wanted = options.doors === undefined ? doors : doorsNamed(options.doors.split(','));

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopped.abort(new Error(`stopped by ${signal}`)));

async function runLab(): Promise<LabTable> {
  await using site = await startLabSite();
  const reference = await findReference();
  const lab = { site, signal: stopped.signal, rounds, withInput: options.input };
  console.error(`reference: ${reference.title}`);
  const found = await examineReference(reference, lab);
  const service = await startService();
  try {
    const columns: Column[] = [];
    for (const door of wanted) {
      stopped.signal.throwIfAborted();
      const examined = await examine(door, { ...lab, service });
      console.error(`${door.name}: ${examined.state}, ${(examined.ms / 1_000).toFixed(1)} s`);
      columns.push({ door, examined });
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
