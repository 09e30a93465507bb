/** The server as a program: handles options and stop signals, and reports why the server does not start. */
import { ConfigError } from '../base/config/config.ts';
import { exitCodes, ExitError } from '../base/exit-codes.ts';
import { licensesFile } from '../base/program/asset-names.ts';
import { assetText } from '../base/program/assets.ts';
import { onStopRequested } from '../base/program/stop-signals.ts';
import { noInit } from '../api/routes/http/caller/posture.ts';
import { commandLine, environment, exit, onUncaught, runtimeName, writeLine } from '../base/runtime/machine.ts';
import { createLog, type Log } from '../base/telemetry/log.ts';
import { serviceVersion } from '../base/version.ts';
import { openParts, startServer } from './server.ts';

/**
 * Reads the configuration and starts the service, or handles an option such as `--help` instead.
 * @param isProcessOne true when this is process 1 of a container without an init, which leaves zombie processes
 */
export async function main({ isProcessOne }: { isProcessOne: boolean }): Promise<void> {
  if (commandLine.includes('--help')) {
    const { helpText } = await import('../base/config/help.ts');
    return writeLine(helpText());
  }
  if (commandLine.includes('--version')) return writeLine(`browserd ${serviceVersion} (${runtimeName})`);
  if (commandLine.includes('--licenses')) return writeLine(await assetText(licensesFile));
  const parts = await openParts(environment, writeLine).catch((error: unknown) =>
    failStart(error, createLog({ level: 'error', write: writeLine, secrets: [] })),
  );
  const { log } = parts;
  if (isProcessOne) log.warn('config.notice', { message: noInit });
  onUncaught((error) => log.error('uncaught', { cause: error }));
  await startServer(parts, {
    onStopRequested,
    stopped(ending) {
      if (ending) writeLine(ending.lastLine);
      exit(ending?.exitCode ?? exitCodes.stopped.code);
    },
  }).catch((error: unknown) => failStart(error, log));
}

/** Reports why the server does not start, and exits with the matching exit code. */
function failStart(error: unknown, log: Log): never {
  // Print one plain sentence as the last line.
  if (error instanceof ConfigError || (error instanceof ExitError && error.exitCode === exitCodes.key.code)) {
    writeLine(error.message);
    return exit(error.exitCode);
  }
  const { exitCode, message, cause } =
    error instanceof ExitError ? error : { exitCode: exitCodes.defect.code, message: undefined, cause: error };
  log.error('start.failed', { exitCode, message, cause });
  return exit(exitCode);
}
