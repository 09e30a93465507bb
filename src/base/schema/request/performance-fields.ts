// Defines the JSON body of /performance: a URL, a Lighthouse configuration, and performance budgets in the format of
// Lighthouse's budget.json.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { checkAll, field, listOf } from './primitives.ts';

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
    resourceType: v.pipe(v.picklist(resourceTypes), v.description('Resource type.')),
    budget: amount(text),
  });

const timingBudget = v.strictObject({
  metric: v.pipe(v.picklist(metrics), v.description('Lighthouse metric.')),
  budget: amount('Maximum value in milliseconds; for cumulative-layout-shift, a score.'),
  tolerance: field(amount('Allowed excess over the budget.'), 'Allowed excess over the budget.'),
});

/** A list of budgets, at most one per kind. */
const each = <const S extends v.GenericSchema>(item: S, key: string, text: string) =>
  field(
    v.pipe(
      listOf(item, listLimits.budgets),
      checkAll((entries) => {
        const names = entries.map((entry): unknown => Reflect.get(Object(entry), key));
        const again = names.filter((name, index) => names.indexOf(name) < index);
        return again.map((name) => `has two budgets for ${JSON.stringify(name)}; leave one out`);
      }),
    ),
    text,
  );

const path = v.pipe(
  v.string(),
  v.check(
    (text) => text.startsWith('/') && /^[^*$]*(?:\*[^*$]*)?\$?$/.test(text),
    'must begin with "/" and may contain one * for any text, and one $ at its end, as in robots.txt',
  ),
);

const hostname = v.pipe(
  v.string(),
  v.check(
    (text) => /^(\*\.)?[^*/:\s]+$/.test(text),
    'must be a hostname without scheme and port, such as "cdn.example.com" or "*.example.com"',
  ),
);

const budget = v.strictObject({
  path: field(path, 'Pages that the budget applies to, as in robots.txt: /blog, /*.html$. All pages when omitted.'),
  options: field(
    v.strictObject({
      firstPartyHostnames: field(
        listOf(hostname, listLimits.headers),
        'Hosts that are not third parties; *.example.com covers example.com and all its subdomains. Default: the domain of the page.',
      ),
    }),
    'Which hosts count as third parties.',
  ),
  resourceSizes: each(resourceBudget('Maximum transfer size, in KiB.'), 'resourceType', 'Budgets for transfer sizes.'),
  resourceCounts: each(
    resourceBudget('Maximum number of requests.'),
    'resourceType',
    'Budgets for the number of requests.',
  ),
  timings: each(timingBudget, 'metric', 'Budgets for metrics.'),
});

const budgets = listOf(budget, listLimits.budgets);

/** Settings that are refused: each specifies files or modules on the server, or another URL. */
const refusedSettings = ['gatherMode', 'auditMode', 'plugins', 'blankPage', 'outputPath', 'configPath'];

/** Lighthouse's own values, which the `configSettings` of a report contain. */
const isDefault = (value: unknown) => value === false || value === null || value === 'about:blank';

const settings = v.pipe(
  v.looseObject({ budgets: field(budgets, 'Same as the top-level budgets, which take precedence.') }),
  checkAll((given) => [
    ...refusedSettings.map((name) =>
      name in given && !isDefault(given[name])
        ? `must not contain "${name}": it would access server files. Leave it out`
        : undefined,
    ),
    ...Object.entries(given).map(([name, value]) =>
      Array.isArray(value) && value.length > listLimits.audits
        ? `may have at most ${listLimits.audits} entries in "${name}", got ${value.length}`
        : undefined,
    ),
  ]),
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
    extends: field(v.literal('lighthouse:default'), 'The preset to extend.'),
    settings: field(settings, 'Settings: onlyCategories, onlyAudits, skipAudits, formFactor, throttling and others.'),
    audits: field(listOf(v.string(), listLimits.audits), 'Names of built-in Lighthouse audits.'),
    plugins: refused('plugins are server modules'),
    artifacts: refused('gatherers are server modules'),
  }),
  v.description('A Lighthouse configuration; it extends the default one.'),
);

export const performanceBody = v.strictObject({
  url: v.pipe(v.string(), v.trim(), v.nonEmpty('must be the URL to audit'), v.description('URL of the page.')),
  config: field(config, 'A Lighthouse configuration.'),
  budgets: field(
    budgets,
    "Performance budgets in the format of Lighthouse's budget.json. The last one whose path matches the page applies.",
  ),
});

export type AuditConfig = v.InferOutput<typeof config>;
export type Budget = v.InferOutput<typeof budget>;
