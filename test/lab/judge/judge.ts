// Judges what a door showed to the lab's pages, and compares it with the reference: the same browser without
// automation. Failures of the reference are due to the machine and do not count against any door.
import type { InputReport, LabReport, ProbedContext, Probes } from '../page/report.ts';
import type { GateRun, LabRun } from '../site.ts';
import { checkNames, checks } from './checks.ts';

interface Verdict {
  passes: boolean;
  /** What the check saw, as JSON of limited length. */
  saw: string;
}

/** The result of the lab's page for a browser. */
export interface Judgement {
  checks: Readonly<Record<string, Verdict>>;
  bot: LabReport['bot'];
  /** Counts of each context; a text gives the reason why there are none. */
  probes: Readonly<Record<ProbedContext, Probes | string>>;
  fingerprint: LabReport['fingerprint'];
}

/** All findings about a door. */
export interface Findings {
  judgement: Judgement;
  gate: readonly GateRun[];
  input?: InputReport;
}

export const probedContexts = ['page', 'frame', 'crossFrame', 'worker'] as const satisfies readonly ProbedContext[];

/** In characters. */
const maxSawLength = 160;

/**
 * Highest allowed ratio of console.table time to the reference's: a listening client makes it a hundred times slower.
 */
const tableRatioLimit = 20;
/** Lower bound for the reference's time, in microseconds: page clocks are too coarse for less. */
const leastTableMicros = 5;

export function judge(run: LabRun): Judgement {
  const { report } = run;
  const verdict = (name: string): Verdict | undefined => {
    const check = checks[name];
    if (check === undefined) return undefined;
    return { passes: check.passes(run), saw: (JSON.stringify(check.saw(run)) ?? 'undefined').slice(0, maxSawLength) };
  };
  const probesIn = (context: Exclude<ProbedContext, 'page'>): Probes | string => {
    const facts = report.contexts[context];
    return typeof facts === 'string' ? facts : (facts.probes ?? 'no probes');
  };
  return {
    checks: Object.fromEntries(checkNames.map((name) => [name, verdict(name) ?? { passes: false, saw: 'no check' }])),
    bot: report.bot,
    probes: {
      page: report.probes,
      frame: probesIn('frame'),
      crossFrame: probesIn('crossFrame'),
      worker: probesIn('worker'),
    },
    fingerprint: report.fingerprint,
  };
}

/** The number of checks that pass. */
export function passedOf({ checks: verdicts }: Judgement): number {
  return Object.values(verdicts).filter(({ passes }) => passes).length;
}

/** The four counts as text: `1/3/0/0` when nobody listens, `2/5/1/2` when a client has enabled Runtime. */
export function countsText(probes: Probes | string): string {
  if (typeof probes === 'string') return probes;
  return [probes.name, probes.prototype, probes.prepare, probes.uncaught].join('/');
}

/** Names of the FingerprintJS values that differ from the reference's. */
export function fingerprintDifferences(judgement: Judgement, reference: Judgement): string[] {
  return Object.keys(reference.fingerprint).filter(
    (name) => reference.fingerprint[name] !== judgement.fingerprint[name],
  );
}

/** How the probes of a context differ from the reference's; undefined when they do not. */
function probeFault(context: ProbedContext, judgement: Judgement, reference: Judgement): string | undefined {
  const here = judgement.probes[context];
  const there = reference.probes[context];
  if (countsText(here) !== countsText(there)) return `${countsText(here)}, reference ${countsText(there)}`;
  if (typeof here === 'string' || typeof there === 'string') return undefined;
  const limit = tableRatioLimit * Math.max(leastTableMicros, there.tableMicros);
  return here.tableMicros > limit ? `console.table takes ${here.tableMicros} µs, limit ${limit} µs` : undefined;
}

/** Each fault of a door that the reference does not have, one per line; an empty list means that the door passes. */
export function faultsOf({ judgement, gate }: Findings, reference: Findings): string[] {
  const failed = checkNames.filter(
    (name) =>
      checks[name]?.isNoisy !== true &&
      judgement.checks[name]?.passes !== true &&
      reference.judgement.checks[name]?.passes === true,
  );
  const probes = probedContexts.flatMap((context) => {
    const fault = probeFault(context, judgement, reference.judgement);
    return fault === undefined ? [] : [`probes in ${context}: ${fault}`];
  });
  const refused = gate.find(({ reasons }) => reasons.length > 0);
  const opensForReference = reference.gate.every(({ reasons }) => reasons.length === 0);
  return [
    ...failed.map((name) => `${name}: ${judgement.checks[name]?.saw ?? 'nothing'}`),
    ...(judgement.bot.bot ? [`BotD: ${judgement.bot.kind} by ${judgement.bot.detectors.join(', ')}`] : []),
    ...probes,
    ...(refused !== undefined && opensForReference ? [`the gate: ${refused.reasons.join(', ')}`] : []),
  ];
}
