// Runs the baseline, `shell-warm`: a bare script over raw CDP on one running headless shell. For each job it creates a
// context and a page, navigates, waits for load, captures and disposes the context. It is a child process of the bench,
// which sends it jobs as messages.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { FloorClient } from './floor-client.ts';
import { flags } from './floor-flags.ts';
import { type Job, proofOf, type Route, runSeries, selectors, type Series } from './work.ts';

/** The work of `scrape` in one evaluation: what the service returns for each element. */
const scrapeExpression = `${JSON.stringify(selectors)}.map((selector) => ({
  selector,
  results: [...document.querySelectorAll(selector)].map((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const attributes = [...element.attributes].map(({ name, value }) => ({ name, value }));
    return { attributes, html: element.innerHTML, text: element.innerText, left, top, width, height };
  }),
}))`;

async function capture(client: FloorClient, route: Route, session: string): Promise<Uint8Array> {
  const evaluate = async (expression: string) => {
    const { result } = await client.send('Runtime.evaluate', { expression, returnByValue: true }, session);
    return result.value;
  };
  if (route === 'content') return new TextEncoder().encode(await evaluate('document.documentElement.outerHTML'));
  if (route === 'scrape') return new TextEncoder().encode(JSON.stringify(await evaluate(scrapeExpression)));
  const { data } =
    route === 'pdf'
      ? await client.send('Page.printToPDF', { generateTaggedPDF: true }, session)
      : await client.send('Page.captureScreenshot', { format: 'png' }, session);
  return Buffer.from(data, 'base64');
}

async function runJob(client: FloorClient, route: Route, url: string): Promise<Job> {
  const began = performance.now();
  const { browserContextId } = await client.send('Target.createBrowserContext', {});
  const { targetId } = await client.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    width: 800,
    height: 600,
  });
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  await client.send('Page.enable', undefined, sessionId);
  const loaded = client.next('Page.loadEventFired', sessionId);
  await client.send('Page.navigate', { url }, sessionId);
  await loaded;
  const bytes = await capture(client, route, sessionId);
  // A server could respond at this point: the cleanup below is not part of this job's time, but it delays the next job.
  const answeredMs = performance.now() - began;
  const proof = proofOf(route, bytes);
  await client.send('Target.disposeBrowserContext', { browserContextId });
  return { answeredMs, proof };
}

interface Order {
  executable: string;
  niceness: { script: number; browser: number };
}

if (process.send === undefined) throw new Error('floor.ts must be started by the bench');
const { executable, niceness }: Order = JSON.parse(process.argv[2] ?? '');
const reply = process.send.bind(process);
const profile = mkdtempSync(join(tmpdir(), 'browserd-floor-'));
const browser = spawn(executable, [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'], {
  detached: true,
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
});
if (niceness.browser !== 0) setPriority(browser.pid ?? 0, niceness.browser);
if (niceness.script !== 0) setPriority(niceness.script);
const client = new FloorClient(browser);

process.on('message', (series: Series) => {
  runSeries(series, () => runJob(client, series.route, series.url)).then(
    (outcome) => reply({ outcome }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
process.once('disconnect', () => {
  browser.once('exit', () => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  });
  try {
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
  } catch {
    process.exit(0);
  }
});
await client.send('Browser.getVersion', undefined);
reply({ ready: true });
