// Lists browserless settings that have no effect here; at startup, the server logs a warning for each one that is set.

/** What to do instead, with the names of the settings; a trailing `*` matches any ending. */
const namesByAdvice: Readonly<Record<string, readonly string[]>> = {
  'send launch options with the request': [
    'CHROME_REFRESH_TIME',
    'DEFAULT_BLOCK_ADS',
    'DEFAULT_DUMPIO',
    'DEFAULT_HEADLESS',
    'DEFAULT_IGNORE_DEFAULT_ARGS',
    'DEFAULT_IGNORE_HTTPS_ERRORS',
    'DEFAULT_LAUNCH_ARGS',
    'DEFAULT_STEALTH',
  ],
  'remove it': [
    'DISABLED_FEATURES',
    'ENABLE_HEAP_DUMP',
    'FUNCTION_BUILT_INS',
    'FUNCTION_ENABLE_INCOGNITO_MODE',
    'FUNCTION_ENV_VARS',
    'FUNCTION_EXTERNALS',
    'KEEP_ALIVE',
    'PRINT_GET_STARTED_LINKS',
    'WORKSPACE_DELETE_EXPIRED',
    'WORKSPACE_DIR',
    'WORKSPACE_EXPIRE_DAYS',
    'ROUTES',
    'STATIC',
  ],
  'it is a version 1 setting; remove it': [
    'DEMO_MODE',
    'DISABLE_AUTO_SET_DOWNLOAD_BEHAVIOR',
    'ENABLE_XVFB',
    'EXIT_ON_HEALTH_FAILURE',
    'SINGLE_RUN',
  ],
  'browsers are always started in advance; see SPARES': ['PREBOOT_QUANTITY', 'PREBOOT_CHROME'],
  'set EXTERNAL to the public URL': ['PROXY_HOST', 'PROXY_PORT', 'PROXY_SSL'],
  'set LOG_LEVEL': ['DEBUG'],
  'extensions are loaded only from EXTENSIONS_DIR; put them there, and remove it': [
    'EXTENSIONS_CLOUD_BUCKET',
    'EXTENSIONS_CLOUD_REGION',
    'LOAD_EXTENSIONS_FROM_CLOUD',
  ],
  '--help lists the supported OpenTelemetry names': ['OTEL_*'],
};

/** Each ignored setting with what to do instead (compatibility.mdx#ignored-settings). */
export const ignoredNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namesByAdvice).flatMap(([advice, names]) => names.map((name) => [name, advice])),
);

/** Returns a message for each environment variable that has no effect. @param known the names of settings */
export function noticesFor(env: Readonly<Record<string, string | undefined>>, known: ReadonlySet<string>): string[] {
  const isSet = (name: string) => !known.has(name) && env[name] !== undefined && env[name] !== '';
  return Object.entries(ignoredNames).flatMap(([pattern, advice]) => {
    const names = pattern.endsWith('*')
      ? Object.keys(env).filter((name) => name.startsWith(pattern.slice(0, -1)))
      : [pattern];
    return names.filter(isSet).map((name) => `${name} has no effect here: ${advice}.`);
  });
}
