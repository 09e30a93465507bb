/**
 * Reports the browsers on this machine, found with the server's own search; starts them only to print their version.
 */
import { BrowserCatalog, engines } from '../../browser/processes/catalog.ts';
import { embeddedShellAvailable } from '../../browser/processes/embedded.ts';
import type { Engine, Executable } from '../../browser/processes/executable.ts';
import { displayAvailable } from '../../browser/processes/display/display.ts';
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors.ts';
import { FirefoxAndWebKit } from '../../sessions/playwright/firefox-webkit.ts';
import { playwrightVersions } from '../../sessions/playwright/versions.ts';
import { listDirectory } from '../../base/runtime/files.ts';
import { sandboxObstacle } from '../../base/runtime/process.ts';
import { type Line, note, ok, problem } from './line.ts';
import { whyUnwritable } from './directories.ts';

const about = 'browser';

export async function browserLines(config: Config): Promise<Line[]> {
  const catalog = new BrowserCatalog(config);
  const lines = [
    ...(['shell', 'chromium', 'chrome', 'edge'] as const).map((engine) => engineLine(catalog, engine)),
    embeddedLine(),
    ...(['firefox', 'webkit'] as const).map((name) => otherLine(new FirefoxAndWebKit(config), name)),
    servingLine(catalog, config),
    Promise.resolve(clientsLine()),
    sandboxLine(),
    displayLine(),
  ];
  return Promise.all(lines);
}

/** An executable that does not run, or a path to a missing one, affects only the requests for that browser. */
async function engineLine(catalog: BrowserCatalog, engine: Engine): Promise<Line> {
  const { title } = engines[engine];
  try {
    const executable = await catalog.find(engine);
    if (!executable) return note(about, `${title}: not installed`);
    const version = await catalog.version(executable);
    if (version !== undefined) return ok(about, `${title} ${version}: ${executable.path}`);
    return note(about, `${title}: ${doesNotRun(executable)}`);
  } catch (error) {
    return note(about, sentenceOf(error));
  }
}

/** The usual cause is a missing library. */
const doesNotRun = ({ engine, path }: Executable) =>
  `${path} does not run. Run it with --version to see why, or set ${engines[engine].variable} to another executable.`;

async function embeddedLine(): Promise<Line> {
  return (await embeddedShellAvailable())
    ? ok(about, 'embedded headless shell: in the package, unpacked when no other browser is found')
    : note(about, 'embedded headless shell: not in the package, or not built for this machine');
}

async function otherLine(others: FirefoxAndWebKit, name: 'firefox' | 'webkit'): Promise<Line> {
  try {
    const { path, patched } = await others.find(name);
    const title = `${name === 'firefox' ? 'Firefox' : 'WebKit'} ${await others.version(name)}`;
    return ok(about, `${title}${patched ? ", Playwright's build" : ''}: ${path}`);
  } catch (error) {
    return note(about, sentenceOf(error));
  }
}

/** Reports whether requests that do not specify a browser can be served, and by which browser. */
async function servingLine(catalog: BrowserCatalog, { CACHE_DIR }: Config): Promise<Line> {
  try {
    const executable = await catalog.require('chromium');
    if (executable === undefined) return await embeddedServesLine(CACHE_DIR);
    return (await catalog.version(executable)) === undefined
      ? problem(about, `default browser: ${doesNotRun(executable)}`, 'configuration')
      : ok(about, `default browser: ${executable.path}`);
  } catch (error) {
    return problem(about, sentenceOf(error), 'configuration');
  }
}

async function embeddedServesLine(cacheDirectory: string): Promise<Line> {
  const isUnpacked = (await listDirectory(cacheDirectory)).some((name) => name.startsWith('shell-'));
  const failed = isUnpacked ? undefined : await whyUnwritable(cacheDirectory);
  return failed === undefined
    ? ok(about, 'default browser: the embedded headless shell')
    : problem(
        about,
        `the embedded headless shell cannot be unpacked into ${cacheDirectory} (${failed}). Set CACHE_DIR to another directory.`,
        'directory',
      );
}

function clientsLine(): Line {
  const minors = playwrightVersions.map(({ version }) => version.split('.').slice(0, 2).join('.'));
  return ok('clients', `Playwright ${minors.at(-1)} to ${minors[0]}, Puppeteer`);
}

async function sandboxLine(): Promise<Line> {
  const why = await sandboxObstacle();
  return why === undefined
    ? ok('sandbox', 'browsers run in their own sandbox')
    : note('sandbox', `off, browsers run with --no-sandbox: ${why}. Do not open untrusted pages.`);
}

async function displayLine(): Promise<Line> {
  return (await displayAvailable())
    ? ok('display', 'browsers with a window can be started')
    : note('display', 'none: launch.headless=false does not work. Install Xvfb or set DISPLAY.');
}

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  throw error;
}
