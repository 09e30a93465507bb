// Reads and checks launch options from the `launch` parameter and from the older individual query parameters
// (compatibility.mdx#launch-options, compatibility.mdx#legacy-launch-parameters).

import * as v from 'valibot';
import { ServiceError } from '../../errors.ts';
import { listLimits } from '../../limits.ts';
import { checkLaunchArgs, refusedOptions } from './launch-args.ts';
import { viewport } from './page-fields.ts';
import { field, ignoredField, listOf, mapOf } from './primitives.ts';
import { withoutEmptyList } from '../coerce.ts';
import { JsonTooLarge, parseJson } from '../json-text.ts';
import { parseValue } from '../parse.ts';
import { isPlainObject } from '../record.ts';
import { fromBase64 } from '../../runtime/bytes.ts';

const proxy = v.strictObject({
  server: v.pipe(v.string(), v.description('Proxy URL, such as http://host:8080.')),
  bypass: field(v.string(), 'Hosts to reach directly, without the proxy.'),
  username: field(v.string(), 'Username.'),
  password: field(v.pipe(v.string(), v.metadata({ secret: true })), 'Password.'),
});

/** Uses literals, so that the string "true" is refused here; `coerce` would convert it for a boolean schema. */
const headlessChoice = v.union([v.literal(true), v.literal(false), v.literal('shell'), v.literal('new')]);

export const launchSchema = v.looseObject({
  args: v.optional(
    v.pipe(listOf(v.string(), listLimits.launchArgs), v.description('Command-line flags of the browser.')),
    [],
  ),
  defaultViewport: field(v.nullable(viewport), 'Size of new pages; null for the size of the window.'),
  devtools: ignoredField(v.boolean(), 'the server does not open developer tools; use devtoolsFrontendUrl of a session'),
  dumpio: ignoredField(v.boolean(), 'browser output goes to the server log'),
  stealth: field(
    v.boolean(),
    'Stealth mode: a full browser that hides that it is automated, with a window where the server has a display.',
  ),
  timezone: field(
    v.pipe(v.string(), v.check(isTimezone, 'must be an IANA time zone such as "Europe/Berlin"')),
    'Time zone of a stealth browser, such as Europe/Berlin; defaults to that of the server.',
  ),
  waitForInitialPage: ignoredField(v.boolean(), 'the first page always exists'),
  acceptInsecureCerts: field(v.boolean(), 'Accept certificates that cannot be verified.'),
  ignoreHTTPSErrors: field(v.boolean(), 'Older name for acceptInsecureCerts.'),
  headless: field(
    headlessChoice,
    'Headless shell ("shell", the default), full browser without a window (true, "new") or with a window (false).',
  ),
  ignoreDefaultArgs: field(
    v.union([v.boolean(), listOf(v.string(), listLimits.launchArgs)]),
    'Default switches to omit; true for all.',
  ),
  slowMo: field(
    v.number(),
    'Delay of each client command, or after each step of a BrowserQL document that acts on the page, in milliseconds.',
  ),
  timeout: field(v.number(), 'Time limit of the launch in milliseconds.'),
  userDataDir: field(v.string(), 'Profile directory, kept afterward.'),
  chromiumSandbox: ignoredField(v.boolean(), 'the server uses the sandbox where the machine allows it'),
  downloadsPath: ignoredField(v.string(), 'downloads go to a session directory'),
  tracesDir: ignoredField(v.string(), 'traces go to a session directory'),
  firefoxUserPrefs: field(mapOf(v.unknown(), listLimits.preferences), 'Firefox preferences.'),
  proxy: field(proxy, 'Proxy of the browser.'),
});

type ParsedLaunch = v.InferOutput<typeof launchSchema>;

/**
 * Validated launch options; `args` contains no refused switch. Unknown fields are kept and have no effect. `isSwitch`
 * is true for a proxy set with the switch --proxy-server; clients cannot send it.
 */
export type LaunchOptions = ParsedLaunch & { proxy?: { isSwitch?: boolean } | undefined };

