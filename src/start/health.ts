/**
 * `browserd --health`: checks whether the server with this configuration is alive, for the HEALTHCHECK of an image. It
 * requests /healthz, not /ready: a server that is draining, or whose queue is full, must not be restarted.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { parseConfig } from '../base/config/config.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { systemCodeOf } from '../base/runtime/disk.ts';
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

/** Prints one line and exits with 0 if the server is alive, otherwise with 1. */
export async function health(): Promise<never> {
  const failed = await problem();
  writeLine(failed ?? 'The server is alive.');
  return exit(failed === undefined ? exitCodes.stopped.code : exitCodes.unhealthy.code);
}

/** Why the server is not considered alive, in one line; undefined when it is. */
async function problem(): Promise<string | undefined> {
  const began = now();
  try {
    const { config } = await parseConfig({
      env: environment,
      args: commandLine,
      // The probe sends no token, so the tokens file is not read.
      readText: () => 'unread',
      tmpdir: temporaryDirectory,
      homedir: homeDirectory,
    });
    const { HOST, PORT: port } = config;
    if (port === 0) return 'With PORT=0, the port is unknown. Set PORT to the port that the server listens on.';
    const host = await bindableHost(loopbackOf[HOST] ?? HOST);
    const where = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
    const status = await askStatus({ host, port, path }, AbortSignal.timeout(limitMs)).catch((error: unknown) => error);
    if (status === 200) return undefined;
    if (typeof status === 'number') return `${where} responded with ${status}: another program may be using this port.`;
    const reason = systemCodeOf(status) ?? `no response within ${Math.round(now() - began)} ms`;
    return `${where} did not respond (${reason}). Run --health with the HOST and PORT of the server.`;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.replace(/\s+/g, ' ');
  }
}

/** The loopback address to request when the server listens on all addresses. */
const loopbackOf: Readonly<Record<string, string | undefined>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Uses `node:http` alone: `fetch` refuses some ports, and takes longer to load. @throws the network error */
async function askStatus(address: { host: string; port: number; path: string }, signal: AbortSignal): Promise<number> {
  // The only argument of the event.
  const [response] = (await once(get({ ...address, signal, agent: false }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}
