/** Unlocks a vault with the operator's key, and creates `vault.json` for a new vault. */
import { ServiceError } from '../../base/errors.ts';
import { fromBase64, toBase64 } from '../../base/runtime/bytes.ts';
import { systemCodeOf } from '../../base/runtime/disk.ts';
import { createDurably, joinPath, makeDirectory, readBytesUnlessMissing } from '../../base/runtime/files.ts';
import { isPlainObject } from '../../base/schema/record.ts';

/** PBKDF2 iterations, as OWASP recommends for SHA-256. The derivation runs once per server. */
const iterations = 600_000;
const saltBytes = 16;
const keyCheck = 'browserd vault';
const version = 1;

export interface VaultOptions {
  /** PROFILES_DIR. */
  directory: string;
  /** PROFILES_KEY; undefined when the operator has not set it. */
  key: string | undefined;
  /** Converts a failed write into an error that names the setting. */
  failed(error: unknown): ServiceError;
}

/** A vault whose key is known. */
export interface Unlocked {
  seal(text: string, context: string): Promise<Uint8Array>;
  /** @throws when the bytes were sealed with a different key or context */
  unseal(bytes: Uint8Array, context: string): Promise<string>;
}

/** @throws the errors documented for `keyFor` */
export async function unlock(options: VaultOptions): Promise<Unlocked> {
  const key = await keyFor(options);
  return {
    seal: (text, context) => seal(key, text, context),
    unseal: (bytes, context) => unseal(key, bytes, context),
  };
}

/** @throws ServiceError `vault-closed`; the result of `failed` for a failed write */
async function keyFor({ directory, key, failed }: VaultOptions): Promise<CryptoKey> {
  if (key === undefined) {
    throw new ServiceError(
      'vault-closed',
      'Profiles and secrets are disabled, because the operator has not set the key that encrypts them: set PROFILES_KEY.',
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
    // Another server has created the file in the meantime.
    known = await readLock(path);
  }
  const lock = parseLock(known ?? '');
  const derived = await deriveKey(key, lock.salt, lock.iterations);
  const fits = await unseal(derived, lock.check, keyCheck).catch(() => undefined);
  if (fits === keyCheck) return derived;
  throw new ServiceError(
    'vault-closed',
    'PROFILES_KEY does not match the files in PROFILES_DIR, which were encrypted with a different key. Set the old key, or use an empty directory.',
  );
}

/** Reads `vault.json`; undefined when it does not exist. @throws ServiceError `vault-closed` when it cannot be read */
async function readLock(path: string): Promise<string | undefined> {
  const bytes = await readBytesUnlessMissing(path).catch((cause: unknown) => {
    throw new ServiceError(
      'vault-closed',
      `The server cannot read vault.json in PROFILES_DIR (${systemCodeOf(cause) ?? 'unknown reason'}). Fix its permissions, or use another directory.`,
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
    if (!isPlainObject(lock) || lock['version'] !== version) throw new Error('invalid lock');
    const { salt, check, iterations: rounds } = lock;
    if (typeof salt !== 'string' || typeof check !== 'string' || typeof rounds !== 'number')
      throw new Error('invalid lock');
    // A modified file must not keep the server busy for minutes.
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 10 * iterations) throw new Error('invalid lock');
    return { salt: fromBase64(salt), check: fromBase64(check), iterations: rounds };
  } catch (cause) {
    throw new ServiceError(
      'vault-closed',
      'vault.json in PROFILES_DIR is damaged, so nothing there can be decrypted. Restore it, or use an empty directory.',
      { cause },
    );
  }
}

async function deriveKey(secret: string, salt: Uint8Array<ArrayBuffer>, rounds: number): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), 'PBKDF2', false, ['deriveKey']);
  const method = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds };
  return crypto.subtle.deriveKey(method, raw, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}

const ivBytes = 12;

async function seal(key: CryptoKey, text: string, context: string): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const method = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(method, key, new TextEncoder().encode(text)));
  const whole = new Uint8Array(ivBytes + sealed.length);
  whole.set(iv);
  whole.set(sealed, ivBytes);
  return whole;
}

/** @throws when the bytes were sealed with a different key or context */
async function unseal(key: CryptoKey, whole: Uint8Array, context: string): Promise<string> {
  const bytes = new Uint8Array(whole);
  const method = {
    name: 'AES-GCM',
    iv: bytes.subarray(0, ivBytes),
    additionalData: new TextEncoder().encode(context),
  };
  return new TextDecoder().decode(await crypto.subtle.decrypt(method, key, bytes.subarray(ivBytes)));
}
