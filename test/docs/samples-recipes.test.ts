// The samples of the recipes, libraries, configurations and troubleshooting of /baas: see samples.test.ts.
import { executedSamples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of /baas: recipes', { timeoutMs: 60_000 });
const wanted = /^\/baas\/(advanced-configurations|libraries|recipes|troubleshooting)\//;
runSamples(
  test,
  executedSamples(({ page }) => wanted.test(page)),
);
