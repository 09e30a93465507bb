// The samples in /baas/v1, which show what to send instead now: see samples.test.ts.
// @tier ci
import { executedSamples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of /baas/v1', { timeoutMs: 60_000 });
runSamples(
  test,
  executedSamples(({ page }) => page.startsWith('/baas/v1/')),
);
