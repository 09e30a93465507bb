// Script of the page in frames: sends its facts to the parent page.
import { navigatorFacts } from './navigator-facts.ts';
import { runProbes } from './probes.ts';
import type { ContextFacts } from './report.ts';

async function tell(): Promise<void> {
  const facts: ContextFacts = { navigator: await navigatorFacts(), probes: await runProbes() };
  parent.postMessage(facts, '*');
}

void tell();
