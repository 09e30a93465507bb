/** Reads the configuration of this process, for the server and for `--check`. */
import { hashOf } from '../../control/accounts/accounts.ts';
import { ConfigError, type Config, type ParsedConfig, parseConfig } from '../../base/config/config.ts';
import { credentialsOf, parseProxyUrl } from '../../base/config/proxy-url.ts';
import { exists, readTextIfThere } from '../../base/runtime/files.ts';
import { commandLine, environment, homeDirectory, temporaryDirectory } from '../../base/runtime/machine.ts';

/**
 * @param env the environment variables of this process by default
 * @throws ConfigError
 */
export async function readConfig(env = environment): Promise<ParsedConfig> {
  const parsed = await parseConfig({
    env,
    args: commandLine,
    readText: readTextIfThere,
    tmpdir: temporaryDirectory,
    homedir: homeDirectory,
  });
  await requirePaths(parsed);
  return parsed;
}

/** @throws ConfigError for a configured path that does not exist: a typo must not fill up another disk */
async function requirePaths({ config, given }: ParsedConfig): Promise<void> {
  const problems: string[] = [];
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR', 'RECORDINGS_DIR', 'PROFILES_DIR'] as const) {
    if (!given.has(name) || (await exists(config[name]))) continue;
    problems.push(`${name}: ${config[name]} does not exist. Create it or unset ${name}.`);
  }
  const { EXTENSIONS_DIR } = config;
  if (EXTENSIONS_DIR !== undefined && !(await exists(EXTENSIONS_DIR))) {
    problems.push(`EXTENSIONS_DIR: ${EXTENSIONS_DIR} does not exist. Create it or unset EXTENSIONS_DIR.`);
  }
  for (const path of config.AD_BLOCK_LISTS) {
    if (await exists(path)) continue;
    problems.push(`AD_BLOCK_LISTS: ${path} does not exist. Correct the path or remove it.`);
  }
  problems.push(...(await tokensProblems(config)));
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The problems with TOKENS_FILE. */
async function tokensProblems({ TOKENS_FILE: path, TOKEN }: Config): Promise<string[]> {
  if (path === undefined) return [];
  const text = await readTextIfThere(path).catch(() => undefined);
  if (text === undefined) {
    return [`TOKENS_FILE must name a readable file, got ${JSON.stringify(path)}. Check its path and permissions.`];
  }
  const { parseTokensFile, TokensFileProblem } = await import('../../control/accounts/tokens-file.ts');
  try {
    parseTokensFile(text, new Set(TOKEN.map(hashOf)));
    return [];
  } catch (error) {
    if (!(error instanceof TokensFileProblem)) throw error;
    return error.problems.map((problem) => `TOKENS_FILE: ${problem}`);
  }
}

/** Values that are masked wherever they occur in logs and output. */
export function secretsOf(config: Config): string[] {
  const {
    TOKEN,
    RESIDENTIAL_PROXY_URL,
    WEB_BOT_AUTH_KEY,
    CAPTCHA_SOLVER_KEY = '',
    KEY = '',
    PROFILES_KEY = '',
  } = config;
  // A header may be `Bearer …`: the key alone is also a secret.
  const headers = Object.values(config.OTEL_EXPORTER_OTLP_HEADERS).flatMap((value) => [
    value,
    value.replace(/^\S+ /, ''),
  ]);
  const provider = RESIDENTIAL_PROXY_URL === undefined ? undefined : parseProxyUrl(RESIDENTIAL_PROXY_URL);
  const keys = [CAPTCHA_SOLVER_KEY, KEY, PROFILES_KEY, ...(WEB_BOT_AUTH_KEY === undefined ? [] : [WEB_BOT_AUTH_KEY.d])];
  return [...TOKEN, ...keys, ...headers, ...(provider === undefined ? [] : [credentialsOf(provider)?.password ?? ''])];
}
