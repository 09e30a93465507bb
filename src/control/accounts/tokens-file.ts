/** Parses TOKENS_FILE: the plans and tokens of a server that several parties share. */
import * as v from 'valibot';
import { accountLimits } from '../../base/limits.ts';
import { describeIssues } from '../../base/schema/describe.ts';
import { domainList } from '../../base/schema/request/primitives.ts';
import { type PlanRow, PlanProblem, termsOf, termsOfPlan } from './plans.ts';
import { type Terms, defaultPlan } from './terms.ts';

/** One token and what it may do. */
export interface TenantRow {
  readonly name: string;
  /** SHA-256 of its tokens, in hexadecimal. */
  readonly hashes: readonly string[];
  readonly terms: Terms;
  /** Epoch milliseconds; undefined for never. */
  readonly expires: number | undefined;
  readonly revoked: boolean;
  /** Whether its sessions are closed when the token is revoked or expires. */
  readonly kill: boolean;
}

const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
/** Property names of every object; records cannot hold them. */
const unusable = new Set(['constructor', 'prototype', '__proto__']);

const name = v.pipe(
  v.string(),
  v.check((text) => /^[\w-]{1,64}$/.test(text), 'must be 1 to 64 letters, digits, - and _'),
  v.check((text) => !unusable.has(text), 'must be a different name: this one is reserved in JavaScript'),
);
const hashPattern = /^sha256:([\da-f]{64})$/;
const tokenHash = v.pipe(
  v.union([v.string(), v.array(v.string())]),
  v.transform((given) => [given].flat()),
  v.check(
    (all) => all.length > 0 && all.length <= accountLimits.hashes && all.every((text) => hashPattern.test(text)),
    `must be "sha256:" followed by 64 lowercase hexadecimal digits, or a list of up to ${accountLimits.hashes} of these`,
  ),
  v.transform((all) => all.map((text) => hashPattern.exec(text)?.[1] ?? '')),
);
const time = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
    'must be a time such as 2027-01-31T00:00:00Z',
  ),
  v.transform((text) => Date.parse(text)),
);

const dayMs = 86_400_000;

const planEntries = {
  concurrent: v.optional(count(0, 100_000)),
  queued: v.optional(count(0, 100_000)),
  perMinute: v.optional(count(1, accountLimits.perMinute)),
  maxTimeoutMs: v.optional(count(1, 7 * dayMs)),
  maxReconnectMs: v.optional(count(1, 365 * dayMs)),
  unitsPerMonth: v.optional(count(0, Number.MAX_SAFE_INTEGER)),
  weight: v.optional(count(1, 1_000)),
  features: v.optional(v.pipe(v.array(v.string()), v.maxLength(accountLimits.names))),
  allowedDomains: v.optional(domainList),
  routes: v.optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.check((text) => /^\/\S*$/.test(text), 'must begin with /'),
        ),
      ),
      v.maxLength(accountLimits.names),
    ),
  ),
};

const file = v.strictObject({
  plans: v.optional(v.record(name, v.strictObject({ extends: v.optional(name), ...planEntries })), {}),
  tokens: v.pipe(
    v.array(
      v.strictObject({
        name,
        tokenHash,
        plan: v.optional(name),
        expires: v.optional(time),
        revoked: v.optional(v.boolean(), false),
        kill: v.optional(v.boolean(), false),
        ...planEntries,
      }),
    ),
    v.maxLength(accountLimits.tokens),
  ),
});

/** The message says what is wrong with the file and how to fix it. */
export class TokensFileProblem extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.name = 'TokensFileProblem';
    this.problems = problems;
  }
}

/**
 * @param operators the hashes of the tokens in TOKEN, which no row may use
 * @throws TokensFileProblem that names every wrong field
 */
export function parseTokensFile(text: string, operators: ReadonlySet<string> = new Set()): TenantRow[] {
  const parsed = v.safeParse(file, toJson(text));
  if (!parsed.success) {
    throw new TokensFileProblem(describeIssues(file, parsed.issues).issues.map(({ message }) => message));
  }
  const { plans, tokens } = parsed.output;
  const problems: string[] = [];
  const names = new Set<string>();
  const hashes = new Set<string>();
  for (const plan of Object.keys(plans)) note(problems, () => termsOfPlan(plan, plans));
  const rows = tokens.flatMap((token) => {
    const own = token.tokenHash;
    if (names.has(token.name)) problems.push(`Two tokens have the name "${token.name}". Give each a unique name.`);
    if (own.some((each) => hashes.has(each)))
      problems.push(`The token "${token.name}" has the same hash as another token.`);
    if (own.some((each) => operators.has(each))) {
      problems.push(
        `The token "${token.name}" is also in TOKEN, which grants operator access. Give it a different token.`,
      );
    }
    names.add(token.name);
    for (const each of own) hashes.add(each);
    const terms = note(problems, () => termsOfToken(token, plans));
    if (!terms) return [];
    return [{ name: token.name, hashes: own, terms, expires: token.expires, revoked: token.revoked, kill: token.kill }];
  });
  if (problems.length > 0) throw new TokensFileProblem(problems.slice(0, accountLimits.problems));
  return rows;
}

function termsOfToken(token: PlanRow & { name: string; plan?: string | undefined }, plans: Record<string, PlanRow>) {
  return termsOf(token, termsOfPlan(token.plan ?? defaultPlan, plans), `The token "${token.name}"`);
}

function note<T>(problems: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PlanProblem)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

function toJson(text: string): unknown {
  if (text.length > accountLimits.fileBytes) {
    throw new TokensFileProblem([`The file has more than ${accountLimits.fileBytes} bytes.`]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TokensFileProblem([
      `The file is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`,
    ]);
  }
}
