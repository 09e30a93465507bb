/** The container of version 1. */
import type { OldPage } from './model.ts';

export const docker: Readonly<Record<string, OldPage>> = {
  'docker/config': {
    now: { path: '/enterprise/docker/config', label: 'Configuration' },
    was: 'The container read about forty variables. Several set defaults for launch options, which each request can now send itself.',
    changes: [
      ['`PORT`, `HOST`, `TOKEN`', 'the same'],
      ['`MAX_CONCURRENT_SESSIONS`', 'works; new name `CONCURRENT`'],
      ['`QUEUE_LENGTH`', 'works; new name `QUEUED`'],
      ['`CONNECTION_TIMEOUT`', 'works; new name `TIMEOUT`'],
      ['`PRE_REQUEST_HEALTH_CHECK`', 'works; new name `HEALTH`'],
      ['`MAX_CPU_PERCENT`, `MAX_MEMORY_PERCENT`', 'the same, with `HEALTH=true`'],
      ['`ENABLE_CORS`', 'works; new name `CORS`'],
      ['`ENABLE_API_GET`', 'works; new name `ALLOW_GET`'],
      ['`PROXY_URL`', 'works; new name `EXTERNAL`'],
      ['`PROXY_HOST`, `PROXY_PORT`, `PROXY_SSL`', 'no effect: set `EXTERNAL`'],
      ['`ALLOW_FILE_PROTOCOL`, `MAX_PAYLOAD_SIZE`, `METRICS_JSON_PATH`', 'the same'],
      ['`ENABLE_DEBUGGER`', 'the same'],
      ['`DEFAULT_USER_DATA_DIR`', 'works; new name `DATA_DIR`'],
      [
        '`QUEUE_ALERT_URL`, `REJECT_ALERT_URL`, `TIMEOUT_ALERT_URL`, `ERROR_ALERT_URL`, `FAILED_HEALTH_URL`',
        'the same: [Webhooks](/enterprise/docker/webhooks)',
      ],
      ['`DEBUG`', 'no effect: set `LOG_LEVEL`'],
      [
        '`PREBOOT_CHROME`, `PREBOOT_QUANTITY`, `KEEP_ALIVE`, `CHROME_REFRESH_TIME`',
        'no effect: browsers are always started ahead of time, and replaced',
      ],
      [
        '`DEFAULT_BLOCK_ADS`, `DEFAULT_HEADLESS`, `DEFAULT_LAUNCH_ARGS`, `DEFAULT_IGNORE_DEFAULT_ARGS`, `DEFAULT_IGNORE_HTTPS_ERRORS`, `DEFAULT_DUMPIO`, `DEFAULT_STEALTH`',
        'no effect: send [launch options](/baas/launch-options) with the request',
      ],
      [
        '`FUNCTION_BUILT_INS`, `FUNCTION_EXTERNALS`, `FUNCTION_ENV_VARS`, `FUNCTION_ENABLE_INCOGNITO_MODE`',
        'no effect: code runs in the browser',
      ],
      [
        '`WORKSPACE_DIR`, `WORKSPACE_DELETE_EXPIRED`, `WORKSPACE_EXPIRE_DAYS`',
        'no effect: [files](/baas/features/files) belong to sessions',
      ],
      ['`DISABLED_FEATURES`, `ENABLE_HEAP_DUMP`, `PRINT_GET_STARTED_LINKS`', 'no effect'],
      [
        '`DEMO_MODE`, `SINGLE_RUN`, `EXIT_ON_HEALTH_FAILURE`',
        'no effect: let the container manager restart on [`/healthz`](/enterprise/checks)',
      ],
      ['`ENABLE_XVFB`, `DISABLE_AUTO_SET_DOWNLOAD_BEHAVIOR`', 'no effect'],
    ],
  },
  'docker/extending-docker': {
    now: { path: '/enterprise/docker/extending', label: 'Extending the Image' },
    was: 'The base image had Node and Chrome. Files named `before`, `after`, `browser` and `page` were hooks, and packages next to them were available to `/function`.',
    changes: [
      ['`FROM browserless/chrome`', '`FROM browserd`'],
      ['fonts and certificates', 'the same steps, as `root`'],
      ['hooks', 'removed: use [webhooks](/enterprise/docker/webhooks), or fork the source'],
      ['Node packages for `/function`', 'imports from a URL in the [module](/rest-apis/function)'],
      ['`USE_CHROME_STABLE` at build time', 'install Chrome, and point `CHROME_PATH` to it'],
    ],
  },
  'docker/quickstart': {
    now: { path: '/enterprise/docker/quickstart', label: 'Docker Quick Start' },
    was: 'The image came from Docker Hub, listened on port 3000 and took its settings from the environment.',
    changes: [
      ['`browserless/chrome`', '`browserd`, built from a checkout'],
      ['tags such as `1-chrome-stable`', 'the build targets `shell` and `all`'],
      ['port 3000', 'the same'],
      ['`-e MAX_CONCURRENT_SESSIONS=10`', 'works: [Docker Configuration](/baas/v1/docker/config)'],
      ['`--shm-size=2gb`', '`--shm-size=1g`'],
    ],
  },
  'docker/webhooks': {
    now: { path: '/enterprise/docker/webhooks', label: 'Webhooks' },
    was: 'A variable contained a URL, and the container requested it when the event happened.',
    changes: [
      ['`QUEUE_ALERT_URL`', 'the same'],
      ['`REJECT_ALERT_URL`', 'the same'],
      ['`TIMEOUT_ALERT_URL`', 'the same'],
      ['`ERROR_ALERT_URL`', 'the same; the reason is in the `error` parameter'],
      ['`FAILED_HEALTH_URL`', 'the same, with `HEALTH=true`'],
    ],
  },
};
