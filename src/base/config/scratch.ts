// Checks the length of SCRATCH_DIR, because browsers create sockets in it.

import { platform } from '../runtime/machine.ts';
import type { SettingName } from './table.ts';

/**
 * Browsers create a socket in their TMPDIR, whose path may have at most 107 bytes (macOS: 103): our random directory
 * name, Chromium's `org.chromium.Chromium.XXXXXX/SingletonSocket` and the slashes between take 58 of them.
 */
const maxScratchBytes = platform === 'win32' ? Infinity : platform === 'darwin' ? 45 : 49;
const shortScratch = '/tmp/browserless-scratch-dirs';

/**
 * @param values all settings; a default that is too long is replaced
 * @param given the settings that were set explicitly
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
  const why = `full browsers create sockets in it, and the system limits socket paths`;
  if (given.has('SCRATCH_DIR')) {
    problems.push(
      `SCRATCH_DIR must be at most ${maxScratchBytes} bytes long, got ${bytes}: ${why}. Choose a directory with a shorter path.`,
    );
    return;
  }
  warnings.push(
    `The path of the temporary directory (TMPDIR) is too long, so SCRATCH_DIR is ${shortScratch}: ${why}. Set SCRATCH_DIR to choose another directory.`,
  );
  values.set('SCRATCH_DIR', shortScratch);
}
