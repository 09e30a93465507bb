// The baseline for sockets: a warm headless shell to which clients connect directly, and the first steps of a script in
// its own browser and in a shared one.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser as Client, type Page } from 'puppeteer-core';
import { flags } from './floor-flags.ts';
import type { Browser } from './subjects.ts';

/** What clients connect to. */
export interface SocketTarget {
  endpoint: string;
  /** The root of the measured process tree. */
  pid: number;
  /**
   * True when all clients share this browser. A client then creates a browser context for each session: that keeps
   * sessions apart, and is what a script without a server would do.
   */
  isShared: boolean;
  stop(): Promise<void>;
}

/** Starts a warm headless shell to which clients connect directly. */
export async function startDirect(browser: Browser): Promise<SocketTarget> {
  const profile = mkdtempSync(join(tmpdir(), 'browserd-direct-'));
  const child = spawn(
    browser.path,
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...browser.env } },
  );
  let output = '';
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the browser exited: ${output}`)));
    child.stderr.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (ws:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
  });
  return {
    endpoint,
    pid: child.pid ?? 0,
    isShared: true,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
          resolve();
        });
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      }),
  };
}

/** A connected client with its own page; `end` closes both. */
export interface OpenPage {
  page: Page;
  end(): Promise<void>;
}

/** Connects and opens a page, in a new browser context if the browser is shared. */
export async function openPage({ endpoint, isShared }: Pick<SocketTarget, 'endpoint' | 'isShared'>): Promise<OpenPage> {
  const client = await puppeteer.connect({ browserWSEndpoint: endpoint });
  const context = isShared ? await client.createBrowserContext() : undefined;
  const page = await (context ?? client).newPage();
  return { page, end: () => endPage(client, context ?? page) };
}

async function endPage(client: Client, held: { close(): Promise<void> }): Promise<void> {
  await held.close();
  await client.disconnect();
}

/** Connects, opens a page, loads it and reads its title, as scripts do first. Returns the time to the title, in ms. */
export async function firstTitle(side: Pick<SocketTarget, 'endpoint' | 'isShared'>, url: string): Promise<number> {
  const began = performance.now();
  const { page, end } = await openPage(side);
  await page.goto(url);
  await page.title();
  const ms = performance.now() - began;
  await end();
  return ms;
}
