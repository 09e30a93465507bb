/**
 * Manages a directory for temporary files of Playwright: profiles and artifacts. While a browser uses it, it is marked
 * as the server's own, like the directories of browsers, so that the next startup removes what a server left behind.
 */
import { createOwnedDirectory } from '../../browser/processes/directories.ts';

export class LibraryDirectory {
  readonly #root: string;
  #users = 0;
  #directory: ReturnType<typeof createOwnedDirectory> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Adds a user of the directory; the first user creates it.
   * @returns the path, and the function to call when done, once or more; the last user's call removes the directory
   * @throws ServiceError `storage-full`; `launch-failed` when the root is not writable
   */
  async enter(): Promise<{ path: string; leave: () => Promise<void> }> {
    this.#users++;
    const creating = (this.#directory ??= createOwnedDirectory(this.#root, 'SCRATCH_DIR'));
    let left = false;
    const leave = async () => {
      if (left) return;
      left = true;
      if (--this.#users > 0) return;
      this.#directory = undefined;
      await (await creating).remove();
    };
    try {
      return { path: (await creating).path, leave };
    } catch (error) {
      await leave().catch(() => {});
      throw error;
    }
  }
}
