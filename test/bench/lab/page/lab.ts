// Script of the lab page: collects all facts and reports them to the site. The #done element means that the site has
// the facts, #sent that it has the input record.
import { abilityFacts } from './ability-facts.ts';
import { askContexts } from './contexts.ts';
import { recordInput } from './input.ts';
import { navigatorFacts } from './navigator-facts.ts';
import { runProbes } from './probes.ts';
import type { LabReport } from './report.ts';
import { botVerdict, fingerprint } from './verdicts.ts';
import { windowFacts } from './window-facts.ts';

async function send(name: string, body: object): Promise<void> {
  await fetch(`${location.pathname}/${name}`, { method: 'POST', body: JSON.stringify(body) });
}

function show(id: string): void {
  const mark = document.createElement('p');
  mark.id = id;
  mark.textContent = id;
  document.body.append(mark);
}

async function collect(): Promise<LabReport> {
  // Run sequentially: one measurement must not disturb the timing of another.
  const bot = await botVerdict();
  const facts = { navigator: await navigatorFacts(), window: await windowFacts(), abilities: await abilityFacts() };
  return { ...facts, bot, probes: await runProbes(), contexts: await askContexts(), fingerprint: await fingerprint() };
}

async function run(): Promise<void> {
  const button = document.querySelector<HTMLElement>('#go');
  const field = document.querySelector<HTMLInputElement>('#in');
  if (button === null || field === null) throw new Error('the page has no button or field');
  recordInput({ button, field, text: field.dataset['text'] ?? '' }, (report) => {
    void send('input', report).then(() => show('sent'));
  });
  try {
    await send('report', await collect());
  } catch (error) {
    await send('failure', { message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  show('done');
}

void run();
