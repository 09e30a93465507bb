// Defines the JSON body of /performance: an address, a configuration of Lighthouse, and performance
// budgets in the format of its budget.json.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { field, listOf } from './primitives.ts';

const resourceTypes = [
  'total',
  'document',
  'script',
  'stylesheet',
  'image',
  'media',
  'font',
  'other',
  'third-party',
] as const;

const metrics = [
  'first-contentful-paint',
  'interactive',
  'max-potential-fid',
  'total-blocking-time',
  'speed-index',
  'largest-contentful-paint',
  'cumulative-layout-shift',
] as const;

const amount = (text: string) => v.pipe(v.number(), v.minValue(0), v.description(text));

const resourceBudget = (text: string) =>
  v.strictObject({
    resourceType: v.pipe(v.picklist(resourceTypes), v.description('Kind of the resources.')),
    budget: amount(text),
  });

const timingBudget = v.strictObject({
  metric: v.pipe(v.picklist(metrics), v.description('Metric of Lighthouse.')),
  budget: amount('Most that it may measure: milliseconds; for cumulative-layout-shift a score.'),
  tolerance: field(
    amount('How far above the budget is still within it.'),
    'How far above the budget is still within it.',
  ),
});

/** Budgets of one list, each for another kind. */
const each = <const S extends v.GenericSchema>(item: S, key: string, text: string) =>
  field(
    v.pipe(
      listOf(item, listLimits.budgets),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        const seen = new Set<unknown>();
        for (const entry of dataset.value) {
          const name: unknown = Reflect.get(Object(entry), key);
          if (seen.has(name)) addIssue({ message: `has two budgets for ${JSON.stringify(name)}; leave one out` });
          seen.add(name);
        }
      }),
    ),
    text,
  );

const path = v.pipe(
  v.string(),
  v.check(
    (text) => text.startsWith('/') && /^[^*$]*(?:\*[^*$]*)?\$?$/.test(text),
    'must begin with "/" and may hold one * for any text, and one $ at its end, as in robots.txt',
  ),
);

const hostname = v.pipe(
  v.string(),
  v.check(
    (text) => /^(\*\.)?[^*/:\s]+$/.test(text),
    'must be the name of a host without scheme and port, such as "cdn.example.com" or "*.example.com"',
  ),
);

const budget = v.strictObject({
  path: field(path, 'Pages that it is for, as in robots.txt: /blog, /*.html$. All pages when left out.'),
  options: field(
    v.strictObject({
      firstPartyHostnames: field(
        listOf(hostname, listLimits.headers),
        'Hosts that are no third party; *.example.com stands for example.com and all below. The domain of the page when left out.',
      ),
    }),
    'What counts as a third party.',
  ),
  resourceSizes: each(
    resourceBudget('Most that is transferred, in KiB.'),
    'resourceType',
    'Budgets of transferred sizes.',
  ),
  resourceCounts: each(resourceBudget('Most requests.'), 'resourceType', 'Budgets of numbers of requests.'),
  timings: each(timingBudget, 'metric', 'Budgets of metrics.'),
});

const budgets = listOf(budget, listLimits.budgets);

/** Settings that are refused: each names files or modules of the server, or another address. */
const refusedSettings = ['gatherMode', 'auditMode', 'plugins', 'blankPage', 'outputPath', 'configPath'];

const settings = v.pipe(
  v.looseObject({ budgets: field(budgets, 'The same as budgets beside config, which win.') }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const name of refusedSettings) {
      if (name in dataset.value)
        addIssue({ message: `may not hold "${name}": it would reach files of the server. Leave it out` });
    }
    for (const [name, value] of Object.entries(dataset.value)) {
      if (Array.isArray(value) && value.length > listLimits.audits)
        addIssue({ message: `may hold at most ${listLimits.audits} entries in "${name}", got ${value.length}` });
    }
  }),
);

const refused = (why: string) =>
  field(
    v.pipe(
      v.unknown(),
      v.check(() => false, `is not available here: ${why}`),
    ),
    `Refused: ${why}.`,
  );

const config = v.pipe(
  v.looseObject({
    extends: field(v.literal('lighthouse:default'), 'The preset that is extended.'),
    settings: field(settings, 'Settings: onlyCategories, onlyAudits, skipAudits, formFactor, throttling and others.'),
    audits: field(listOf(v.string(), listLimits.audits), "Names of Lighthouse's own audits."),
    plugins: refused('plugins are modules of the server'),
    artifacts: refused('gatherers are modules of the server'),
  }),
  v.description('A Lighthouse configuration; it extends the default one.'),
);

export const performanceBody = v.strictObject({
  url: v.pipe(v.string(), v.trim(), v.nonEmpty('must be the address to audit'), v.description('Address of the page.')),
  config: field(config, 'A Lighthouse configuration.'),
  budgets: field(
    budgets,
    "Performance budgets in the format of Lighthouse's budget.json. The last one whose path fits the page counts.",
  ),
});

export type AuditConfig = v.InferOutput<typeof config>;
export type Budget = v.InferOutput<typeof budget>;
