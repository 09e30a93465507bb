/** Decides which program Playwright starts for a request, with which browser type of the library and which options. */
import { ServiceError } from '../../base/errors.ts';
import { sandboxAvailable } from '../../base/runtime/process.ts';
import type { LaunchOptions } from '../../base/schema/request/launch.ts';
import type { BrowserCatalog, BrowserName } from '../../browser/processes/catalog.ts';
import { type BidiRelay, writeFirefoxScript } from './firefox-bidi.ts';
import type { FirefoxAndWebKit } from './firefox-webkit.ts';
import {
  type BrowserOptions,
  chromiumOptions,
  firefoxOptions,
  headlessOf,
  type LaunchEnvironment,
  webkitOptions,
} from './options.ts';
import type { LibraryFacts } from './host-messages.ts';
import type { PlaywrightVersion } from './versions.ts';

export type PlaywrightBrowserName = BrowserName | 'firefox' | 'webkit';

export interface PlaywrightRequest {
  browser: PlaywrightBrowserName;
  version: PlaywrightVersion;
  /**
   * `downloadsPath` and `tracesDir` have no effect: such files are saved in the session's own directory and are deleted
   * with it.
   */
  launch: LaunchOptions;
  /** URL of the request's own local proxy; undefined for the egress proxy. */
  proxyServer: string | undefined;
  /** The account that sends the request. */
  account: string;
}

/** How a browser is started: the library's type, the executable and the options that depend on the browser. */
export interface Plan {
  type: 'chromium' | 'firefox' | 'webkit';
  stockFirefox: boolean;
  /** True for a browser with tabs and menus, false for the headless shell. */
  full: boolean;
  path: string;
  options: BrowserOptions;
}

/** The installed programs, and what the browsers connect to. */
export interface Programs {
  readonly catalog: BrowserCatalog;
  readonly firefoxAndWebKit: FirefoxAndWebKit;
  readonly egressPort: number;
  /** Starts the relay for stock Firefox, once. */
  relay(): Promise<BidiRelay>;
}

interface PlanInput {
  request: PlaywrightRequest;
  library: LibraryFacts;
  /** The session's own directory. */
  scratch: string;
}

/** @throws ServiceError `browser-missing`, `invalid-launch` */
export async function planLaunch({ request, library, scratch }: PlanInput, programs: Programs): Promise<Plan> {
  const { browser, launch, proxyServer } = request;
  const { catalog, firefoxAndWebKit, egressPort } = programs;
  const surroundings: LaunchEnvironment = {
    proxyServer: proxyServer ?? `socks5://127.0.0.1:${egressPort}`,
    sandbox: await sandboxAvailable(),
    scratchDirectory: scratch,
  };
  if (browser === 'webkit') {
    const { path } = await firefoxAndWebKit.find('webkit', library.executables.webkit);
    const options = webkitOptions(launch, surroundings);
    return { type: 'webkit', stockFirefox: false, full: true, path, options };
  }
  if (browser === 'firefox') {
    const { path, patched } = await firefoxAndWebKit.find('firefox', library.executables.firefox);
    const options = firefoxOptions(launch, surroundings);
    const start = patched ? path : await writeFirefoxScript(path, scratch, await programs.relay());
    return { type: 'firefox', stockFirefox: !patched, full: true, path: start, options };
  }
  const stealth = launch.stealth === true;
  const chosen = stealth ? catalog.forStealth(browser) : catalog.forRoute(browser, headlessOf(launch));
  const { executable, mode } = await chosen;
  if (stealth && mode !== 'headful') throw withoutDisplay();
  const options = chromiumOptions(mode, launch, library.chromiumSwitches, surroundings);
  return { type: 'chromium', stockFirefox: false, full: mode !== 'shell', path: executable.path, options };
}

/** Playwright's server sets up its own pages: without a window, they would report inconsistent values. */
function withoutDisplay(): ServiceError {
  return new ServiceError(
    'invalid-launch',
    'launch.stealth needs a display on Playwright sockets, and this server has none. Connect with connectOverCDP() to /stealth, or install Xvfb on the server.',
    { issues: [{ path: 'launch.stealth', message: 'needs a display on Playwright sockets' }] },
  );
}
