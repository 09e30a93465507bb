/** Caches results of slow build steps in node_modules/.cache, by the hash of their input. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 20);
};

export class BuildCache {
  readonly #folder: string;
  readonly #used = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the cached result for this key, or else calls `make` and caches its result. */
  async bytes(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    this.#used.add(key);
    const path = join(this.#folder, key);
    const known = await readFile(path).catch(() => undefined);
    if (known !== undefined) return known;
    const made = await make();
    await mkdir(this.#folder, { recursive: true });
    // Rename after writing: a concurrent build never sees half a file.
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, made);
    await rename(part, path);
    return made;
  }

  async text(key: string, make: () => Promise<string>): Promise<string> {
    const bytes = await this.bytes(key, async () => new TextEncoder().encode(await make()));
    return new TextDecoder().decode(bytes);
  }

  /** Removes the entries that this build did not use. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    await Promise.all(
      names.filter((name) => !this.#used.has(name)).map((name) => rm(join(this.#folder, name), { force: true })),
    );
  }
}
