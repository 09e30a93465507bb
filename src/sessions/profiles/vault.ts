/**
 * Stores owners' data encrypted in a directory: `vault.json` with the salt and a check of the key, and a directory per
 * owner with one file per entry. Every file is encrypted with AES-256-GCM, using a key derived from the operator's key
 * by PBKDF2 (RFC 8018). Owner and file name are authenticated with the content, so that files cannot be swapped. Files
 * are replaced atomically, and `vault.json` is created only once, however many servers start with the directory.
 */
import { ServiceError } from '../../base/errors.ts';
import { toHex } from '../../base/runtime/bytes.ts';
import { sha256 } from '../../base/runtime/crypto/hashes.ts';
import { systemCodeOf } from '../../base/runtime/disk.ts';
import {
  joinPath,
  makeDirectory,
  namesIn,
  readBytesUnlessMissing,
  removeFile,
  replaceDurably,
} from '../../base/runtime/files.ts';
import type { Unlocked, VaultOptions } from './lock.ts';

export class Vault {
  readonly #options: VaultOptions;
  #key: Promise<Unlocked> | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  /**
   * @throws ServiceError `vault-closed` when the operator has not set a key, or has set one that does not match the
   *   files
   */
  async open(): Promise<void> {
    await this.#unlocked();
  }

  /**
   * Lists the names of an owner's entries with this extension, without the extension.
   * @throws ServiceError `vault-closed`; `vault-damaged` when the directory exists but cannot be read
   */
  async list(owner: string, ending: string): Promise<string[]> {
    await this.#unlocked();
    const names = await namesIn(this.#ownerDirectory(owner)).catch((cause: unknown) => {
      throw new ServiceError(
        'vault-damaged',
        `The server cannot read this token's directory in PROFILES_DIR (${codeOf(cause)}). Fix its permissions.`,
        { cause },
      );
    });
    return names.filter((name) => isName(name) && name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  }

  /**
   * Reads the content of an entry; undefined when it does not exist.
   * @throws ServiceError `vault-damaged`, `vault-closed`
   */
  async read(owner: string, name: string): Promise<unknown> {
    const vault = await this.#unlocked();
    const sealed = await readBytesUnlessMissing(this.#path(owner, name)).catch((cause: unknown) => {
      throw new ServiceError(
        'vault-damaged',
        `The server cannot read this file (${codeOf(cause)}). Fix its permissions, or delete it.`,
        { cause },
      );
    });
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(await vault.unseal(sealed, contextOf(owner, name)));
    } catch (cause) {
      throw new ServiceError(
        'vault-damaged',
        'The data stored under this name cannot be decrypted: its file is damaged or was written with a different PROFILES_KEY. Delete it and store it again.',
        { cause },
      );
    }
  }

  /**
   * Reads the entries of an owner with this extension, sorted by name. Leaves out those that are damaged, so that the
   * owner can still use the others. The server has written all of them: their type is the caller's.
   * @throws ServiceError `vault-closed`, `vault-damaged`
   */
  async readAll<Entry extends { name: string }>(owner: string, ending: string): Promise<Entry[]> {
    const ids = await this.list(owner, ending);
    const read = await Promise.all(ids.map((id) => this.read(owner, `${id}${ending}`).catch(unlessDamaged)));
    // A file may be removed in the meantime.
    const entries = read.filter((each) => each !== undefined) as Entry[];
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Writes an entry, replacing an older one. @throws ServiceError `vault-closed`, `storage-full`, `launch-failed` */
  async write(owner: string, name: string, content: unknown): Promise<void> {
    const vault = await this.#unlocked();
    const sealed = await vault.seal(JSON.stringify(content), contextOf(owner, name));
    try {
      await makeDirectory(this.#ownerDirectory(owner));
      await replaceDurably(this.#path(owner, name), sealed);
    } catch (error) {
      throw this.#options.failed(error);
    }
  }

  async remove(owner: string, name: string): Promise<void> {
    await removeFile(this.#path(owner, name));
  }

  /** Derives the key once. Failures are not cached, because the operator may repair the directory. */
  #unlocked(): Promise<Unlocked> {
    const unlocking = (this.#key ??= this.#unlock());
    unlocking.catch(() => (this.#key = undefined));
    return unlocking;
  }

  async #unlock(): Promise<Unlocked> {
    // Loaded when it is needed: most servers start without a key.
    const { unlock } = await import('./lock.ts');
    return unlock(this.#options);
  }

  #ownerDirectory(owner: string): string {
    return joinPath(this.#options.directory, toHex(sha256(`owner ${owner}`)));
  }

  #path(owner: string, name: string): string {
    if (!isName(name)) throw new Error(`"${name}" is not a valid vault file name`);
    return joinPath(this.#ownerDirectory(owner), name);
  }
}

/** @throws all other errors */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'vault-damaged') throw error;
}

/** Names are server-generated ids with an extension, so that no client input becomes part of a path. */
function isName(name: string): boolean {
  return /^[\da-f-]{36}\.[a-z]+$/.test(name);
}

const codeOf = (error: unknown) => systemCodeOf(error) ?? 'unknown reason';
const contextOf = (owner: string, name: string) => `${owner}\n${name}`;
