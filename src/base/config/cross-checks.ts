// Checks settings that depend on each other: pairs, and KEY_PUBLIC, KEY, KEY_FILE.
import type { SettingName } from './table.ts';

const pairs: readonly (readonly [SettingName, SettingName])[] = [['WEB_BOT_AUTH_KEY', 'WEB_BOT_AUTH_DIRECTORY']];

/** Returns a message for each setting that was set without the one that it needs. */
export function unpairedSettings(given: ReadonlySet<SettingName>): string[] {
  const bothWays = pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]);
  return bothWays.flatMap(([present, lacking]) =>
    given.has(present) && !given.has(lacking) ? [`${present} needs ${lacking}: set both, or remove both.`] : [],
  );
}

/**
 * Checks the software key settings. A key without KEY_PUBLIC has no effect but is not an error: environments shared
 * with other servers may contain one.
 * @param problems receives a message when there are two keys
 * @param warnings receives a message for a key that nothing verifies
 */
export function checkSoftwareKey(given: ReadonlySet<SettingName>, problems: string[], warnings: string[]): void {
  const keys = (['KEY', 'KEY_FILE'] as const).filter((name) => given.has(name));
  if (!given.has('KEY_PUBLIC')) {
    for (const name of keys) {
      warnings.push(`${name} has no effect unless KEY_PUBLIC is set. Remove it.`);
    }
  } else if (keys.length > 1) {
    problems.push('KEY and KEY_FILE are both set: remove one of them.');
  }
}
