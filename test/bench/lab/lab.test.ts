// Short form of the detection lab: the reference, endpoints that must be recognized as automated, and stealth
// endpoints, which must not be. `npm run lab` runs the long form.
// @alone
// @tier ci
import * as assert from 'uvu/assert';
import { missing } from '../../support/programs.ts';
import { type Service, startService, stopAll } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { bqlEndpoint } from './endpoints/bql.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { endpointsNamed, shortForm } from './endpoints/table.ts';
import { examine, examineReference } from './examine.ts';
import { checks } from './judge/checks.ts';
import { countsText, findFaults, type Findings, type Judgment, probedContexts } from './judge/judge.ts';
import { findReference } from './reference.ts';
import { type LabSite, startLabSite } from './site.ts';

const test = suite('detection lab', { timeoutMs: 120_000 });
const skipReason = missing('a full Chromium', 'a display');
let site: LabSite | undefined;
let service: Service | undefined;
let reference: Findings;

/** Checks that always fail on a machine without a GPU, camera, or speech voices. */
const machineDependentChecks = ['WebGL on a real GPU', 'media devices', 'voices', 'ActiveText not red'];

test.before(async (signal) => {
  if (skipReason !== undefined) return;
  site = await startLabSite();
  reference = await examineReference(await findReference(), { ...lab(site), signal });
  service = await startService();
});
test.after(async () => {
  await stopAll(service);
  await site?.[Symbol.asyncDispose]();
});

const lab = (on: LabSite) => ({ site: on, rounds: 1, withInput: true });

async function examineEndpoint(endpoint: Endpoint, signal: AbortSignal) {
  if (site === undefined || service === undefined) throw new Error('the lab has not started');
  return examine(endpoint, { ...lab(site), service, signal });
}

/** The findings for an endpoint; throws if there are none. */
async function findings(name: string, signal: AbortSignal): Promise<Findings> {
  const [endpoint] = endpointsNamed([name]);
  if (endpoint === undefined) throw new Error(`unknown endpoint ${name}`);
  const examined = await examineEndpoint(endpoint, signal);
  if (examined.state !== 'examined') throw new Error(`${name}: ${examined.state}: ${examined.reason}`);
  return examined.findings;
}

const counts = ({ probes }: Judgment) => probedContexts.map((context) => countsText(probes[context]));

const check = test.unless(skipReason);

check('the reference shows no sign of a bot or a client, and passes every check that the machine can pass', () => {
  const { judgment, gate } = reference;
  assert.equal(judgment.bot, { bot: false, kind: '', detectors: [] });
  assert.equal(counts(judgment), ['1/3/0/0', '1/3/0/0', '1/3/0/0', '1/3/0/0']);
  assert.equal(
    gate.map(({ reasons }) => reasons),
    [[]],
  );
  const failed = Object.keys(judgment.checks).filter((name) => judgment.checks[name]?.passes !== true);
  assert.equal(
    failed.filter((name) => !machineDependentChecks.includes(name) && checks[name]?.isNoisy !== true),
    [],
  );
});

check('the headless shell is recognized', async (signal) => {
  const found = await findings('shell', signal);
  assert.is(found.judgment.bot.kind, 'headless_chrome');
  assert.ok(found.gate[0]?.reasons.includes('navigator.webdriver'));
  const faults = findFaults(found, reference).map((fault) => fault.split(':', 1)[0]);
  for (const name of ['webdriver is false', 'no Headless in User-Agent', '5 plugins', 'scrollbar', 'BotD', 'the gate'])
    assert.ok(faults.includes(name), name);
});

check('a client that enables Runtime is recognized in each context', async (signal) => {
  const found = await findings('pptr25-plain', signal);
  assert.equal(counts(found.judgment), ['2/5/1/2', '2/5/1/2', '2/5/1/2', '2/5/1/2']);
  assert.ok(found.gate[0]?.reasons.includes('Runtime.enable'));
  const faults = findFaults(found, reference).filter((fault) => fault.startsWith('probes in '));
  assert.is(faults.length, probedContexts.length);
  assert.is(found.input?.allTrusted, true);
});

for (const name of shortForm) {
  check(`${name} looks like the reference, and fails only what a machine without a GPU fails`, async (signal) => {
    const found = await findings(name, signal);
    assert.equal(findFaults(found, reference), []);
    assert.is(found.input?.pressure ?? 0.5, 0.5);
    const failed = Object.entries(found.judgment.checks).filter(([, { passes }]) => !passes);
    const known = ['WebGL on a real GPU', 'voices', 'ActiveText not red'];
    assert.equal(
      failed.map(([title]) => title).filter((title) => !known.includes(title) && !checks[title]?.isNoisy),
      [],
    );
  });
}

check('a hung visit fails at its time limit and leaves nothing behind in the service', async (signal) => {
  const [endpoint] = endpointsNamed(['pptr25-plain']);
  if (endpoint === undefined) throw new Error('unknown endpoint');
  const hanging: Endpoint = {
    ...endpoint,
    limitMs: 1_500,
    visit: (on, visit) => endpoint.visit(on, { ...visit, selector: '#never' }),
  };
  const examined = await examineEndpoint(hanging, signal);
  assert.is(examined.state, 'failed');
  assert.match('reason' in examined ? examined.reason : '', /aborted|took longer than 1500 ms/);
  assert.ok(examined.ms < 10_000, `${examined.ms} ms`);
});

check('an endpoint that the service does not have is reported as not offered, not as failed', async (signal) => {
  const absent = bqlEndpoint({ name: 'absent', title: 'a path without a route', stealth: true }, '/nowhere/bql');
  assert.is((await examineEndpoint(absent, signal)).state, 'not offered');
});
