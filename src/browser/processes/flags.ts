/** Builds Chromium's command line: the server's own flags, each with its reason, merged with the client's. */
import { processorCount } from '../../base/runtime/machine.ts';
import type { Identity } from './stealth/identity.ts';
import { blinkFeaturesOff, revealing, stealthSwitches } from './stealth/profile.ts';
import type { Mode } from './catalog.ts';
import { namesExtensions } from './extensions/extensions.ts';

/**
 * Who drives a browser: only the server, the code of requests, one client that has the whole browser, or several clients
 * with contexts in it. Only pages that the server alone drives may not open windows; a browser of one client starts with
 * a page.
 */
export type Clients = 'none' | 'code' | 'one' | 'several';

export interface CommandLineOptions {
  mode: Mode;
  /** The profile directory; always set, so that nothing is written to the user's own profile. */
  dataDirectory: string;
  /** The local proxy that carries all traffic: the egress proxy, or the one in front of the client's own proxy. */
  proxyServer: string;
  /** False adds `--no-sandbox`. */
  sandbox: boolean;
  clients: Clients;
  /** Arguments of the request, already checked. */
  args: readonly string[];
  /** True omits all defaults except the required ones; a list omits the listed ones. */
  ignoreDefaultArgs: boolean | readonly string[];
  /**
   * For a stealth browser. `identity`: what a browser without a window reports about itself; undefined for one with a
   * window.
   */
  stealth?: { identity: Identity | undefined } | undefined;
}

/** Flags that the server depends on: a client can neither remove nor override them. */
function requiredFlags(options: CommandLineOptions): string[] {
  return [
    // The control channel is a pair of pipes that only this process holds; there is no port to take over.
    '--remote-debugging-pipe',
    `--user-data-dir=${options.dataDirectory}`,
    // Chromium refuses to start as root, or without user namespaces, with its sandbox on.
    ...(options.sandbox ? [] : ['--no-sandbox']),
    ...(options.mode === 'new' ? ['--headless=new'] : []),
    ...proxiedOnlyFlags,
  ];
}

/** Disables WebRTC's direct UDP traffic, which would bypass the egress proxy. */
export const proxiedOnlyFlags = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** Flags for all modes. */
const defaultFlags = [
  // A page's document must not depend on a first-run dialog or a default-browser prompt.
  '--no-first-run',
  '--no-default-browser-check',
  // No traffic that the browser itself starts: update checks, field trials, metrics, sync, safe-browsing lists.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--metrics-recording-only',
  '--disable-client-side-phishing-detection',
  // The server reports crashes itself; Chromium's crash handler would be a process that outlives the browser.
  '--disable-breakpad',
  '--disable-crash-reporter',
  // Run background pages at full speed: all pages on the server are in the background.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // No dialogs about hung pages and repeated form posts: there is no user to answer them.
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  // Deliver input that arrives before a page's first frame: by default Chromium drops it, because a person cannot have
  // meant it for something that is not visible yet.
  '--allow-pre-commit-input',
  // The same pixels on every machine.
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--hide-scrollbars',
  '--mute-audio',
  // No key ring dialogs.
  '--password-store=basic',
  '--use-mock-keychain',
  // A /dev/shm of 64 MB, the default in containers, crashes large pages even when it is empty.
  '--disable-dev-shm-usage',
];

/**
 * Flags for browsers with one client. Automation sends more IPC messages than a person does, so they are not throttled.
 * When several clients share a process, throttling stays on: a page that floods the process with navigations would hold
 * up all pages.
 */
const ownFlags = ['--disable-ipc-flooding-protection'];

/** Flags for browsers that only the server drives. */
const ownUseFlags = [
  // Pages cannot open windows, as in a browser with its popup blocker on: window.open returns null. Otherwise, a page
  // that keeps opening itself would multiply renderers. Full browsers ignore the switch, and block what no click opens.
  '--block-new-web-contents',
];

/**
 * Flags for browsers that several clients share. Chromium gives every page a separate renderer up to this limit; beyond
 * it, pages of one context share a renderer, as they would on a machine with little memory. Otherwise, the blank page
 * that a virtual browser starts with would cost a separate renderer. The drawback: pages of one site may wait for each
 * other.
 */
const sharedFlags = [`--renderer-process-limit=${processorCount}`];

/** The server creates the first page itself; a start-up window costs 0.3 s of CPU. */
const ownUseFullBrowserFlags = ['--no-startup-window'];

/**
 * Flags for full browsers only. A print preview, which a page opens with print(), would hold up Page.printToPDF; browsers
 * with windows take `printing.enabled` from their preferences.
 */
const fullBrowserFlags = ['--disable-extensions', '--disable-search-engine-choice-screen', '--disable-print-preview'];

