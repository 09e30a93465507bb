// Reads the configuration once from the environment and the command line, based on the settings table, and freezes it.

import { ExitError } from '../exit-codes.ts';
import { redact } from '../telemetry/log.ts';
import { isInternalName, isPrivateAddress, parseAddress, unbracketed } from '../schema/request/addresses.ts';
import { nearestName } from '../schema/describe.ts';
import { completeCaptchaSolver } from './captcha-solver.ts';
import { isCommand } from './commands.ts';
import { noticesFor } from './ignored.ts';
import { checkSoftwareKey, unpairedSettings } from './cross-checks.ts';
import { checkProxyCities } from './proxy-cities.ts';
import { checkScratch } from './scratch.ts';
import { hasText, type HostDirectories, splitList } from './setting-types.ts';
import { type Setting, type SettingName, settings } from './table.ts';

type ValueOf<S> =
  S extends Setting<infer T, infer D> ? T | (D extends (place: HostDirectories) => infer R ? R : D) : never;

/** Every setting, keyed as in the table. Times are in the unit that the table states; a limit of 0 means no limit. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> };

type PublicNameOf<S> = S extends Setting<unknown, unknown, infer Public> ? Public : never;

/** The displayed form of a setting: null when not set; lists are masked, because they hold secrets. */
type PublicValue<T> = T extends undefined ? null : T extends readonly unknown[] ? '***' | null : T;

/** The settings that have a public name, keyed by that name. */
export type PublicConfig = {
  // `as` renames the key here; it is not a type assertion.
  readonly [Name in SettingName as PublicNameOf<(typeof settings)[Name]>]: PublicValue<Config[Name]>;
};

export interface ConfigSource extends HostDirectories {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Command-line arguments after the script: `--port=3000`, `--allow-get`. Commands such as `--help` are skipped. */
  readonly args: readonly string[];
  /** Returns the text of a file; undefined (or a rejection) when it cannot be read. */
  readText(path: string): Promise<string | undefined> | string | undefined;
}

export interface ParsedConfig {
  readonly config: Config;
  /** Log messages about names that have no effect or were renamed. */
  readonly warnings: string[];
  /** The settings that were set explicitly. */
  readonly given: ReadonlySet<SettingName>;
}

/** The message lists every problem, one per line. */
export class ConfigError extends ExitError {
  readonly problems: readonly string[];

