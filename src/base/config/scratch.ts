// Checks the length of SCRATCH_DIR: browsers make sockets below it.

import { platform } from '../runtime/machine.ts';
import type { SettingName } from './table.ts';

/**
 * Browsers make a socket below their TMPDIR, whose path may have 107 bytes (macOS: 103): a random name of ours,
 * Chromium's `org.chromium.Chromium.XXXXXX/SingletonSocket` and the slashes between take 58 of them.
 */
const maxScratchBytes = platform === 'win32' ? Infinity : platform === 'darwin' ? 45 : 49;
const shortScratch = '/tmp/browserless-scratch-dirs';

/**
 * @param values all settings; a default that is too long is replaced
 * @param given the settings that were given
 */
export function checkScratch(
  values: Map<string, unknown>,
  given: ReadonlySet<SettingName>,
  problems: string[],
  warnings: string[],
): void {
  const path = values.get('SCRATCH_DIR');
  if (typeof path !== 'string') return;
  const bytes = new TextEncoder().encode(path).length;
  if (bytes <= maxScratchBytes) return;
  const why = `full browsers make sockets below it, and the system limits their paths`;
  if (given.has('SCRATCH_DIR')) {
    problems.push(
      `SCRATCH_DIR must be at most ${maxScratchBytes} bytes long, got ${bytes}: ${why}. Name a directory with a shorter path.`,
    );
    return;
  }
  warnings.push(
    `The temporary directory (TMPDIR) has too long a path: SCRATCH_DIR is ${shortScratch}, because ${why}. Set SCRATCH_DIR to choose another directory.`,
  );
  values.set('SCRATCH_DIR', shortScratch);
}
