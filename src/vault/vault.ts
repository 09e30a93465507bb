/**
 * Keeps what owners entrust to the server in a directory, encrypted: `vault.json` with the salt and a check of the key,
 * and below a directory for each owner one file for each entry. Every file is AES-256-GCM with a key derived from the
 * operator's by PBKDF2 (RFC 8018); owner and name of a file are authenticated with it, so that none can take another's
 * place. Files are replaced whole, and `vault.json` is made once, whatever number of servers begin with the directory.
 */
import { ServiceError } from '../errors.ts';
import { fromBase64, toBase64, toHex } from '../runtime/bytes.ts';
import { sha256 } from '../runtime/crypto/sha256.ts';
import { systemCodeOf } from '../runtime/disk.ts';
import {
  createDurably,
  joinPath,
  makeDirectory,
  namesIn,
  readBytesUnlessMissing,
  removeFile,
  replaceDurably,
} from '../runtime/files.ts';
import { isPlainObject } from '../schema/record.ts';

/** Rounds of PBKDF2: what OWASP asks of SHA-256. It runs once for each server. */
const iterations = 600_000;
const ivBytes = 12;
const saltBytes = 16;
const keyCheck = 'browserd vault';
const version = 1;

export interface VaultOptions {
  /** PROFILES_DIR. */
  directory: string;
  /** PROFILES_KEY; undefined when the operator has set none. */
  key: string | undefined;
  /** Turns a failed write into an error that names the setting. */
  failed(error: unknown): ServiceError;
}

export class Vault {
  readonly #options: VaultOptions;
  #key: Promise<CryptoKey> | undefined;

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
        `The server cannot read the directory of this token in PROFILES_DIR (${codeOf(cause)}). Correct its rights, or restore it.`,
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
    const key = await this.#unlocked();
    const sealed = await readBytesUnlessMissing(this.#path(owner, name)).catch((cause: unknown) => {
      throw new ServiceError(
        'vault-damaged',
        `The server cannot read the file of what is stored under this name (${codeOf(cause)}). Correct its rights, or delete it and store it again.`,
        { cause },
      );
    });
    if (sealed === undefined) return undefined;
    try {
      return JSON.parse(await unseal(key, sealed, contextOf(owner, name)));
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
    const key = await this.#unlocked();
    const sealed = await seal(key, JSON.stringify(content), contextOf(owner, name));
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
  #unlocked(): Promise<CryptoKey> {
    const unlocking = (this.#key ??= this.#unlock());
    unlocking.catch(() => (this.#key = undefined));
    return unlocking;
  }

  async #unlock(): Promise<CryptoKey> {
    const { directory, key, failed } = this.#options;
    if (key === undefined) {
      throw new ServiceError(
        'vault-closed',
        'This server stores no profiles and secrets, because its operator has set no key to encrypt them: set PROFILES_KEY.',
      );
    }
    const path = joinPath(directory, 'vault.json');
    let known = await readLock(path);
    if (known === undefined) {
      const salt = crypto.getRandomValues(new Uint8Array(saltBytes));
      const made = await deriveKey(key, salt, iterations);
      const check = toBase64(await seal(made, keyCheck, keyCheck));
      const text = JSON.stringify({ version, iterations, salt: toBase64(salt), check });
      try {
        await makeDirectory(directory);
        if (await createDurably(path, new TextEncoder().encode(text))) return made;
      } catch (error) {
        throw failed(error);
      }
      // Another server has made the file meanwhile.
      known = await readLock(path);
    }
    const lock = parseLock(known ?? '');
    const derived = await deriveKey(key, lock.salt, lock.iterations);
    const fits = await unseal(derived, lock.check, keyCheck).catch(() => undefined);
    if (fits === keyCheck) return derived;
    throw new ServiceError(
      'vault-closed',
      'PROFILES_KEY is not the key with which the files of PROFILES_DIR were written. Set the old key, or name an empty directory.',
    );
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

/** The text of `vault.json`; undefined when there is none. @throws ServiceError `vault-closed` when it cannot be read */
async function readLock(path: string): Promise<string | undefined> {
  const bytes = await readBytesUnlessMissing(path).catch((cause: unknown) => {
    throw new ServiceError(
      'vault-closed',
      `The server cannot read vault.json in PROFILES_DIR (${codeOf(cause)}). Correct its rights, or name another directory.`,
      { cause },
    );
  });
  return bytes && new TextDecoder().decode(bytes);
}

interface Lock {
  salt: Uint8Array<ArrayBuffer>;
  iterations: number;
  check: Uint8Array<ArrayBuffer>;
}

function parseLock(text: string): Lock {
  try {
    const lock: unknown = JSON.parse(text);
    if (!isPlainObject(lock) || lock['version'] !== version) throw new Error('no lock');
    const { salt, check, iterations: rounds } = lock;
    if (typeof salt !== 'string' || typeof check !== 'string' || typeof rounds !== 'number') throw new Error('no lock');
    // A file that somebody changed must not keep the server busy for minutes.
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 10 * iterations) throw new Error('no lock');
    return { salt: fromBase64(salt), check: fromBase64(check), iterations: rounds };
  } catch (cause) {
    throw new ServiceError(
      'vault-closed',
      'The file vault.json in PROFILES_DIR is damaged: without it nothing there can be read. Restore it, or name an empty directory.',
      { cause },
    );
  }
}

async function deriveKey(secret: string, salt: Uint8Array<ArrayBuffer>, rounds: number): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), 'PBKDF2', false, ['deriveKey']);
  const method = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds };
  return crypto.subtle.deriveKey(method, raw, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

async function seal(key: CryptoKey, text: string, context: string): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const method = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(method, key, new TextEncoder().encode(text)));
  const whole = new Uint8Array(ivBytes + sealed.length);
  whole.set(iv);
  whole.set(sealed, ivBytes);
  return whole;
}

/** @throws for bytes that another key, or another context, has sealed */
async function unseal(key: CryptoKey, whole: Uint8Array, context: string): Promise<string> {
  const bytes = new Uint8Array(whole);
  const method = {
    name: 'AES-GCM',
    iv: bytes.subarray(0, ivBytes),
    additionalData: new TextEncoder().encode(context),
  };
  return new TextDecoder().decode(await crypto.subtle.decrypt(method, key, bytes.subarray(ivBytes)));
}