const userDataSwitch = '--user-data-dir=';
const headlessSwitch = /^--headless(?:=|$)/;
const proxySwitch = /^--proxy-(server|bypass-list)(?:=|$)/;
const base64Text = /^[A-Za-z0-9+/_-]+={0,2}$/;

export interface CheckedLaunch {
  launch: LaunchOptions;
  /** Switches that are accepted but decided by the server. */
  ignored: string[];
}

/** The launch options in a query, each with the spelling that the client used: `slowMo`, `launch.slowMo`, `--lang`. */
export type GivenLaunch = ReadonlyMap<string, readonly string[]>;

/** Like `checkLaunch`, but returns only the options. */
export function parseLaunch(value: unknown, allowed: readonly string[] = []): LaunchOptions {
  return checkLaunch(value, allowed).launch;
}

/**
 * Checks launch options that have already been decoded.
 * @param allowed further switches that the operator allows (ALLOWED_LAUNCH_ARGS)
 * @throws ServiceError `invalid-launch` for an invalid type, a refused option or a refused switch
 */
export function checkLaunch(value: unknown, allowed: readonly string[] = []): CheckedLaunch {
  if (!isPlainObject(value)) throw undecodable('it is not a JSON object');
  const { ignoreHTTPSErrors, ...options } = value;
  if (ignoreHTTPSErrors !== undefined) options['acceptInsecureCerts'] ??= ignoreHTTPSErrors;
  for (const [name, reason] of Object.entries(refusedOptions)) {
    if (options[name] === undefined) continue;
    throw new ServiceError('invalid-launch', `The launch option "${name}" is not allowed: ${reason}.`, {
      issues: [{ path: `launch.${name}`, message: `is not allowed: ${reason}` }],
    });
  }
  const wrapper = v.object({ launch: launchSchema });
  const prefix = 'Query-parameter validation failed';
  const { launch } = parseValue(wrapper, { launch: options }, 'invalid-launch', prefix);
  const { args, ignored } = checkLaunchArgs(launch.args, allowed);
  // --user-data-dir and userDataDir mean the same; only the option is passed on.
  const directory = args.findLast((arg) => arg.startsWith(userDataSwitch))?.slice(userDataSwitch.length);
  const userDataDir = launch.userDataDir ?? directory;
  const headless = launch.headless ?? headlessOf(args);
  const checked = {
    ...launch,
    ...(headless === undefined ? {} : { headless }),
    ...(userDataDir === undefined || userDataDir === '' ? {} : { userDataDir }),
    ...proxyOption(launch.proxy, args),
    args: args.filter((arg) => !arg.startsWith(userDataSwitch) && !proxySwitch.test(arg) && !headlessSwitch.test(arg)),
  };
  const lonely = checked.proxy === undefined && args.some((arg) => proxySwitch.test(arg));
  return { launch: checked, ignored: lonely ? [...ignored, '--proxy-bypass-list'] : ignored };
}

function isTimezone(name: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && /^[A-Za-z]/.test(name)
    );
  } catch {
    return false;
  }
}

/** `--headless=new` and `--headless=chrome` mean `headless: "new"`; any other value means the default. */
function headlessOf(args: readonly string[]): 'new' | undefined {
  const value = args.findLast((arg) => headlessSwitch.test(arg))?.slice('--headless='.length);
  return value === 'new' || value === 'chrome' ? 'new' : undefined;
}

/** Converts the proxy switches to the `proxy` option, so that later code has to check only one place. */
function proxyOption(given: LaunchOptions['proxy'], args: readonly string[]): Pick<LaunchOptions, 'proxy'> {
  const valueOf = (name: string) =>
    args.findLast((arg) => proxySwitch.exec(arg)?.[1] === name)?.replace(/^[^=]*=?/, '');
  const server = valueOf('server');
  const bypass = valueOf('bypass-list') ?? given?.bypass;
  if (server === undefined) return given === undefined ? {} : { proxy: { ...given, bypass } };
  if (given === undefined) return { proxy: { server, bypass, isSwitch: true } };
  throw new ServiceError(
    'invalid-launch',
    'The launch options contain two proxies: proxy and --proxy-server. Leave one out.',
    {
      issues: [{ path: 'launch.proxy', message: 'cannot be combined with --proxy-server' }],
    },
  );
}

