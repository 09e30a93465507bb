/**
 * Builds the options that a Playwright server starts a browser with: Playwright's own defaults, the switches that this
 * server requires, and the client's launch options. In each browser, all traffic goes through the server's proxy.
 */
import type { LaunchOptions as LibraryOptions } from 'playwright-core';
import { ServiceError } from '../../base/errors.ts';
import { unbracketed } from '../../base/schema/request/addresses.ts';
import type { LaunchOptions } from '../../base/schema/request/launch.ts';
import type { Mode } from '../../browser/processes/catalog.ts';
import { blinkFeaturesOff, stealthSwitches } from '../../browser/processes/stealth/profile.ts';
import {
  commandLineOf,
  featureSwitch,
  languageSwitch,
  nameOf,
  proxiedOnlyFlags,
  valuesOf,
} from '../../browser/processes/flags.ts';

export interface LaunchEnvironment {
  /** URL of the egress proxy, or of the request's own local proxy. */
  proxyServer: string;
  /** False adds `--no-sandbox`. */
  sandbox: boolean;
  /** The session's own directory. */
  scratchDirectory: string;
}

/** The part of Playwright's options that depends on the browser. */
export type BrowserOptions = Pick<
  LibraryOptions,
  'args' | 'ignoreDefaultArgs' | 'headless' | 'chromiumSandbox' | 'proxy' | 'firefoxUserPrefs' | 'slowMo'
>;

function paceOf({ slowMo }: LaunchOptions): Pick<BrowserOptions, 'slowMo'> {
  return slowMo === undefined ? {} : { slowMo };
}

/** Switches beyond Playwright's own that change nothing a page can see. */
const chromiumFlags = [
  // The server reports crashes itself; Chromium's crash handler would be a process that outlives the browser.
  '--disable-crash-reporter',
  '--disable-domain-reliability',
  '--disable-component-update',
];

/** Features to disable, merged with Playwright's and the client's into one switch: Chromium reads only the last one. */
const disabledFeatures = ['LocalNetworkAccessChecks', 'OptimizationGuideModelDownloading', 'Translate'];

/** Defaults that a client cannot remove: the control channel, the profile and the proxy. */
const keptDefaults = new Set([
  '--remote-debugging-pipe',
  '--user-data-dir',
  '--proxy-server',
  '--proxy-bypass-list',
  '--host-resolver-rules',
]);

const featureSwitches = ['--disable-features', '--enable-features', '--disable-blink-features'];
const joinedSwitches = new Set([...featureSwitches, '--proxy-server', '--proxy-bypass-list']);

/** @param defaults the switches that this version of Playwright starts a browser with */
export function chromiumOptions(
  mode: Mode,
  launch: LaunchOptions,
  defaults: readonly string[],
  surroundings: LaunchEnvironment,
): BrowserOptions {
  const { proxyServer, sandbox, scratchDirectory } = surroundings;
  const callers = launch.args.filter((arg) => nameOf(arg) !== '--headless');
  const insecure = launch.acceptInsecureCerts === true ? ['--ignore-certificate-errors'] : [];
  // Without this rule, Chromium would reach loopback directly.
  const proxy = { server: proxyServer, bypass: '<-loopback>' };
  const stealth = launch.stealth === true;
  const common = { ...paceOf(launch), headless: mode !== 'headful', chromiumSandbox: sandbox, proxy };
  if (launch.ignoreDefaultArgs === true) {
    const args = commandLineOf({
      mode,
      dataDirectory: `${scratchDirectory}/profile`,
      proxyServer,
      sandbox,
      clients: 'none',
      args: callers,
      ignoreDefaultArgs: true,
      stealth: stealth ? { identity: undefined } : undefined,
    });
    return { ...common, ignoreDefaultArgs: true, args: [...args, ...insecure] };
  }
  const unwanted = Array.isArray(launch.ignoreDefaultArgs) ? launch.ignoreDefaultArgs : [];
  const isUnwanted = (arg: string) =>
    !keptDefaults.has(nameOf(arg)) && (unwanted.includes(arg) || unwanted.includes(nameOf(arg)));
  const features = (name: string, ours: readonly string[]) => {
    const theirs = valuesOf(
      name,
      defaults.filter((arg) => !isUnwanted(arg)),
    );
    return featureSwitch(name, [...theirs.flatMap((value) => value.split(',')), ...ours], callers);
  };
  const hidden = stealth ? stealthSwitches(undefined) : [];
  const merged = [
    ...features('--disable-features', unwanted.includes('--disable-features') ? [] : disabledFeatures),
    ...features('--enable-features', []),
    ...features('--disable-blink-features', stealth ? blinkFeaturesOff : []),
  ];
  // Playwright would also leave out our own argument if it is identical.
  const replaced = defaults.filter((arg) => featureSwitches.includes(nameOf(arg)) && !merged.includes(arg));
  return {
    ...common,
    ignoreDefaultArgs: [...new Set([...replaced, ...defaults.filter(isUnwanted)])],
    args: [
      ...chromiumFlags.filter((arg) => !isUnwanted(arg)),
      ...(mode === 'new' ? ['--headless=new'] : []),
      ...hidden.filter((flag) => !callers.some((arg) => nameOf(arg) === nameOf(flag))),
      ...callers.filter((arg) => !joinedSwitches.has(nameOf(arg))),
      ...insecure,
      ...languageSwitch({ mode, args: callers, stealth: stealth ? { identity: undefined } : undefined }),
      ...merged,
      // Last, because Chromium reads the last one of a repeated switch.
      ...proxiedOnlyFlags,
    ],
  };
}

