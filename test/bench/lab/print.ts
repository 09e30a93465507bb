// Formats the lab's findings as plain text for 80-column terminals: checks as rows, endpoints as columns, then a few
// lines per endpoint.
import type { Endpoint } from './endpoints/endpoint.ts';
import type { Examined } from './examine.ts';
import { checkNames, checks } from './judge/checks.ts';
import {
  countsText,
  findFaults,
  type Findings,
  fingerprintDifferences,
  type Judgment,
  passedOf,
  probedContexts,
} from './judge/judge.ts';
import type { InputReport, Probes } from './page/report.ts';
import type { GateRun } from './site.ts';

export interface Column {
  endpoint: Endpoint;
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

function mark(judgment: Judgment | undefined, check: string): string {
  if (judgment === undefined) return '-';
  return judgment.checks[check]?.passes === true ? '·' : 'x';
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
  const judgments = [reference.judgment, ...columns.map((column) => findingsOf(column)?.judgment)];
  return checkNames.map((name) => {
    const label = checks[name]?.isNoisy === true ? `${name} (not counted)` : name;
    return `${label.padEnd(labelWidth)}${judgments.map((one) => ` ${mark(one, name)}`).join('')}`;
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
function probesText({ probes }: Judgment): string {
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
    input.deadCentre ? 'exact center' : 'off center',
    `${input.moves} moves ${input.meanMoveIntervalMs} ms apart, ${input.coalesced} merged`,
    `keys ${input.meanKeyIntervalMs} ms apart, dwell ${input.meanDwellMs} ms`,
    input.shift ? 'Shift' : 'no Shift',
    ...(input.allTrusted ? [] : ['UNTRUSTED EVENTS']),
  ].join(', ');
}

function findingsLines(findings: Findings, reference: Findings): string[] {
  const { judgment, gate, input } = findings;
  const { bot, kind, detectors } = judgment.bot;
  const different = fingerprintDifferences(judgment, reference.judgment);
  return [
    `    BotD    ${bot ? `BOT: ${kind} (${detectors.join(', ')})` : 'not a bot'}`,
    `    probes  ${probesText(judgment)}`,
    `    gate    ${gateText(gate)}`,
    ...(input === undefined ? [] : [`    input   ${inputText(input)}`]),
    ...(different.length === 0 ? [] : [`    FingerprintJS differs: ${different.join(', ')}`]),
  ];
}

function endpointLines(column: Column, index: number, reference: Findings): string[] {
  const { endpoint, examined } = column;
  const seconds = `${(examined.ms / 1_000).toFixed(1)} s`;
  const title = `${String(index + 1).padStart(2)} ${endpoint.name}: ${endpoint.title}${endpoint.stealth ? ' [stealth]' : ''}`;
  if (examined.state !== 'examined') return [`${title}, ${seconds}`, `    ${examined.state}: ${examined.reason}`];
  const passed = `${passedOf(examined.findings.judgment)} of ${checkNames.length}`;
  return [`${title}: ${passed}, ${seconds}`, ...findingsLines(examined.findings, reference)];
}

/** Each fault of a stealth endpoint, one per line; any fails the run. Endpoints that are not offered have none. */
export function stealthFaults({ reference, columns }: LabTable): string[] {
  return columns.flatMap(({ endpoint, examined }) => {
    if (!endpoint.stealth) return [];
    if (examined.state === 'examined')
      return findFaults(examined.findings, reference).map((fault) => `${endpoint.name}: ${fault}`);
    return examined.state === 'failed' ? [`${endpoint.name}: failed: ${examined.reason}`] : [];
  });
}

/** The reference's failures, which do not count against any endpoint. */
function referenceLines({ reference }: LabTable): string[] {
  return checkNames
    .filter((name) => reference.judgment.checks[name]?.passes !== true)
    .map((name) => `    fails   ${name}: ${reference.judgment.checks[name]?.saw ?? ''}`);
}

function conclusion(columns: readonly Column[], faults: readonly string[]): string {
  if (faults.length > 0)
    return `Stealth endpoints differ from the reference:\n${faults.map((fault) => `  ${fault}`).join('\n')}`;
  const names = columns.filter(({ endpoint, examined }) => endpoint.stealth && examined.state === 'examined');
  if (names.length === 0) return 'No stealth endpoint was examined.';
  return `Stealth endpoints that look like the reference: ${names.map(({ endpoint }) => endpoint.name).join(', ')}.`;
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
    ` R reference: ${referenceTitle}: ${passedOf(reference.judgment)} of ${checkNames.length}`,
    ...findingsLines(reference, reference),
    ...referenceLines(table),
    ...columns.flatMap((column, index) => endpointLines(column, index, reference)),
    '',
    conclusion(columns, faults),
  ].join('\n');
}