  /** @param exit `usage` when a command-line option is unknown */
  constructor(problems: readonly string[], exit: 'usage' | 'configuration' = 'configuration') {
    super(exit, `Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** The table as entries, without each setting's own type. */
const table: readonly (readonly [name: string, entry: Setting])[] = Object.entries(settings);

const namesOf = (name: string, { names = [name], oldName }: Setting) =>
  oldName === undefined ? names : [...names, oldName];
const allNames = new Set(table.flatMap(([name, entry]) => [name, ...namesOf(name, entry)]));
const optionOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`;
const isSettingName = (name: string): name is SettingName => Object.hasOwn(settings, name);

/**
 * Reads the whole configuration. The command line wins over the environment, and an earlier name of a setting over a
 * later one.
 * @throws ConfigError naming every invalid variable, its value unless secret, what was expected and what to do
 */
export async function parseConfig(source: ConfigSource): Promise<ParsedConfig> {
  const problems: string[] = [];
  const warnings = noticesFor(source.env, allNames);
  const options = parseArguments(source.args, problems);
  const exit = problems.length > 0 ? 'usage' : 'configuration';
  const given = new Set<SettingName>();
  const values = new Map<string, unknown>();
  for (const [name, entry] of table) {
    const found = find(name, entry, options, source.env);
    if (found === undefined) {
      values.set(name, typeof entry.byDefault === 'function' ? entry.byDefault(source) : entry.byDefault);
      continue;
    }
    if (found.label === entry.oldName) warnings.push(`${entry.oldName} was renamed: set ${name} instead.`);
    if (isSettingName(name)) given.add(name);
    const text = entry.kind.isPath === true ? expandHome(found.text, source.homedir) : found.text;
    const value = entry.kind.parse(text.trim());
    if (value === undefined) problems.push(describeProblem(found, name, entry));
    else values.set(name, value);
  }
  checkScratch(values, given, problems, warnings);
  completeCaptchaSolver(values, (name) => options.has(optionOf(name)) || hasText(source.env[name]), problems);
  problems.push(...unpairedSettings(given));
  checkProxyCities(values, given, problems);
  checkSoftwareKey(given, problems, warnings);
  await addTokensFromFile(values, source, problems);
  // A limit for all requests also applies to BrowserQL.
  if (given.has('TIMEOUT') && !given.has('BQL_TIMEOUT')) values.set('BQL_TIMEOUT', values.get('TIMEOUT'));
  // Setting a receiver turns OpenTelemetry on.
  if (!given.has('OTEL_ENABLED')) values.set('OTEL_ENABLED', given.has('OTEL_EXPORTER_OTLP_ENDPOINT'));
  if (!given.has('BLOCK_PRIVATE_NETWORK')) values.set('BLOCK_PRIVATE_NETWORK', isOpenToTheWorld(values));
  checkCluster(given, problems);
  if (problems.length > 0) throw new ConfigError(problems, exit);
  // The schemas above set every key of the table; Object.fromEntries cannot express that.
  const config = Object.freeze(Object.fromEntries(values)) as Config;
  return { config, warnings, given };
}

/** Checks that a server in a cluster has its URL, the secret, and a setting that leads to the other servers. */
function checkCluster(given: ReadonlySet<string>, problems: string[]): void {
  const ways = ['CLUSTER_NODES', 'CLUSTER_URL'];
  const [first] = ['NODE_URL', 'NODE_NAME', ...ways, 'CLUSTER_SECRET', 'CLUSTER_STRICT'].filter((name) =>
    given.has(name),
  );
  if (given.has('CLUSTER_STRICT') && !given.has('CLUSTER_URL')) {
    problems.push('CLUSTER_STRICT needs Valkey. Set CLUSTER_URL too, or remove CLUSTER_STRICT.');
  }
  const missing = ['NODE_URL', 'CLUSTER_SECRET'].filter((name) => !given.has(name));
  if (!ways.some((name) => given.has(name))) missing.push(ways.join(' or '));
  if (first === undefined || missing.length === 0) return;
  problems.push(
    `${first} is only for clusters and needs ${missing.join(' and ')} too. Set what is missing, or remove ${first}.`,
  );
}

interface GivenSetting {
  /** The name that was used: `PORT` or `--port`. */
  readonly label: string;
  readonly text: string;
}

function find(
  name: string,
  entry: Setting,
  options: ReadonlyMap<string, string>,
  env: ConfigSource['env'],
): GivenSetting | undefined {
  const names = [...namesOf(name, entry), name];
  const candidates = [
    ...names.map((each) => ({ label: optionOf(each), text: options.get(optionOf(each)) })),
    ...names.map((each) => ({ label: each, text: env[each] })),
  ];
  for (const { label, text } of candidates) {
    if (text !== undefined && (hasText(text) || entry.kind.emptyIsValue === true)) return { label, text };
  }
  return undefined;
}

/**
 * Parses the command-line options, keyed by name. A flag needs no value; other options may use the next argument as
 * their value.
 */
function parseArguments(args: readonly string[], problems: string[]): Map<string, string> {
  const kinds = new Map(
    table.flatMap(([name, entry]) =>
      [...namesOf(name, entry), name].map((each) => [optionOf(each), entry.kind] as const),
    ),
  );
  const options = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (isCommand(arg)) continue;
    const equals = arg.indexOf('=');
    const option = equals === -1 ? arg : arg.slice(0, equals);
    const kind = kinds.get(option);
    if (kind === undefined) {
      const nearest = nearestName(option, [...kinds.keys()]);
      problems.push(`${option} is not a known option; ${nearest ? `did you mean ${nearest}?` : 'see --help'}`);
      continue;
    }
    if (equals !== -1) options.set(option, arg.slice(equals + 1));
    else if (kind.emptyIsValue === true) options.set(option, '');
    else if (args[index + 1]?.startsWith('--') === false) options.set(option, args[++index] ?? '');
    else problems.push(`${option} needs a value: ${option}=${kind.expected}`);
  }
  return options;
}

function describeProblem(found: GivenSetting, name: string, entry: Setting): string {
  const problem = entry.kind.problemOf?.(found.text);
  const got = problem === undefined ? `, got ${JSON.stringify(redact(found.text).slice(0, 100))}` : `: ${problem}`;
  const value = entry.secret === true ? '' : got;
  const byDefault = defaultTextOf(entry);
  const alternative = byDefault === 'not set' ? 'leave it out' : `leave it out for the default ${byDefault}`;
  const canonical = found.label === name || found.label.startsWith('--') ? '' : ` (${name})`;
  return `${found.label}${canonical} must be ${entry.kind.expected}${value}. Change it, or ${alternative}.`;
}

async function addTokensFromFile(
  values: Map<string, unknown>,
  source: ConfigSource,
  problems: string[],
): Promise<void> {
  const path = values.get('TOKEN_FILE');
  const tokens = values.get('TOKEN');
  if (typeof path !== 'string' || !Array.isArray(tokens)) return;
  const text = await Promise.resolve(source.readText(path)).catch(() => undefined);
  const added = splitList(text ?? '');
  if (text === undefined) {
    problems.push(`TOKEN_FILE must name a readable file, got ${JSON.stringify(path)}. Check its path and permissions.`);
  } else if (added.length === 0) {
    // An empty file must not open the server to everyone.
    problems.push(
      `TOKEN_FILE must contain at least one token, but ${JSON.stringify(path)} is empty. Write one per line.`,
    );
  }
  values.set('TOKEN', [...new Set([...tokens, ...added])]);
}

/** True for a server without tokens at a public address: pages must not reach the private network behind it. */
function isOpenToTheWorld(values: ReadonlyMap<string, unknown>): boolean {
  const [tokens, file, host, external] = ['TOKEN', 'TOKENS_FILE', 'HOST', 'EXTERNAL'].map((name) => values.get(name));
  if (!Array.isArray(tokens) || tokens.length > 0 || file !== undefined) return false;
  const hosts = [host, typeof external === 'string' ? new URL(external).hostname : undefined];
  return hosts.some((each) => typeof each === 'string' && isPublic(unbracketed(each)));
}

/** False for 0.0.0.0 and ::, which mean all addresses of the machine. */
function isPublic(host: string): boolean {
  if (parseAddress(host)) return host !== '0.0.0.0' && host !== '::' && !isPrivateAddress(host);
  return !isInternalName(host);
}

function expandHome(path: string, homedir: string): string {
  return path.trim().replace(/^~(?=$|[/\\])/, homedir);
}

function defaultTextOf({ defaultText, byDefault }: Setting): string {
  if (defaultText !== undefined) return defaultText;
  const places = { tmpdir: '<temporary directory>', homedir: '~' };
  const value: unknown = typeof byDefault === 'function' ? byDefault(places) : byDefault;
  if (value === undefined) return 'not set';
  return typeof value === 'object' ? 'none' : String(value);
}

/** One setting as shown by `--help` and the documentation. */
export interface SettingText extends Pick<Setting, 'group' | 'description'> {
  /** Environment names, in order of precedence. */
  readonly names: readonly string[];
  /** Command-line option. */
  readonly option: string;
  readonly expected: string;
  readonly byDefault: string;
  readonly unit: string | undefined;
  readonly secret: boolean;
}

/** Describes the settings in words, in the order of the table. */
export function describeSettings(): SettingText[] {
  return table.map(([name, entry]) => ({
    group: entry.group,
    names: namesOf(name, entry),
    option: optionOf(name),
    expected: entry.kind.expected,
    byDefault: defaultTextOf(entry),
    description: entry.description,
    unit: entry.unit,
    secret: entry.secret === true,
  }));
}

/** The response of `/config`: secrets masked, passwords in URLs too; null for what is not set. */
export function publicConfig(config: Config): PublicConfig {
  const values = new Map<string, unknown>(Object.entries(config));
  const shown = table.flatMap(([name, entry]) => {
    if (entry.publicName === undefined) return [];
    const value = values.get(name) ?? null;
    return [[entry.publicName, publicValue(value, entry.secret === true)] as const];
  });
  // The type is derived from the same table rows.
  return Object.fromEntries(shown.toSorted(([a], [b]) => a.localeCompare(b))) as PublicConfig;
}

/** A value in displayable form: secrets and passwords in URLs are masked. */
function publicValue(value: unknown, secret: boolean): unknown {
  if (secret) return Array.isArray(value) && value.length === 0 ? null : '***';
  return typeof value === 'string' ? redact(value) : value;
}

/** The settings that were set explicitly, as `NAME=text` in the order of the table, with secrets masked. */
export function effectiveSettings({ config, given }: Pick<ParsedConfig, 'config' | 'given'>): string[] {
  const values = new Map<string, unknown>(Object.entries(config));
  const names = new Set<string>(given);
  return table.flatMap(([name, entry]) => {
    if (!names.has(name)) return [];
    const value = publicValue(values.get(name), entry.secret === true);
    const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
    return [`${name}=${redact(text ?? '')}`];
  });
}
