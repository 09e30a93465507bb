// Lists settings of browserless that have no effect here; the server logs a warning at its start for each that is set.

/** Each ignored setting with what to do instead (compatibility.mdx#ignored-settings). */
export const ignoredNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'CHROME_REFRESH_TIME',
      'DEFAULT_BLOCK_ADS',
      'DEFAULT_DUMPIO',
      'DEFAULT_HEADLESS',
      'DEFAULT_IGNORE_DEFAULT_ARGS',
      'DEFAULT_IGNORE_HTTPS_ERRORS',
      'DEFAULT_LAUNCH_ARGS',
      'DEFAULT_STEALTH',
    ].map((name) => [name, 'send launch options with the request']),
  ),
  ...Object.fromEntries(
    [
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
      'ENABLE_DEBUGGER',
      'ROUTES',
      'STATIC',
    ].map((name) => [name, 'remove it']),
  ),
  PREBOOT_CHROME: 'browsers are always started ahead; see SPARES',
  PROXY_HOST: 'set EXTERNAL to the public address',
  PROXY_PORT: 'set EXTERNAL to the public address',
  PROXY_SSL: 'set EXTERNAL to the public address',
};
