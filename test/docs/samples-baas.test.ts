// The samples in /baas, run against the real server: see samples.test.ts. Recipes, libraries, configurations and
// troubleshooting are in samples-recipes.test.ts, so that each file finishes well within its time limit on a slow
// machine.
// @tier ci
import { executedSamples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of /baas', { timeoutMs: 60_000 });
const elsewhere = /^\/baas\/(advanced-configurations|libraries|recipes|troubleshooting)\//;
runSamples(
  test,
  executedSamples(({ page }) => page.startsWith('/baas/') && !elsewhere.test(page)),
);
