// Short form of the detection lab: the reference, doors that must be recognized as automated, and stealth doors, which
// must not be. `npm run lab` runs the long form.
// @tier full
import * as assert from 'uvu/assert';
import { missing } from '../support/programs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { bqlDoor } from './doors/bql.ts';
import type { Door } from './doors/door.ts';
import { doorsNamed, shortForm } from './doors/table.ts';
import { examine, examineReference } from './examine.ts';
import { checks } from './judge/checks.ts';
import { countsText, faultsOf, type Findings, type Judgement, probedContexts } from './judge/judge.ts';
import { findReference } from './reference.ts';
import { type LabSite, startLabSite } from './site.ts';

const test = suite('detection lab', { timeoutMs: 120_000 });
const lacking = missing('a full Chromium', 'a display');
let site: LabSite | undefined;
let service: Service | undefined;
let reference: Findings;

/** Checks that a machine without a GPU, a camera and voices always fails. */
const ofTheMachine = ['WebGL of a real GPU', 'media devices', 'voices', 'ActiveText not red'];

test.before(async (signal) => {
  if (lacking !== undefined) return;
  site = await startLabSite();
  reference = await examineReference(await findReference(), { ...lab(site), signal });
  service = await startService();
});
test.after(async () => {
  await stopAll(service);
  await site?.[Symbol.asyncDispose]();
});

const lab = (on: LabSite) => ({ site: on, rounds: 1, withInput: true });

async function through(door: Door, signal: AbortSignal) {
  if (site === undefined || service === undefined) throw new Error('the lab has not started');
  return examine(door, { ...lab(site), service, signal });
}

/** The findings for a door; fails if there are none. */
async function findings(name: string, signal: AbortSignal): Promise<Findings> {
  const [door] = doorsNamed([name]);
  if (door === undefined) throw new Error(`no door is named ${name}`);
  const examined = await through(door, signal);
  if (examined.state !== 'examined') throw new Error(`${name}: ${examined.state}: ${examined.reason}`);
  return examined.findings;
}

const counts = ({ probes }: Judgement) => probedContexts.map((context) => countsText(probes[context]));

const check = test.unless(lacking);

check('the reference is no bot, shows no client, and passes all that the machine can', () => {
  const { judgement, gate } = reference;
  assert.equal(judgement.bot, { bot: false, kind: '', detectors: [] });
  assert.equal(counts(judgement), ['1/3/0/0', '1/3/0/0', '1/3/0/0', '1/3/0/0']);
  assert.equal(
    gate.map(({ reasons }) => reasons),
    [[]],
  );
  const failed = Object.keys(judgement.checks).filter((name) => judgement.checks[name]?.passes !== true);
  assert.equal(
    failed.filter((name) => !ofTheMachine.includes(name) && checks[name]?.isNoisy !== true),
    [],
  );
});

check('the headless shell is recognised', async (signal) => {
  const found = await findings('shell', signal);
  assert.is(found.judgement.bot.kind, 'headless_chrome');
  assert.ok(found.gate[0]?.reasons.includes('navigator.webdriver'));
  const faults = faultsOf(found, reference).map((fault) => fault.split(':', 1)[0]);
  for (const name of ['webdriver is false', 'no Headless in User-Agent', '5 plugins', 'scrollbar', 'BotD', 'the gate'])
    assert.ok(faults.includes(name), name);
});

check('a client that enables Runtime is recognised in each context', async (signal) => {
  const found = await findings('pptr25-plain', signal);
  assert.equal(counts(found.judgement), ['2/5/1/2', '2/5/1/2', '2/5/1/2', '2/5/1/2']);
  assert.ok(found.gate[0]?.reasons.includes('Runtime.enable'));
  const faults = faultsOf(found, reference).filter((fault) => fault.startsWith('probes in '));
  assert.is(faults.length, probedContexts.length);
  assert.is(found.input?.allTrusted, true);
});

for (const name of shortForm) {
  check(`${name} looks like the reference, and fails nothing but what a machine without a GPU does`, async (signal) => {
    const found = await findings(name, signal);
    assert.equal(faultsOf(found, reference), []);
    const failed = Object.entries(found.judgement.checks).filter(([, { passes }]) => !passes);
    const known = ['WebGL of a real GPU', 'voices', 'ActiveText not red'];
    assert.equal(
      failed.map(([title]) => title).filter((title) => !known.includes(title) && !checks[title]?.isNoisy),
      [],
    );
  });
}

for (const name of ['shell', 'pptr25-plain']) {
  check(`${name}: a visit that hangs ends at its limit, and the service has nothing left of it`, async (signal) => {
    const [door] = doorsNamed([name]);
    if (door === undefined) throw new Error(`no door is named ${name}`);
    const hanging: Door = {
      ...door,
      limitMs: 1_500,
      visit: (on, visit) => door.visit(on, { ...visit, selector: '#never' }),
    };
    const examined = await through(hanging, signal);
    assert.is(examined.state, 'failed');
    assert.match('reason' in examined ? examined.reason : '', /aborted|took longer than 1500 ms/);
    assert.ok(examined.ms < 10_000, `${examined.ms} ms`);
  });
}

check('a door that the service does not have is not offered, and no failure', async (signal) => {
  const absent = bqlDoor({ name: 'absent', title: 'a path without a route', stealth: true }, '/nowhere/bql');
  assert.is((await through(absent, signal)).state, 'not offered');
});
