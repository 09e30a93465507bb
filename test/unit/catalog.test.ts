// Which browser serves a route: one the operator configured, an installed one, or the embedded shell.
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { BrowserCatalog, type BrowserPaths, engines } from '../../src/browser/processes/catalog.ts';
import type { Engine } from '../../src/browser/processes/executable.ts';
import { embeddedShell } from '../../src/browser/processes/embedded.ts';
import { suite } from '../support/suite.ts';

const test = suite('catalog');
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'browserd');

/** Placeholder executables for browsers: nothing is started here. */
const stand = { shell: '/bin/cat', chromium: '/bin/ls', chrome: '/bin/cp', named: '/bin/mv' };

/** The browser that serves /chromium. @param installed engines found in their usual locations */
async function served(
  installed: (keyof typeof stand)[],
  headless?: boolean | 'shell',
  paths: Partial<BrowserPaths> = {},
): Promise<string> {
  const at = (engine: Engine) => {
    const path = installed.find((name) => name === engine);
    return { ...engines[engine], places: path === undefined ? [] : [stand[path]] };
  };
  const known = { shell: at('shell'), chromium: at('chromium'), chrome: at('chrome'), edge: at('edge') };
  const none = { CHROMIUM_PATH: undefined, SHELL_PATH: undefined, CHROME_PATH: undefined, EDGE_PATH: undefined };
  const catalog = new BrowserCatalog({ ...none, CACHE_DIR: cache, ...paths }, known);
  const { executable, mode } = await catalog.forRoute('chromium', headless);
  return `${executable.path} ${mode}`;
}

// Must run first: once unpacked, the process remembers the embedded shell.
test.proves('CACHE_DIR');
test('an installed full browser is used if the embedded shell cannot be unpacked', async () => {
  assert.is(await served(['chromium'], undefined, { CACHE_DIR: '/dev/null/cache' }), '/bin/ls new');
  const refused = await served([], undefined, { CACHE_DIR: '/dev/null/cache' }).catch((error: Error) => error.message);
  assert.match(refused, /ENOTDIR|is not installed/);
});

/** The result for the embedded shell, or `other` where no package provides one. */
const embeddedOr = async (other: string) => {
  const shell = await embeddedShell(cache);
  return shell === undefined ? other : `${shell.path} shell`;
};

test.differs('A full browser by default');
test('an installed headless shell is used unless the request asks for a full browser', async () => {
  assert.is(await served(['shell', 'chromium']), '/bin/cat shell');
  assert.is(await served(['shell', 'chromium'], 'shell'), '/bin/cat shell');
  assert.is(await served(['shell', 'chromium'], true), '/bin/ls new');
});

test('without an installed shell, the embedded one is used if there is one', async () => {
  assert.is(await served(['chromium']), await embeddedOr('/bin/ls new'));
  assert.is(await served(['chromium', 'chrome']), await embeddedOr('/bin/ls new'));
  assert.is(await served(['chromium'], true), '/bin/ls new');
});

test('a full browser configured by the operator is used unless the request asks for a shell', async () => {
  const paths = { CHROMIUM_PATH: stand.named };
  assert.is(await served([], undefined, paths), '/bin/mv new');
  assert.is(await served([], 'shell', paths), await embeddedOr('/bin/mv new'));
});
