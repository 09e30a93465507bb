// Defines the JSON body of /performance: an address, a configuration and budgets of Lighthouse.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { budgets } from './budget-fields.ts';
import { field, listOf } from './primitives.ts';

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
