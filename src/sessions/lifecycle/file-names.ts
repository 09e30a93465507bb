/** Checks the names of a session's files. */
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';

/** Chromium writes a download to a file with this extension and renames it when it is complete. */
const unfinished = '.crdownload';

/**
 * True for names that Chromium gives to downloads that are unfinished or do not have their name yet
 * (`.org.chromium.Chromium.x1y2z3`). No complete download has such a name: Chromium strips a leading dot.
 */
export function isWorkingFile(name: string): boolean {
  return name.startsWith('.') || name.endsWith(unfinished);
}

/** True for a valid file name: one path segment without control characters. */
export function isName(name: string): boolean {
  // oxlint-disable-next-line eslint/no-control-regex -- rejects control characters
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0-\x1f\x7f]/.test(name) && name.isWellFormed();
}

/** @throws ServiceError `bad-request` */
export function checkName(name: string): void {
  if (isName(name)) return;
  throw new ServiceError(
    'bad-request',
    'A file name must be one path segment: not empty, ".", or "..", and without "/", "\\", or control characters.',
  );
}

/** Checks the name of a file that does not exist yet. @throws ServiceError `bad-request` */
export function checkNewName(name: string): void {
  checkName(name);
  const { nameBytes } = sessionFileLimits;
  const bytes = new TextEncoder().encode(name).length;
  if (bytes > nameBytes) {
    throw new ServiceError('bad-request', `A file name may be at most ${nameBytes} bytes in UTF-8, got ${bytes}.`);
  }
  if (name.endsWith(unfinished)) {
    throw new ServiceError('bad-request', `Names that end with ${unfinished} are reserved for unfinished downloads.`);
  }
}
