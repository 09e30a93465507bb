// Lists what a server holds for its clients: browsers, renderers, directories, sessions.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type ProcessInfo, processTree, zombiesOf } from './processes.ts';
import type { Service } from './service.ts';

/** The main processes of the browsers. */
export const shells = (of: Service) =>
  of.tree().filter(({ command }) => command.includes('--user-data-dir=') && !command.includes('--type='));

/** The renderers of a browser. */
export const renderersOf = ({ pid }: ProcessInfo) =>
  processTree(pid).filter(({ command }) => command.includes('--type=renderer'));

export interface SessionLine {
  trackingId: string | null;
  type: string;
}

/** The directories of virtual browsers, which are inside those of their processes. */
export function innerDirectories({ scratchDir }: Service): string[] {
  const named = (name: string) => /^[0-9a-f]{12}$/.test(name);
  return readdirSync(scratchDir)
    .filter(named)
    .flatMap((outer) => {
      try {
        return readdirSync(join(scratchDir, outer))
          .filter(named)
          .map((inner) => join(outer, inner));
      } catch {
        // Its process has exited since the listing.
        return [];
      }
    });
}

/** What the server holds, one item per line. */
export async function held(of: Service): Promise<string[]> {
  const sessions = (await of.get('/sessions')).json<SessionLine[]>();
  // Not /pressure, which may start a browser to check whether the server is healthy.
  const { text } = await of.get('/metrics', { headers: { accept: 'text/plain' } });
  const gauge = (name: string) => new RegExp(`^browserd_${name} (\\d+)$`, 'm').exec(text)?.[1];
  return [
    ...shells(of)
      .flatMap(renderersOf)
      .map(({ pid }) => `renderer ${pid}`),
    ...shells(of).map(({ pid }) => `browser ${pid}`),
    ...[of.dataDir, of.scratchDir].flatMap((directory) => readdirSync(directory)),
    ...innerDirectories(of).map((path) => `directory ${path}`),
    ...sessions.map(({ type, trackingId }) => `session ${type} ${trackingId}`),
    `${gauge('running')} run, ${gauge('queue_depth')} wait`,
    ...zombiesOf('pid' in of ? Number(of.pid) : process.pid).map((pid) => `zombie ${pid}`),
  ].toSorted();
}
