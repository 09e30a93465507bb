// Settings that need each other.

import type { SettingName } from './table.ts';

const pairs: readonly (readonly [SettingName, SettingName])[] = [['WEB_BOT_AUTH_KEY', 'WEB_BOT_AUTH_DIRECTORY']];

/** A sentence for each setting that was given without the one that it needs. */
export function lonelySettings(given: ReadonlySet<SettingName>): string[] {
  const bothWays = pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]);
  return bothWays.flatMap(([present, lacking]) =>
    given.has(present) && !given.has(lacking) ? [`${present} needs ${lacking}: set both, or leave both out.`] : [],
  );
}
