// Reads from the server's metrics which commands of CDP clients it did not execute.
import type { Service } from '../service.ts';

export interface RefusedCommands {
  /**
   * Commands since the last call, such as `refused Tethering.bind`, sorted; `unknown` covers all commands that no
   * browser knows.
   */
  takeNew(): Promise<string[]>;
}

export function refusedCommands(service: Service): RefusedCommands {
  const seen = new Map<string, number>();
  return {
    async takeNew() {
      const { text } = await service.get('/metrics', { headers: { accept: 'text/plain' } });
      const rows = text.matchAll(/^browserd_cdp_commands_refused_total\{([^}]*)\} (\d+)$/gm);
      return Array.from(rows, ([, labels = '', count]) => {
        const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
        const what = `${label('why')} ${label('method')}`.trimEnd();
        const isNew = Number(count) > (seen.get(what) ?? 0);
        seen.set(what, Number(count));
        return isNew ? what : '';
      })
        .filter(Boolean)
        .toSorted();
    },
  };
}
