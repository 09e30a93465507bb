/**
 * Lists the paths that are open to every client, regardless of its address, Host, and Origin: the liveness probe and
 * documents.
 */
import type { DirectRoute } from '../pipeline/route.ts';
import { active } from './status.ts';

export function openPaths(routes: readonly DirectRoute[]): ReadonlySet<string> {
  const readable = routes.filter(({ auth, path }) => auth === 'open' && !path.includes(':'));
  return new Set([active.path, ...readable.map(({ path }) => path)]);
}
