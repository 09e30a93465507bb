/**
 * Reads the switches that a version of Playwright passes to Chromium: has it start a program that exits immediately,
 * and reads the command line from the error. They are needed to merge lists of features, of which Chromium reads only
 * one.
 */
import { loadPlaywright, type PlaywrightVersion } from './versions.ts';

type Version = Pick<PlaywrightVersion, 'packageName'>;

const known = new Map<string, Promise<readonly string[]>>();
const startLimitMs = 10_000;

/** Reads the switches once per version, in about 20 ms. Empty when the error does not contain them. */
export function defaultSwitchesOf(version: Version): Promise<readonly string[]> {
  let switches = known.get(version.packageName);
  if (!switches) known.set(version.packageName, (switches = read(version)));
  return switches;
}

async function read(version: Version): Promise<readonly string[]> {
  const { chromium } = await loadPlaywright(version);
  try {
    const server = await chromium.launchServer({
      // Exits immediately and successfully on every system that Playwright starts browsers on.
      executablePath: '/bin/true',
      timeout: startLimitMs,
      env: {},
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    await server.kill();
    return [];
  } catch (error) {
    const line = error instanceof Error ? /<launching> \S+ (.*)/.exec(error.message)?.[1] : undefined;
    return line?.split(' ').filter((word) => word.startsWith('--')) ?? [];
  }
}