/** Features to disable, merged with the client's into one switch: Chromium reads only the last `--disable-features`. */
const disabledFeatures = [
  // Dialogs and bubbles, because there is no user to answer them.
  'Translate',
  'MediaRouter',
  'DialMediaRouteProvider',
  // Background downloads of models and hints.
  'OptimizationHints',
  'OptimizationGuideModelDownloading',
  // Prompts for pages that access private addresses; the egress proxy decides about such access.
  'LocalNetworkAccessChecks',
  // Keeps renderers of pages that were navigated away from, for going back in history; going back loads the page again
  // instead.
  'BackForwardCache',
  // The pool keeps spare pages; a spare renderer in addition would use that memory a second time.
  'SpareRendererForSitePerProcess',
  // An http: URL must be requested over http:, without an upgrade.
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
];

/** The whole command line, without the executable. */
export function commandLineOf(options: CommandLineOptions): string[] {
  const full = options.mode !== 'shell';
  const extended = options.args.some(namesExtensions);
  const defaults = [
    ...(options.stealth ? defaultFlags.filter((flag) => !revealing.includes(flag)) : defaultFlags),
    ...(full ? fullBrowserFlags.filter((flag) => !extended || flag !== '--disable-extensions') : []),
    ...(options.clients === 'several' ? sharedFlags : []),
    ...(options.clients === 'one' ? ownFlags : []),
    ...(options.clients === 'none' ? ownUseFlags : []),
    ...(full && (options.clients === 'none' || options.clients === 'code') ? ownUseFullBrowserFlags : []),
  ];
  const ignored = options.ignoreDefaultArgs;
  const kept =
    ignored === true
      ? []
      : ignored === false
        ? defaults
        : defaults.filter((flag) => !ignored.includes(nameOf(flag)) && !ignored.includes(flag));
  const stealth = options.stealth ? stealthSwitches(options.stealth.identity) : [];
  const own = options.args.filter(
    (arg) => !mergedSwitches.has(nameOf(arg)) && !namesExtensions(arg) && nameOf(arg) !== '--headless',
  );
  return [
    ...[...kept, ...stealth].filter((flag) => !own.some((arg) => nameOf(arg) === nameOf(flag))),
    ...(extended ? own.filter((flag) => flag !== '--disable-extensions') : own),
    // The server loads extensions over the control channel, after startup.
    ...(extended ? ['--enable-unsafe-extension-debugging'] : []),
    ...featureSwitch('--disable-features', ignored === true ? [] : disabledFeatures, options.args),
    ...featureSwitch('--enable-features', [], options.args),
    ...featureSwitch('--disable-blink-features', options.stealth ? blinkFeaturesOff : [], options.args),
    ...languageSwitch(options),
    ...proxySwitches(options),
    // Last, because Chromium uses the last occurrence of a repeated switch.
    ...requiredFlags(options),
    // Clients expect the browser to have a page.
    ...(options.clients === 'one' ? ['about:blank'] : []),
  ];
}

const mergedSwitches = new Set([
  '--disable-features',
  '--enable-features',
  '--disable-blink-features',
  '--proxy-server',
  '--proxy-bypass-list',
  '--user-data-dir',
  '--remote-debugging-pipe',
]);

/** One switch with the server's and the client's features, each once; an empty list when there are none. */
export function featureSwitch(name: string, ours: readonly string[], args: readonly string[]): string[] {
  const features = new Set([...ours, ...valuesOf(name, args).flatMap((value) => value.split(','))]);
  features.delete('');
  return features.size === 0 ? [] : [`${name}=${[...features].join(',')}`];
}

/** Default languages: those of Chromium in American English. */
const defaultLanguages = 'en-US,en';

/**
 * The headless shell reads the languages of pages only from `--accept-lang`, and sends no Accept-Language without it;
 * full browsers follow `--lang`, if they have the UI text in that language. The pages of a stealth browser always
 * follow `--lang`, as its dates and numbers do.
 */
export function languageSwitch({
  mode,
  args,
  stealth,
}: Pick<CommandLineOptions, 'mode' | 'args' | 'stealth'>): string[] {
  if (valuesOf('--accept-lang', args).length > 0) return [];
  const language = valuesOf('--lang', args).at(-1);
  if (mode === 'shell') return [`--accept-lang=${language ?? defaultLanguages}`];
  if (!stealth || language === undefined) return [];
  return [`--accept-lang=${[...new Set([language, language.split('-')[0]])].join(',')}`];
}

/**
 * Sends all traffic through one local proxy, including that to loopback, which Chromium would otherwise reach directly.
 */
function proxySwitches({ proxyServer }: CommandLineOptions): string[] {
  return [`--proxy-server=${proxyServer}`, '--proxy-bypass-list=<-loopback>'];
}

/** Values of a switch in a list of arguments, in order. */
export function valuesOf(name: string, args: readonly string[]): string[] {
  return args.filter((arg) => nameOf(arg) === name).map((arg) => arg.slice(name.length + 1));
}

/** The name of a switch, with its dashes: `--lang` of `--lang=de`. */
export function nameOf(arg: string): string {
  return arg.split('=', 1)[0] ?? arg;
}
