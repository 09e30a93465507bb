/** Checks commands of CDP clients against the protocol table. */
import { type Exception, type Rule, passes, refused, scoped } from './decision.ts';
import { type Domain, domains } from './table.ts';
import type { Params, RuleContext, Verdict } from './verdict.ts';

type Scope = RuleContext['scope'];

const ofWholeBrowser = {
  virtual: refused(
    "It is not limited to the client's pages, and the process is shared: connect with isolation=process.",
  ),
  context: refused("It is not limited to the code's pages, and the browser is shared."),
} as const;
const ofOwnPages = scoped("It applies only to the code's own contexts and pages.");
const unknown: Verdict = { unknown: true };

/** The decision on each method; `undefined` means that the command passes unchanged. */
type Decisions = ReadonlyMap<string, Exception | undefined>;

const decisions: Readonly<Record<Scope, Decisions>> = {
  browser: decide('browser'),
  virtual: decide('virtual'),
  context: decide('context'),
};
const judgements: Readonly<Record<Scope, ReadonlyMap<string, Rule>>> = {
  browser: toRules(decisions.browser),
  virtual: toRules(decisions.virtual),
  context: toRules(decisions.context),
};

/**
 * Checks one command. Returns synchronously, except for commands with files or proxies.
 * @throws Refusal for a file that is not shared, ServiceError for a proxy that cannot be used
 */
export function judge(method: string, params: Params, context: RuleContext): Verdict | Promise<Verdict> {
  if (context.allowedMethods.size > 0 && context.scope === 'browser' && isAllowed(method, context.allowedMethods)) {
    return { pass: params };
  }
  return judgements[context.scope].get(method)?.(params, context) ?? unknown;
}

export interface DescribedDomain {
  domain: string;
  /** Methods that pass unchanged, by name. */
  passes: string[];
  exceptions: { method: string; kind: Exception['kind']; note: string }[];
}

/** Describes the whole table for the documentation: each domain with all its methods, sorted by name. */
export function describeProtocol(scope: Scope): DescribedDomain[] {
  const described = new Map<string, DescribedDomain>();
  for (const [method, exception] of [...decisions[scope]].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const domain = method.slice(0, method.indexOf('.'));
    const entry = described.get(domain) ?? { domain, passes: [], exceptions: [] };
    described.set(domain, entry);
    if (exception) entry.exceptions.push({ method, kind: exception.kind, note: exception.note });
    else entry.passes.push(method);
  }
  return [...described.values()];
}

/** Splits a list of names in the table. */
export function namesOf(list: string | undefined): string[] {
  return list?.split(/\s+/).filter(Boolean) ?? [];
}

function isAllowed(method: string, allowed: ReadonlySet<string>): boolean {
  return allowed.has(method) || allowed.has(`${method.slice(0, method.indexOf('.'))}.*`);
}

function decide(scope: Scope): Decisions {
  const all = new Map<string, Exception | undefined>();
  for (const [name, domain] of Object.entries<Domain>(domains)) {
    const set = (list: string | undefined, exception?: Exception) => {
      for (const method of namesOf(list)) all.set(`${name}.${method}`, exception);
    };
    const setAll = (rules: Readonly<Record<string, Exception>> = {}) => {
      for (const [list, exception] of Object.entries(rules)) set(list, exception);
    };
    set(domain.all, scope === 'context' ? domain.inContext : undefined);
    setAll(domain.rules);
    if (scope === 'browser') {
      set(domain.own);
      setAll(domain.ownRules);
      continue;
    }
    set([domain.own ?? '', ...Object.keys(domain.ownRules ?? {})].join(' '), ofWholeBrowser[scope]);
    if (scope === 'virtual') {
      for (const method of namesOf(domain.virtual)) set(method, ruleOf(domain.ownRules, method));
    } else {
      set(domain.scoped, ofOwnPages);
      setAll(domain.contextRules);
    }
  }
  return all;
}

function ruleOf(rules: Domain['ownRules'] = {}, method: string): Exception | undefined {
  return Object.entries(rules).find(([list]) => namesOf(list).includes(method))?.[1];
}

function toRules(decided: Decisions): ReadonlyMap<string, Rule> {
  return new Map([...decided].map(([method, exception]) => [method, exception?.judge ?? passes]));
}
