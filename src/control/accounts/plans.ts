/** Defines the preset plans, and determines what a token may do from its row, its plan and the presets. */
import { type Feature, featureNames, isFeature } from '../../base/account/features.ts';
import { type Terms, unlimited, defaultPlan } from './terms.ts';

/** Settings of a plan or a token; missing ones come from the plan below it. */
export type PlanRow = { [Name in Exclude<keyof Terms, 'plan' | 'features'>]?: Terms[Name] | undefined } & {
  extends?: string | undefined;
  features?: readonly string[] | undefined;
};

/** A preset plan: it has every feature except those in `without`. */
interface Preset {
  readonly concurrent?: number;
  readonly without: readonly Feature[];
}

const paid: readonly Feature[] = ['reconnect', 'liveURL'];

/** The presets by name, the smallest first. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  free: { concurrent: 1, without: [...paid, 'captcha', 'heartbeat', 'pageId', 'proxyCity'] },
  starter: { concurrent: 5, without: [...paid, 'captcha', 'proxyCity'] },
  scale: { concurrent: 50, without: paid },
  enterprise: { without: [] },
};

export type PresetName = 'free' | 'starter' | 'scale' | 'enterprise';

/** @param problem a message that names the row and the fix */
export class PlanProblem extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'PlanProblem';
  }
}

const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name);

/**
 * The terms of a plan.
 * @param plans the operator's rows, which may have the names of presets
 * @param below the plans that led here, to detect cycles
 * @throws PlanProblem for a plan that does not exist, extends itself, or has a feature that does not exist
 */
export function termsOfPlan(
  name: string,
  plans: Readonly<Record<string, PlanRow>>,
  below: readonly string[] = [],
): Terms {
  const row = Object.hasOwn(plans, name) ? plans[name] : undefined;
  // A row may refine the preset with the same name.
  if (row === undefined || (below.at(-1) === name && isPreset(name))) return termsOfPreset(name, plans);
  if (below.includes(name)) {
    throw new PlanProblem(`The plan "${name}" extends itself (${[...below, name].join(' → ')}). Break the cycle.`);
  }
  const base = row.extends ?? (isPreset(name) ? name : defaultPlan);
  return { ...termsOf(row, termsOfPlan(base, plans, [...below, name]), `The plan "${name}"`), plan: name };
}

function termsOfPreset(name: string, plans: Readonly<Record<string, PlanRow>>): Terms {
  if (!isPreset(name)) {
    const known = [...new Set([...Object.keys(plans), ...Object.keys(presets)])];
    throw new PlanProblem(
      `There is no plan "${name}". Use one of ${known.slice(0, 50).join(', ')}, or add it to "plans".`,
    );
  }
  const { concurrent, without } = presets[name];
  return {
    ...unlimited,
    plan: name,
    concurrent,
    features: new Set(featureNames.filter((feature) => !without.includes(feature))),
  };
}

/**
 * Applies a row to the terms below it. A feature is added by its name, with or without `+`, and removed with `-`.
 * @param whose the name of the row, as the start of a sentence
 * @throws PlanProblem for a feature that does not exist
 */
export function termsOf(row: PlanRow, below: Terms, whose: string): Terms {
  const features = new Set(below.features);
  for (const written of row.features ?? []) {
    const name = written.replace(/^[+-]/, '');
    if (!isFeature(name)) {
      throw new PlanProblem(`${whose} lists an unknown feature "${name}". Features: ${featureNames.join(', ')}.`);
    }
    if (written.startsWith('-')) features.delete(name);
    else features.add(name);
  }
  return {
    plan: below.plan,
    features,
    routes: row.routes ?? below.routes,
    allowedDomains: row.allowedDomains ?? below.allowedDomains,
    concurrent: row.concurrent ?? below.concurrent,
    queued: row.queued ?? below.queued,
    perMinute: row.perMinute ?? below.perMinute,
    maxTimeoutMs: row.maxTimeoutMs ?? below.maxTimeoutMs,
    maxReconnectMs: row.maxReconnectMs ?? below.maxReconnectMs,
    unitsPerMonth: row.unitsPerMonth ?? below.unitsPerMonth,
    weight: row.weight ?? below.weight,
  };
}
