/** Which settings a table of settings shows. Every setting belongs to one group; test/docs/pages.test.ts says so. */
export const settingGroups: Readonly<Record<string, readonly string[]>> = {
  server: ['HOST', 'PORT', 'EXTERNAL', 'TOKEN', 'TOKEN_FILE', 'ALLOW_GET'],
  limits: [
    'CONCURRENT',
    'QUEUED',
    'TIMEOUT',
    'MAX_TIMEOUT',
    'RETRIES',
    'MAX_PAYLOAD_SIZE',
    'DRAIN_TIMEOUT_MS',
    'MAX_RECONNECT_TIME',
    'PING_INTERVAL_MS',
  ],
  browsers: [
    'CHROMIUM_PATH',
    'SHELL_PATH',
    'CHROME_PATH',
    'EDGE_PATH',
    'ISOLATION',
    'SPARES',
    'RECYCLE_JOBS',
    'RECYCLE_AGE_MS',
    'RECYCLE_MEMORY_MB',
    'PAGE_MEMORY_MB',
  ],
  safety: ['BLOCK_PRIVATE_NETWORK', 'ALLOW_FILE_PROTOCOL', 'AD_BLOCK_LISTS'],
  health: [
    'HEALTH',
    'MAX_CPU_PERCENT',
    'MAX_MEMORY_PERCENT',
    'MACHINE_STATS_SOURCE',
    'CPU_SAMPLE_INTERVAL_MS',
    'CPU_EMA_ALPHA',
    'CPU_OVERLOAD_HYSTERESIS',
  ],
  alerts: ['FAILED_HEALTH_URL', 'QUEUE_ALERT_URL', 'REJECT_ALERT_URL', 'TIMEOUT_ALERT_URL', 'ERROR_ALERT_URL'],
  cors: [
    'CORS',
    'CORS_ALLOW_ORIGIN',
    'CORS_ALLOW_METHODS',
    'CORS_ALLOW_HEADERS',
    'CORS_EXPOSE_HEADERS',
    'CORS_ALLOW_CREDENTIALS',
    'CORS_MAX_AGE',
  ],
  files: ['DATA_DIR', 'DOWNLOAD_DIR', 'SCRATCH_DIR', 'CACHE_DIR', 'METRICS_JSON_PATH'],
  log: ['LOG_LEVEL'],
  docs: ['DOCS', 'DOCS_NOINDEX', 'DOCS_ANNOUNCEMENT', 'DOCS_SUPPORT_URL', 'DOCS_ANALYTICS_URL'],
};

/** The group of a setting that nobody has put anywhere: it is shown there until somebody does. */
export const fallbackGroup = 'server';
