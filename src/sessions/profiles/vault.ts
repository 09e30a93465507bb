/**
 * Keeps what owners entrust to the server in a directory, encrypted: `vault.json` with the salt and a check of the key,
 * and below a directory for each owner one file for each entry. Every file is AES-256-GCM with a key derived from the
 * operator's by PBKDF2 (RFC 8018); owner and name of a file are authenticated with it, so that none can take another's
 * place. Files are replaced whole, and `vault.json` is made once, whatever number of servers begin with the directory.
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

  /** @throws ServiceError `vault-closed` when the operator has set no key, or another than the files have */
  async open(): Promise<void> {
    await this.#unlocked();
  }

  /**
   * The names of an owner's entries with this ending, without it.
   * @throws ServiceError `vault-closed`; `vault-damaged` when the directory is there but cannot be read
   */
  async list(owner: string, ending: string): Promise<string[]> {
    await this.#unlocked();
    const names = await namesIn(this.#ownerDirectory(owner)).catch((cause: unknown) => {
      throw new ServiceError(
        'vault-damaged',
        `The server cannot read the directory of this token in PROFILES_DIR (${codeOf(cause)}). Correct its rights.`,
        { cause },
      );
    });
    return names.filter((name) => isName(name) && name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  }

  /**
   * The content of an entry; undefined when there is none.
   * @throws ServiceError `vault-damaged`, `vault-closed`
   */
  async read(owner: string, name: string): Promise<unknown> {
    const vault = await this.#unlocked();
    const sealed = await readBytesUnlessMissing(this.#path(owner, name)).catch((cause: unknown) => {
      throw new ServiceError(
        'vault-damaged',
        `The server cannot read this file (${codeOf(cause)}). Correct its rights, or delete it.`,
        { cause },
      );
    });
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(await vault.unseal(sealed, contextOf(owner, name)));
    } catch (cause) {
      throw new ServiceError(
        'vault-damaged',
        'What is stored under this name cannot be read: its file is damaged, or was written with another PROFILES_KEY. Delete it and store it again.',
        { cause },
      );
    }
  }

  /** Writes an entry, in place of an older one. @throws ServiceError `vault-closed`, `storage-full`, `launch-failed` */
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

  /** Derives the key once; a failure is forgotten, because the operator may mend the directory. */
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
    if (!isName(name)) throw new Error(`"${name}" is no name of a file of the vault`);
    return joinPath(this.#ownerDirectory(owner), name);
  }
}

/** Names are ids of the server with an ending: nothing that a caller wrote becomes part of a path. */
function isName(name: string): boolean {
  return /^[\da-f-]{36}\.[a-z]+$/.test(name);
}

const codeOf = (error: unknown) => systemCodeOf(error) ?? 'unknown reason';
const contextOf = (owner: string, name: string) => `${owner}\n${name}`;