/** The legacy query parameters that are launch options, each with its parser. */
const legacy: Readonly<Record<string, (text: string) => unknown>> = {
  headless: (text) => (text === 'shell' ? 'shell' : isOn(text)),
  stealth: isOn,
  slowMo: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text),
  ignoreDefaultArgs: (text) => (text.includes(',') ? text.split(',').map((arg) => arg.trim()) : isOn(text)),
  acceptInsecureCerts: isOn,
  ignoreHTTPSErrors: isOn,
};

function isOn(text: string): boolean {
  return text !== 'false' && text !== '0';
}

/**
 * Extracts the launch options from a query: from `launch`, from the older individual parameters and from `--switches`.
 * Fields of `launch` win, but switches in the query replace its `args`.
 * @param allowed further switches that the operator allows
 * @returns the remaining parameters, the checked options and the names of those that were given
 * @throws ServiceError `invalid-launch`
 */
export function applyLegacyShim(
  params: URLSearchParams,
  allowed: readonly string[] = [],
): { params: URLSearchParams; given: GivenLaunch } & CheckedLaunch {
  const left = new URLSearchParams(params);
  const text = params.getAll('launch').at(-1);
  left.delete('launch');
  const switches: string[] = [];
  const options: Record<string, unknown> = {};
  for (const [name, value] of params) {
    const read = Object.hasOwn(legacy, name) ? legacy[name] : undefined;
    if (name.startsWith('--')) switches.push(`${name}=${value}`);
    else if (read) options[name] = read(value);
    else continue;
    left.delete(name);
  }
  if (switches.length === 0 && Object.keys(options).length === 0) {
    const launch = text === undefined ? {} : readLaunch(text);
    return { params: left, given: givenNames({}, launch, []), ...checkLaunch(launch, allowed) };
  }
  const { ignoreHTTPSErrors, ...rest } = options;
  const insecure = rest['acceptInsecureCerts'] ?? ignoreHTTPSErrors;
  const launch = readLaunchOrNothing(text);
  const merged = {
    ...rest,
    ...(insecure === undefined || launch['ignoreHTTPSErrors'] !== undefined ? {} : { acceptInsecureCerts: insecure }),
    ...launch,
    ...(switches.length === 0 ? {} : { args: switches }),
  };
  return { params: left, given: givenNames(options, launch, switches), ...checkLaunch(merged, allowed) };
}

function givenNames(single: object, launch: unknown, switches: readonly string[]): GivenLaunch {
  const canonical = (name: string) => (name === 'ignoreHTTPSErrors' ? 'acceptInsecureCerts' : name);
  const members = isPlainObject(launch) ? Object.keys(launch) : [];
  return new Map<string, readonly string[]>([
    ...Object.keys(single).map((name) => [canonical(name), [name]] as const),
    ...members.map((name) => [canonical(name), [`launch.${name}`]] as const),
    ...(switches.length === 0 ? [] : [['args', switches.map((each) => each.split('=', 1)[0] ?? '')] as const]),
  ]);
}

function readLaunch(text: string): unknown {
  const json = base64Text.test(text) ? decodeBase64(text) : text;
  try {
    return withoutEmptyList(parseJson(json));
  } catch (error) {
    if (error instanceof JsonTooLarge) throw undecodable(`it ${error.message}`, error);
    throw undecodable(error instanceof Error ? error.message : 'it is not JSON', error);
  }
}

function decodeBase64(text: string): string {
  try {
    // Accept both alphabets, with or without padding.
    const standard = text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .replace(/(?<!=)=+$/, '');
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(standard));
  } catch (error) {
    throw undecodable('it is neither JSON nor base64 of JSON', error);
  }
}

function readLaunchOrNothing(text: string | undefined): Record<string, unknown> {
  try {
    const value = text === undefined ? {} : readLaunch(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

function undecodable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'invalid-launch',
    `Error parsing launch-options: ${reason}. Send a JSON object such as {"args":["--lang=de"]}, or base64 of it.`,
    { cause },
  );
}
