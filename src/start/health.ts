/**
 * `browserd --health`: asks the server of this configuration whether it lives, for the HEALTHCHECK of an image. It asks
 * /healthz and not /ready: a server that drains, or whose queue is full, must not be restarted.
 */
import { parseConfig } from '../base/config/config.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { systemCodeOf } from '../base/runtime/disk.ts';
import { askStatus } from '../base/runtime/address/ask-status.ts';
import { bindableHost } from '../base/runtime/address/listen-address.ts';
import {
  commandLine,
  environment,
  exit,
  homeDirectory,
  now,
  temporaryDirectory,
  writeLine,
} from '../base/runtime/machine.ts';

const limitMs = 2_000;
const path = '/healthz';

/** Prints one line and ends the process with 0 when the server lives, otherwise with 1. */
export async function health(): Promise<never> {
  const failed = await problem();
  writeLine(failed ?? 'The server lives.');
  return exit(failed === undefined ? exitCodes.stopped.code : exitCodes.unhealthy.code);
}

/** Why the server does not count as alive, in one line. */
async function problem(): Promise<string | undefined> {
  const began = now();
  try {
    const { config } = await parseConfig({
      env: environment,
      args: commandLine,
      // The probe sends no token, so the file of tokens is not read.
      readText: () => 'unread',
      tmpdir: temporaryDirectory,
      homedir: homeDirectory,
    });
    const { HOST, PORT: port } = config;
    if (port === 0) return 'The port of a server with PORT=0 is not known. Set PORT to the one that it listens on.';
    const host = await bindableHost(loopbackOf[HOST] ?? HOST);
    const where = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
    const status = await askStatus({ host, port, path }, AbortSignal.timeout(limitMs)).catch((error: unknown) => error);
    if (status === 200) return undefined;
    if (typeof status === 'number') return `${where} answered ${status}: another program may have this port.`;
    const reason = systemCodeOf(status) ?? `no answer within ${Math.round(now() - began)} ms`;
    return `${where} did not answer (${reason}). Give --health the HOST and PORT of the server.`;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.replace(/\s+/g, ' ');
  }
}

/** Where a server that listens on all addresses is asked. */
const loopbackOf: Readonly<Record<string, string | undefined>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
