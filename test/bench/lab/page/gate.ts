// Script of the interstitial: reports to the site, and reloads the page when the site lets the browser in.
import { runProbes } from './probes.ts';
import type { GateReport } from './report.ts';
import { botVerdict } from './verdicts.ts';
import { geometry } from './window-facts.ts';

async function ask(): Promise<void> {
  const report: GateReport = {
    bot: await botVerdict(),
    webdriver: String(navigator.webdriver),
    probes: await runProbes(),
    ...geometry(),
  };
  const answer = await fetch(`${location.pathname}/pass`, { method: 'POST', body: JSON.stringify(report) });
  if (answer.ok) location.reload();
  else document.querySelector('#challenge')?.setAttribute('id', 'refused');
}

void ask();
