/**
 * Where libraries in this process make temporary files: profiles and artifacts of Playwright. While anybody uses them it
 * is a directory of ours, marked like those of browsers, so that nothing of it outlives the server or its next start.
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
   * From now on temporary files lie in the directory.
   * @returns what to call afterwards, once or more; the last one out removes the directory
   * @throws the system's error when the root is not writable
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
