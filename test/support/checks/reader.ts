// Starts a Chromium, separate from the server's browsers, in which Puppeteer reads the documentation as a user would.
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { BrowserCatalog } from '../../../src/browser/processes/catalog.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export interface Reader {
  browser: Browser;
  /** Opens a page in a new browser context, so that nothing is left over from other tests. */
  open(options?: { width?: number; height?: number; script?: boolean }): Promise<Page>;
  close(): Promise<void>;
}

/** Path of the browser that the server uses for ordinary requests. */
export const shellExecutable = () => executableFor(undefined);

/** @param headless as in `launch`: true for the full browser */
async function executableFor(headless: true | undefined): Promise<string> {
  const catalog = new BrowserCatalog({
    CHROMIUM_PATH: process.env['CHROMIUM_PATH'],
    SHELL_PATH: process.env['SHELL_PATH'],
    CHROME_PATH: process.env['CHROME_PATH'],
    EDGE_PATH: process.env['EDGE_PATH'],
    CACHE_DIR: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'browserd'),
  });
  return (await catalog.forRoute('chromium', headless)).executable.path;
}

/**
 * Starts the browser; the test must close it in an `after` hook.
 * @param headless true for the full browser
 */
export async function startReader(args: string[] = [], headless?: true): Promise<Reader> {
  const profile = temporaryDirectory();
  const browser = await puppeteer.launch({
    executablePath: await executableFor(headless),
    userDataDir: profile,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
    protocolTimeout: 60_000,
    timeout: 60_000,
  });
  const contexts = new Set<BrowserContext>();
  return {
    browser,
    async open({ width = 1280, height = 900, script = true } = {}) {
      const context = await browser.createBrowserContext();
      contexts.add(context);
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      await page.setViewport({ width, height });
      if (!script) await page.setJavaScriptEnabled(false);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
