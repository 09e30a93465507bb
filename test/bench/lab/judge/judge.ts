// Judges what the lab pages observed through an endpoint, and compares it with the reference: the same browser without
// automation. Failures of the reference are due to the machine and do not count against any endpoint.
import type { InputReport, LabReport, ProbedContext, Probes } from '../page/report.ts';
import type { GateRun, LabRun } from '../site.ts';
import { checkNames, checks } from './checks.ts';

interface Verdict {
  passes: boolean;
  /** What the check saw, as JSON of limited length. */
  saw: string;
}

/** The lab page's result for a browser. */
export interface Judgment {
  checks: Readonly<Record<string, Verdict>>;
  bot: LabReport['bot'];
  /** Counts for each context, or a string with the reason why there are none. */
  probes: Readonly<Record<ProbedContext, Probes | string>>;
  fingerprint: LabReport['fingerprint'];
}

/** All findings for an endpoint. */
export interface Findings {
  judgment: Judgment;
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
/** Lower bound for the reference's time, in microseconds: page clocks are too coarse to measure less. */
const leastTableMicros = 10;

export function judge(run: LabRun): Judgment {
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
export function passedOf({ checks: verdicts }: Judgment): number {
  return Object.values(verdicts).filter(({ passes }) => passes).length;
}

/** The four counts as text: `1/3/0/0` when no client listens, `2/5/1/2` when a client has enabled Runtime. */
export function countsText(probes: Probes | string): string {
  if (typeof probes === 'string') return probes;
  return [probes.name, probes.prototype, probes.prepare, probes.uncaught].join('/');
}

/** Names of the FingerprintJS values that differ from the reference's. */
export function fingerprintDifferences(judgment: Judgment, reference: Judgment): string[] {
  return Object.keys(reference.fingerprint).filter(
    (name) => reference.fingerprint[name] !== judgment.fingerprint[name],
  );
}

/** How the probes of a context differ from the reference's; undefined when they do not. */
function probeFault(context: ProbedContext, judgment: Judgment, reference: Judgment): string | undefined {
  const here = judgment.probes[context];
  const there = reference.probes[context];
  if (countsText(here) !== countsText(there)) return `${countsText(here)}, reference ${countsText(there)}`;
  if (typeof here === 'string' || typeof there === 'string') return undefined;
  const limit = tableRatioLimit * Math.max(leastTableMicros, there.tableMicros);
  return here.tableMicros > limit ? `console.table takes ${here.tableMicros} µs, limit ${limit} µs` : undefined;
}

/** Each fault of an endpoint that the reference does not have, one per line; empty if the endpoint passes. */
export function findFaults({ judgment, gate }: Findings, reference: Findings): string[] {
  const failed = checkNames.filter(
    (name) =>
      checks[name]?.isNoisy !== true &&
      judgment.checks[name]?.passes !== true &&
      reference.judgment.checks[name]?.passes === true,
  );
  const probes = probedContexts.flatMap((context) => {
    const fault = probeFault(context, judgment, reference.judgment);
    return fault === undefined ? [] : [`probes in ${context}: ${fault}`];
  });
  const refused = gate.find(({ reasons }) => reasons.length > 0);
  const opensForReference = reference.gate.every(({ reasons }) => reasons.length === 0);
  return [
    ...failed.map((name) => `${name}: ${judgment.checks[name]?.saw ?? 'nothing'}`),
    ...(judgment.bot.bot ? [`BotD: ${judgment.bot.kind} by ${judgment.bot.detectors.join(', ')}`] : []),
    ...probes,
    ...(refused !== undefined && opensForReference ? [`the gate: ${refused.reasons.join(', ')}`] : []),
  ];
}
