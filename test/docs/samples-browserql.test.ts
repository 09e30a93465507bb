// The samples in /browserql, run against the real server: see samples.test.ts.
// @tier ci
import { executedSamples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of /browserql', { timeoutMs: 60_000 });
runSamples(
  test,
  executedSamples(({ page }) => page.startsWith('/browserql/')),
);
