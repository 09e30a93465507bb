/**
 * Gives libraries in this process a directory for their temporary files: profiles and artifacts of Playwright. While a
 * browser uses it, it is marked as the server's own like those of browsers, so that the next start removes what a
 * server left.
 */
import { setTemporaryDirectory } from '../runtime/machine.ts';
import { createOwnedDirectory } from '../browsers/directories.ts';

export class LibraryDirectory {
  readonly #root: string;
  #users = 0;
  #directory: ReturnType<typeof createOwnedDirectory> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Puts temporary files into the directory from now on.
   * @returns the function to call afterwards, once or more; the last user's call removes the directory
   * @throws ServiceError `storage-full`; `launch-failed` when the root is not writable
   */
  async enter(): Promise<() => Promise<void>> {
    this.#users++;
    const creating = (this.#directory ??= createOwnedDirectory(this.#root, 'SCRATCH_DIR'));
    let left = false;
    const leave = async () => {
      if (left) return;
      left = true;
      if (--this.#users > 0) return;
      this.#directory = undefined;
      setTemporaryDirectory(undefined);
      await (await creating).remove();
    };
    try {
      setTemporaryDirectory((await creating).path);
      return leave;
    } catch (error) {
      await leave().catch(() => {});
      throw error;
    }
  }
}