/**
 * Firefox switches that clients may set; all others are Chromium's, do not change a window that clients see, or bypass
 * the server.
 */
const firefoxArguments = new Set(['--kiosk']);

/** Chromium switches that are turned into a Firefox preference. */
const languageSwitches = ['--accept-lang', '--lang'];

/** Returns the client's switches that have no effect in Firefox, without their values. */
export function withoutEffectInFirefox(args: readonly string[]): string[] {
  return args.filter((arg) => !isForFirefox(arg) && !languageSwitches.includes(nameOf(arg))).map(nameOf);
}

function languagePreference(args: readonly string[]): Record<string, string> {
  const [language] = languageSwitches.flatMap((name) => valuesOf(name, args).slice(-1));
  return language === undefined ? {} : { 'intl.accept_languages': language };
}

const isForFirefox = (arg: string) => firefoxArguments.has(nameOf(arg).replace(/^-(?=[a-z])/, '--'));

/** Preferences that only the server may set: those for traffic and for control of the browser. */
const serverPreferences =
  /^(network\.(proxy|trr|dns|http\.http3)|media\.peerconnection\.ice|remote|marionette|devtools\.debugger)\b/;

/** @throws ServiceError `invalid-launch` for a preference that only the server may set, or a value of a wrong type */
export function firefoxOptions(launch: LaunchOptions, { proxyServer }: LaunchEnvironment): BrowserOptions {
  const preferences: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(launch.firefoxUserPrefs ?? {})) {
    if (serverPreferences.test(name))
      throw refusedPreference(name, 'only the server may set preferences for traffic and browser control');
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw refusedPreference(name, 'its value is not a string, number or boolean');
    }
    preferences[name] = value;
  }
  return {
    ...paceOf(launch),
    headless: launch.headless !== false,
    proxy: { server: proxyServer },
    args: launch.args.filter(isForFirefox),
    firefoxUserPrefs: { ...languagePreference(launch.args), ...preferences, ...proxyPreferences(proxyServer) },
  };
}

/**
 * Playwright passes only part of the proxy settings to Firefox; without these preferences, loopback and HTTPS would
 * bypass it.
 */
function proxyPreferences(server: string): Record<string, string | number | boolean> {
  const { protocol, hostname, port } = new URL(server);
  const host = unbracketed(hostname);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  const isSocks = protocol.startsWith('socks');
  return {
    'network.proxy.type': 1,
    ...(isSocks
      ? {
          'network.proxy.socks': host,
          'network.proxy.socks_port': number,
          'network.proxy.socks_version': protocol === 'socks4:' ? 4 : 5,
        }
      : {
          'network.proxy.http': host,
          'network.proxy.http_port': number,
          'network.proxy.ssl': host,
          'network.proxy.ssl_port': number,
        }),
    'network.proxy.socks_remote_dns': true,
    'network.proxy.socks5_remote_dns': true,
    'network.proxy.no_proxies_on': '',
    'network.proxy.allow_hijacking_localhost': true,
    'network.proxy.failover_direct': false,
    'network.trr.mode': 5,
    'network.dns.disablePrefetch': true,
    'network.http.http3.enable': false,
    'media.peerconnection.ice.proxy_only': true,
  };
}

export function webkitOptions(launch: LaunchOptions, { proxyServer }: LaunchEnvironment): BrowserOptions {
  return {
    ...paceOf(launch),
    headless: launch.headless !== false,
    proxy: { server: proxyServer },
    args: [],
  };
}

function refusedPreference(name: string, reason: string): ServiceError {
  const message = `${JSON.stringify(name.slice(0, 80))} is not allowed: ${reason}`;
  return new ServiceError('invalid-launch', `The preference ${message}.`, {
    issues: [{ path: 'launch.firefoxUserPrefs', message }],
  });
}

/**
 * For Playwright clients, `true` is the default, which the headless shell serves; `'new'` requests the full browser.
 */
export function headlessOf({ headless }: LaunchOptions): boolean | 'shell' | undefined {
  if (headless === false) return false;
  return headless === 'new' ? true : undefined;
}
