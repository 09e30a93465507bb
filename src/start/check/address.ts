/** Explains why the server cannot listen on its address. */
import type { Config } from '../../base/config/config.ts';
import { ExitError } from '../../base/exit-codes.ts';
import { systemCodeOf } from '../../base/runtime/disk.ts';

/** @param cause the error that listening failed with */
export function addressError({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>, cause: unknown): ExitError {
  return new ExitError('address', addressMessage(HOST, PORT, systemCodeOf(cause)), { cause });
}

function addressMessage(host: string, port: number, code = 'unknown reason'): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use (${code}). Stop the program that uses it, or set PORT to another port.`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `Port ${port} requires privileges that this user does not have (${code}). Set PORT to 1024 or higher.`;
  }
  return `The server cannot listen on ${host}, port ${port} (${code}). Set HOST to an address of this machine, or to 0.0.0.0 for all interfaces.`;
}
