/** Makes the directories into which the code of POST /download downloads (compatibility.mdx#code-in-requests). */
import { removeDirectory } from '../../base/runtime/files.ts';
import { createOwnedDirectory } from '../../browser/processes/directories.ts';

/** How long after a call Chromium may still make its directory again, in milliseconds. */
const lateMs = 1_000;

export interface DownloadDirectory {
  path: string;
  /** Removes the directory and its files. Later calls do nothing more. */
  remove(): Promise<void>;
}

/**
 * A page may begin a download while its call ends. Chromium chooses the place of the file in the background, even of a
 * download that was cancelled meanwhile, and makes the directory if it is missing. So a directory that is gone is
 * removed again: after a while, and once the browsers have ended.
 */
export class DownloadDirectories {
  readonly #root: string;
  /** What removes those that may appear again, with their markers; by path. */
  readonly #late = new Map<string, () => Promise<void>>();

  /** @param root DOWNLOAD_DIR */
  constructor(root: string) {
    this.#root = root;
  }

  /** @throws ServiceError `storage-full`; `launch-failed` naming DOWNLOAD_DIR when it is not writable */
  async create(): Promise<DownloadDirectory> {
    const { path, remove } = await createOwnedDirectory(this.#root, 'DOWNLOAD_DIR');
    let removed: Promise<unknown> | undefined;
    return {
      path,
      remove: async () => {
        if (!removed) this.#removeLater(path, remove);
        await (removed ??= removeDirectory(path));
      },
    };
  }

  #removeLater(path: string, remove: () => Promise<void>): void {
    const timer = setTimeout(() => void this.#late.get(path)?.(), lateMs);
    this.#late.set(path, async () => {
      clearTimeout(timer);
      await remove();
      this.#late.delete(path);
    });
  }

  /** Removes what is left, once no browser runs any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#late.values()].map((remove) => remove()));
  }
}
