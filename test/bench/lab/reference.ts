// The reference: this machine's full browser on a fresh profile, started the way a person would, without a debugging
// port or pipe and without automation switches. It opens the URL on its command line, and the page reports.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { BrowserCatalog } from '../../../src/browser/processes/catalog.ts';
import { displayAvailable, openDisplay } from '../../../src/browser/processes/display/display.ts';
import { endProcesses, processesMentioning } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const endLimitMs = 10_000;
/** How much of the end of the browser's standard error a failure shows, in characters. */
const maxStderrTail = 1_000;

/** A common window size. */
const windowSize = '--window-size=1536,864';

/** Switches that no page can see. */
const invisibleSwitches = [
  // First-run dialogs would cover the page.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-search-engine-choice-screen',
  // No infobar about other switches; it would reduce the viewport height.
  '--test-type',
  // No background traffic by the browser, no crash handler that outlives it, no keyring dialog.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--password-store=basic',
  // An empty /dev/shm of 64 MB, the default of containers, crashes large pages.
  '--disable-dev-shm-usage',
];

export interface Reference {
  /** How the reference runs; for the table. */
  title: string;
  /** Opens the URL in a new browser, which stays open until the work is done. */
  visit(url: string, work: Promise<unknown>): Promise<void>;
}

/** The path of the full browser. */
async function fullBrowser(): Promise<string> {
  const catalog = new BrowserCatalog({
    CHROMIUM_PATH: process.env['CHROMIUM_PATH'],
    SHELL_PATH: undefined,
    CHROME_PATH: process.env['CHROME_PATH'],
    EDGE_PATH: undefined,
    CACHE_DIR: tmpdir(),
  });
  const found = (await catalog.find('chromium')) ?? (await catalog.find('chrome'));
  if (found === undefined) throw new Error('there is no full Chromium');
  return found.path;
}

/** Kills a browser: its process group, and every other process that mentions its profile. */
async function end(pid: number, profile: string): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already exited.
  }
  endProcesses(processesMentioning(profile));
  await until('the reference browser to exit', () => processesMentioning(profile).length === 0, endLimitMs);
}

/** The reference on this machine. @throws when there is no full Chromium */
export async function findReference(): Promise<Reference> {
  const path = await fullBrowser();
  const hasDisplay = await displayAvailable();
  const mode = hasDisplay ? [] : ['--headless=new'];
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return {
    title: hasDisplay ? 'a window, not automated' : 'NO DISPLAY: new headless, not automated',
    async visit(url, work) {
      // A short name: the path of Chromium's socket inside it is limited to 107 characters.
      const profile = temporaryDirectory();
      await using display = hasDisplay ? await openDisplay(profile) : undefined;
      const args = [`--user-data-dir=${profile}`, windowSize, ...invisibleSwitches, ...sandbox, ...mode, url];
      const env = { ...process.env, ...display?.environment, TMPDIR: profile };
      const child = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
      let stderrTail = '';
      child.stderr.on('data', (text) => (stderrTail = `${stderrTail}${text}`.slice(-maxStderrTail)));
      const ended = new Promise<never>((_, reject) => {
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`the reference browser exited with ${code}: ${stderrTail}`)));
      });
      try {
        await Promise.race([work, ended]);
      } finally {
        ended.catch(() => undefined);
        if (child.pid !== undefined) await end(child.pid, profile);
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}
