/** Creates the directories that every server writes to, and checks whether they are writable. */
import type { Config } from '../../base/config/config.ts';
import { ExitError } from '../../base/exit-codes.ts';
import { systemCodeOf, tryWriting } from '../../base/runtime/disk.ts';
import { directoryOf, directoryState, makeDirectory } from '../../base/runtime/files.ts';

/** The settings that specify these directories. */
export const writtenDirectories = ['DATA_DIR', 'SCRATCH_DIR', 'DOWNLOAD_DIR'] as const;

/** @throws ExitError `directory` naming each setting whose directory cannot be created or written to */
export async function requireDirectories(config: Pick<Config, (typeof writtenDirectories)[number]>): Promise<void> {
  const problems = await Promise.all(
    writtenDirectories.map(async (setting) => {
      const path = config[setting];
      const failure = await makeDirectory(path).then(
        () => undefined,
        (error: unknown) => systemCodeOf(error) ?? 'unknown reason',
      );
      const code = failure ?? ((await directoryState(path)) === 'writable' ? undefined : 'EACCES');
      if (code === undefined) return [];
      const what = failure === undefined ? 'written to' : 'created';
      return `${setting}: ${path} cannot be ${what} (${code}). Correct its owner or permissions, or set ${setting} to another directory.`;
    }),
  );
  const found = problems.flat();
  if (found.length > 0) throw new ExitError('directory', found.join(' '));
}

/** The path, or the nearest directory above it that exists. */
export async function nearestExisting(path: string): Promise<string> {
  const above = directoryOf(path);
  return (await directoryState(path)) === 'absent' && above !== path ? nearestExisting(above) : path;
}

/**
 * The system error code that explains why no file can be created in a directory, or in its nearest existing ancestor;
 * undefined when it is writable. Leaves no files behind.
 */
export async function whyUnwritable(path: string): Promise<string | undefined> {
  const directory = await nearestExisting(path);
  if ((await directoryState(directory)) === 'no-directory') return 'ENOTDIR';
  return tryWriting(directory).then(
    () => undefined,
    (error: unknown) => {
      const code = systemCodeOf(error) ?? 'unknown reason';
      // A full disk is reported separately, by its free space.
      return code === 'ENOSPC' ? undefined : code;
    },
  );
}
