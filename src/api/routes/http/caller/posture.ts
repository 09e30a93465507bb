/** Builds the warnings that the server logs at startup: who may use it, and what its pages may reach. */
import type { Config } from '../../../../base/config/config.ts';
import { directoryOf } from '../../../../base/runtime/files.ts';
import { temporaryDirectory } from '../../../../base/runtime/machine.ts';
import { isWildcard } from './cors.ts';

/** The warning for a server that is process 1 of a container. */
export const noInit =
  'The server is process 1 and cannot reap zombie browser processes: start it under an init (docker run --init).';

/**
 * Warnings about who may use the server and what its pages may reach, where the settings allow more than one would
 * expect.
 */
export function exposureWarnings(config: Config): string[] {
  const { TOKEN, TOKENS_FILE, UNITS_FILE, CORS, CORS_ALLOW_ORIGIN, BLOCK_PRIVATE_NETWORK } = config;
  if (TOKEN.length > 0 || TOKENS_FILE !== undefined) {
    return [
      ...(BLOCK_PRIVATE_NETWORK
        ? []
        : ['Pages may reach loopback and private networks; BLOCK_PRIVATE_NETWORK=true prevents that.']),
      ...(TOKENS_FILE !== undefined && directoryOf(UNITS_FILE) === temporaryDirectory
        ? [
            `Units are stored in ${UNITS_FILE}, which is lost with the machine or container: set UNITS_FILE to a persistent file.`,
          ]
        : []),
    ];
  }
  return [
    'TOKEN is not set: every machine and program in the surrounding private networks may use this server. Set TOKEN.',
    ...(CORS && isWildcard(CORS_ALLOW_ORIGIN)
      ? [
          'CORS_ALLOW_ORIGIN lets pages from every origin read responses, but without TOKEN none of them may send requests: list the allowed origins.',
        ]
      : []),
  ];
}
