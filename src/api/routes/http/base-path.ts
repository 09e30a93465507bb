/** Computes the path prefix of the server's public URL. */
import type { Config } from '../../../base/config/config.ts';

/** The path of EXTERNAL, without a trailing slash; empty if it has none. */
export function basePath({ EXTERNAL }: Pick<Config, 'EXTERNAL'>): string {
  return EXTERNAL === undefined ? '' : new URL(EXTERNAL).pathname.replace(/(?<!\/)\/+$/, '');
}
