/** Says which names the files of a session may have. */
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';

/** Chromium writes a download to a file with this ending and renames it when it is complete. */
const unfinished = '.crdownload';

/**
 * True for names that Chromium gives to downloads that it has not finished, or not begun to name
 * (`.org.chromium.Chromium.x1y2z3`). No complete download has such a name: Chromium takes away a dot at the beginning.
 */
export function isWorkingFile(name: string): boolean {
  return name.startsWith('.') || name.endsWith(unfinished);
}

/** True for the name of a file: one segment of a path, without control characters. */
export function isName(name: string): boolean {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it refuses
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0-\x1f\x7f]/.test(name) && name.isWellFormed();
}

/** @throws ServiceError `bad-request` */
export function checkName(name: string): void {
  if (isName(name)) return;
  throw new ServiceError(
    'bad-request',
    'The name of a file is one segment of a path: not empty, not "." or "..", without "/", "\\" and control characters.',
  );
}

/** The same for a file that is not there yet. */
export function checkNewName(name: string): void {
  checkName(name);
  const { nameBytes } = sessionFileLimits;
  const bytes = new TextEncoder().encode(name).length;
  if (bytes > nameBytes) {
    throw new ServiceError('bad-request', `The name of a file may have ${nameBytes} bytes of UTF-8, got ${bytes}.`);
  }
  if (name.endsWith(unfinished)) {
    throw new ServiceError(
      'bad-request',
      `Names that end with ${unfinished} belong to downloads that are not complete.`,
    );
  }
}
