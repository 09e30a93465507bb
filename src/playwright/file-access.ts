/** The files that the CDP commands of a Playwright client may name: its downloads, and those of SHARED_FILE_DIRS. */
import type { FileAccess } from '../clients/cdp/rules/verdict.ts';
import { ServiceError } from '../errors.ts';
import { type NamedFiles, NamedPaths } from '../sessions/named-paths.ts';

/** @param files the directory of the session's downloads, and what the operator shares */
export function fileAccessOf(files: NamedFiles): FileAccess {
  const paths = new NamedPaths(files);
  return {
    async pathOf(named) {
      try {
        return await paths.pathOf(named);
      } catch (cause) {
        if (!(cause instanceof ServiceError) || cause.code !== 'forbidden-destination') throw cause;
        throw new ServiceError(
          'forbidden-destination',
          `The browser may not read ${JSON.stringify(named.slice(0, 200))}: it runs on the server. ` +
            "Send the file with Playwright's setInputFiles(), or put it below a directory of SHARED_FILE_DIRS.",
          { cause },
        );
      }
    },
    // Whatever the client names: Playwright looks for downloads in its own directory.
    downloadDirectory: () => Promise.resolve(files.directory),
  };
}
