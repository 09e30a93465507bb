/** Creates the directories that the code of POST /download downloads into (compatibility.mdx#code-in-requests). */
import { removeDirectory } from '../../base/runtime/files.ts';
import { createOwnedDirectory } from '../../browser/processes/directories.ts';

/** How long after a request Chromium may still recreate its directory, in milliseconds. */
const lateMs = 1_000;

export interface DownloadDirectory {
  path: string;
  /** Removes the directory and its files. Further calls have no effect. */
  remove(): Promise<void>;
}

/**
 * Keeps removed directories from reappearing. A page may start a download while its request ends. Chromium chooses the
 * path of the file in the background, even for a download that has been canceled by then, and creates the directory if
 * it is missing. Each directory is therefore removed again: after a delay, and once the browsers have exited.
 */
export class DownloadDirectories {
  readonly #root: string;
  /** Functions that remove directories that may reappear, with their markers; keyed by path. */
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

  /** Removes the remaining directories, once no browser is running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#late.values()].map((remove) => remove()));
  }
}
