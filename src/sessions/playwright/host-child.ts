/**
 * Runs Playwright's servers in a separate process, which only the server starts: the memory and time that a client's
 * messages cost are spent here. Exits with the server, and closes its browsers too.
 */
import type { BrowserServer } from 'playwright-core';
import {
  exit,
  onUncaught,
  readLines,
  setTemporaryDirectory,
  writeMessage,
  writeProgress,
} from '../../base/runtime/machine.ts';
import { nextTurn } from '../../base/runtime/deadline.ts';
import { maxErrorOutputBytes, signalGroup } from '../../base/runtime/process.ts';
import { defaultSwitchesOf } from './defaults.ts';
import type { BrowserEnd, HostMessage, HostCommand, LibraryFacts } from './host-messages.ts';
import { loadPlaywright } from './versions.ts';

type Launch = Extract<HostCommand, { do: 'launch' }>;

/** The message of a failed launch contains the browser's output. */
const maxMessageCharacters = 2 * maxErrorOutputBytes;

const browsers = new Map<number, BrowserServer>();

/** Runs the server's commands until it closes the connection. */
export function runPlaywright(): Promise<never> {
  // An error that one client causes must not end other clients' browsers.
  onUncaught((error) => writeProgress(`uncaught: ${messageOf(error)}`));
  return new Promise(() => {
    readLines((line) => void follow(line), leave);
  });
}

function leave(): void {
  for (const browser of browsers.values()) signalGroup(browser.process().pid ?? 0, 'SIGKILL');
  exit(0);
}

async function follow(line: string): Promise<void> {
  // Only the server writes these lines.
  const order = JSON.parse(line) as HostCommand;
  try {
    write({ id: order.id, result: await execute(order) });
  } catch (error) {
    write({ id: order.id, error: messageOf(error) });
  }
}

async function execute(order: HostCommand): Promise<unknown> {
  if (order.do === 'describe') return describe(order.packageName);
  if (order.do === 'launch') return launch(order);
  await browsers.get(order.browser)?.kill();
  browsers.delete(order.browser);
  return undefined;
}

async function describe(packageName: string): Promise<LibraryFacts> {
  const { firefox, webkit } = await loadPlaywright({ packageName });
  return {
    executables: { firefox: firefox.executablePath(), webkit: webkit.executablePath() },
    chromiumSwitches: await defaultSwitchesOf({ packageName }),
  };
}

/** @returns the process id of the browser */
async function launch({ id, packageName, type, options, temporaryDirectory }: Launch): Promise<number> {
  const library = await loadPlaywright({ packageName });
  const chosen = type === 'stock-firefox' ? library._bidiFirefox : library[type];
  if (!chosen) throw new Error(`${packageName} does not support stock Firefox`);
  setTemporaryDirectory(temporaryDirectory);
  const server = await chosen.launchServer(options);
  browsers.set(id, server);
  const process = server.process();
  let errorOutput = '';
  process.stderr?.on('data', (chunk: Uint8Array) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutputBytes);
  });
  let reported = false;
  const report = () => {
    if (reported) return;
    reported = true;
    const end: BrowserEnd = { code: process.exitCode, signal: process.signalCode, errorOutput };
    write({ ended: id, end });
  };
  // Playwright reports the end only when it has removed its directories, which may take seconds on a busy machine. One
  // turn of the event loop later, the last output of the browser has been read.
  process.once('exit', () => void nextTurn().then(report));
  server.on('close', report);
  return process.pid ?? 0;
}

function write(message: HostMessage): void {
  writeMessage(JSON.stringify(message));
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxMessageCharacters);
}
