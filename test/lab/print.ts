// Prints the lab's findings as plain text for terminals of 80 columns: checks as rows, doors as columns, then a line
// per door.
import type { Door } from './doors/door.ts';
import type { Examined } from './examine.ts';
import { checkNames, checks } from './judge/checks.ts';
import {
  countsText,
  faultsOf,
  type Findings,
  fingerprintDifferences,
  type Judgement,
  passedOf,
  probedContexts,
} from './judge/judge.ts';
import type { InputReport, Probes } from './page/report.ts';
import type { GateRun } from './site.ts';

export interface Column {
  door: Door;
  examined: Examined;
}

/** All findings of a lab run. */
export interface LabTable {
  /** How the reference was run. */
  referenceTitle: string;
  reference: Findings;
  columns: readonly Column[];
}

const labelWidth = 32;

function mark(judgement: Judgement | undefined, check: string): string {
  if (judgement === undefined) return '-';
  return judgement.checks[check]?.passes === true ? '·' : 'x';
}

const findingsOf = ({ examined }: Column): Findings | undefined =>
  examined.state === 'examined' ? examined.findings : undefined;

/** The number of each column with its digits stacked vertically, so that a column is two characters wide. */
function headLines(count: number): string[] {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1).padStart(2));
  return [0, 1].map((digit) => {
    const heads = numbers.map((number) => ` ${number[digit] ?? ' '}`).join('');
    return `${(digit === 1 ? 'check' : '').padEnd(labelWidth)}${digit === 1 ? ' R' : '  '}${heads}`.trimEnd();
  });
}

function gridLines({ reference, columns }: LabTable): string[] {
  const judgements = [reference.judgement, ...columns.map((column) => findingsOf(column)?.judgement)];
  return checkNames.map((name) => {
    const label = checks[name]?.isNoisy === true ? `${name} (not counted)` : name;
    return `${label.padEnd(labelWidth)}${judgements.map((one) => ` ${mark(one, name)}`).join('')}`;
  });
}

const shortNames: Record<(typeof probedContexts)[number], string> = {
  page: 'page',
  frame: 'frame',
  crossFrame: 'cross-site',
  worker: 'worker',
};

const tableText = (probes: Probes | string) => (typeof probes === 'string' ? '-' : `${probes.tableMicros} µs`);

/** The counts, printed once if they are the same in each context, and the times of console.table. */
function probesText({ probes }: Judgement): string {
  const counts = probedContexts.map((context) => countsText(probes[context]));
  const times = probedContexts.map((context) => tableText(probes[context])).join(', ');
  const [first = ''] = counts;
  if (counts.every((text) => text === first)) return `${first} everywhere; table ${times}`;
  return `${probedContexts.map((context, index) => `${shortNames[context]} ${counts[index]}`).join(', ')}; table ${times}`;
}

function gateText(gate: readonly GateRun[]): string {
  const open = gate.filter(({ reasons }) => reasons.length === 0);
  const slowest = Math.max(...gate.map(({ ms }) => ms)) / 1_000;
  const reasons = [...new Set(gate.flatMap((run) => run.reasons))].join(', ');
  return `${open.length} of ${gate.length}, slowest ${slowest.toFixed(1)} s${reasons === '' ? '' : `; ${reasons}`}`;
}

function inputText(input: InputReport): string {
  return [
    `pressure ${input.pressure}`,
    `hold ${input.holdMs} ms`,
    input.deadCentre ? 'exact centre' : 'off centre',
    `${input.moves} moves ${input.meanMoveIntervalMs} ms apart, ${input.coalesced} merged`,
    `keys ${input.meanKeyIntervalMs} ms apart, dwell ${input.meanDwellMs} ms`,
    input.shift ? 'Shift' : 'no Shift',
    ...(input.allTrusted ? [] : ['UNTRUSTED EVENTS']),
  ].join(', ');
}

function findingsLines(findings: Findings, reference: Findings): string[] {
  const { judgement, gate, input } = findings;
  const { bot, kind, detectors } = judgement.bot;
  const different = fingerprintDifferences(judgement, reference.judgement);
  return [
    `    BotD    ${bot ? `BOT: ${kind} (${detectors.join(', ')})` : 'no bot'}`,
    `    probes  ${probesText(judgement)}`,
    `    gate    ${gateText(gate)}`,
    ...(input === undefined ? [] : [`    input   ${inputText(input)}`]),
    ...(different.length === 0 ? [] : [`    FingerprintJS differs: ${different.join(', ')}`]),
  ];
}

function doorLines(column: Column, index: number, reference: Findings): string[] {
  const { door, examined } = column;
  const seconds = `${(examined.ms / 1_000).toFixed(1)} s`;
  const title = `${String(index + 1).padStart(2)} ${door.name}: ${door.title}${door.stealth ? ' [stealth]' : ''}`;
  if (examined.state !== 'examined') return [`${title}, ${seconds}`, `    ${examined.state}: ${examined.reason}`];
  const passed = `${passedOf(examined.findings.judgement)} of ${checkNames.length}`;
  return [`${title}: ${passed}, ${seconds}`, ...findingsLines(examined.findings, reference)];
}

/** Each fault of a stealth door, one per line; the run fails if there is any. Doors that are not offered have none. */
export function stealthFaults({ reference, columns }: LabTable): string[] {
  return columns.flatMap(({ door, examined }) => {
    if (!door.stealth) return [];
    if (examined.state === 'examined')
      return faultsOf(examined.findings, reference).map((fault) => `${door.name}: ${fault}`);
    return examined.state === 'failed' ? [`${door.name}: failed: ${examined.reason}`] : [];
  });
}

/** The reference's failures, which do not count against any door. */
function referenceLines({ reference }: LabTable): string[] {
  return checkNames
    .filter((name) => reference.judgement.checks[name]?.passes !== true)
    .map((name) => `    fails   ${name}: ${reference.judgement.checks[name]?.saw ?? ''}`);
}

function conclusion(columns: readonly Column[], faults: readonly string[]): string {
  if (faults.length > 0)
    return `Stealth doors differ from the reference:\n${faults.map((fault) => `  ${fault}`).join('\n')}`;
  const names = columns.filter(({ door, examined }) => door.stealth && examined.state === 'examined');
  if (names.length === 0) return 'No stealth door was examined.';
  return `Stealth doors that look like the reference: ${names.map(({ door }) => door.name).join(', ')}.`;
}

/** The whole table as text. */
export function printed(table: LabTable): string {
  const { reference, referenceTitle, columns } = table;
  const faults = stealthFaults(table);
  return [
    ...headLines(columns.length),
    ...gridLines(table),
    '',
    '· passes   x fails   - not offered, or failed',
    '',
    ` R reference: ${referenceTitle}: ${passedOf(reference.judgement)} of ${checkNames.length}`,
    ...findingsLines(reference, reference),
    ...referenceLines(table),
    ...columns.flatMap((column, index) => doorLines(column, index, reference)),
    '',
    conclusion(columns, faults),
  ].join('\n');
}
