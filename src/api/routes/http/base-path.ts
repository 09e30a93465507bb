/** Tells where the paths of the server begin for people and programs that know it by its public address. */
import type { Config } from '../../../base/config/config.ts';

/** The path of EXTERNAL, without a slash at its end; empty for none. */
export function basePath({ EXTERNAL }: Pick<Config, 'EXTERNAL'>): string {
  return EXTERNAL === undefined ? '' : new URL(EXTERNAL).pathname.replace(/(?<!\/)\/+$/, '');
}
