/**
 * Holds the software key of a server whose operator was given one (KEY_PUBLIC): warns before it expires, reads a new
 * key from KEY_FILE, and reports when it has expired. Makes no network requests.
 */
import type { Config } from '../../../base/config/config.ts';
import { ExitError } from '../../../base/exit-codes.ts';
import { directoryOf, readTextIfThere } from '../../../base/runtime/files.ts';
import { SerialQueue } from '../../../base/runtime/serial.ts';
import { watchDirectory } from '../../../base/runtime/watch-directory.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import { dayOf, expiredMessage, type KeyClaims, KeyError, verifyKey } from './verify-key.ts';

const dayMs = 86_400_000;
/** Days before expiry at which the log warns, the last warning first. */
const warningDays = [1, 7, 30] as const;
/**
 * How often the clock and the file are checked, in milliseconds: clocks are changed, machines sleep, and systems do not
 * report changes to files behind links or on network file systems.
 */
const checkIntervalMs = 30_000;

interface KeySettings extends Pick<Config, 'KEY' | 'KEY_FILE'> {
  /** The public key in the URL-safe Base64 of RFC 7515. */
  readonly KEY_PUBLIC: string;
}

/** Events of a software key. */
export interface KeyEvents {
  /** A new key is in effect from now on. */
  renewed(claims: KeyClaims): void;
  /** The key has expired. @param lastLine the message to exit with */
  expired(lastLine: string): void;
}

export class SoftwareKey implements Disposable {
  readonly #settings: KeySettings;
  readonly #log: Log;
  #text: string;
  /** The last rejected text from the file: its reason is logged once. */
  #refused: string | undefined;
  #claims: KeyClaims;
  /** The last warning logged for these claims, in days before expiry. */
  #warned = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopWatching: (() => void) | undefined;
  /** Sequential, because a file that is written in parts is reported several times. */
  readonly #looks = new SerialQueue();
  #events: KeyEvents | undefined;

  private constructor(settings: KeySettings, log: Log, text: string, claims: KeyClaims) {
    this.#settings = settings;
    this.#log = log;
    this.#text = text;
    this.#claims = claims;
  }

  /** Reads and verifies the key. @throws ExitError `key` when it is missing or not valid */
  static async open(settings: KeySettings, log: Log): Promise<SoftwareKey> {
    const { text, claims } = await readKey(settings);
    const key = new SoftwareKey(settings, log, text, claims);
    log.info('key.valid', key.#facts);
    key.#warn();
    return key;
  }

  get claims(): KeyClaims {
    return this.#claims;
  }

  /** Seconds until the key expires; 0 when it has. */
  get secondsLeft(): number {
    return Math.max(0, Math.round((this.#claims.expiresAt - Date.now()) / 1_000));
  }

  /** The warning message, within the last 30 days before the key expires. */
  get notice(): string | undefined {
    const leftMs = this.#claims.expiresAt - Date.now();
    if (leftMs > Math.max(...warningDays) * dayMs) return undefined;
    const days = Math.floor(leftMs / dayMs);
    const left = days < 1 ? 'in less than a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
    return `The software key for ${this.#claims.subject} expires ${left}, on ${dayOf(this.#claims.expiresAt)}. Put a new one in ${sourceOf(this.#settings)}.`;
  }

  /** Starts watching the clock and the file. */
  watch(events: KeyEvents): void {
    this.#events = events;
    const { KEY_FILE } = this.#settings;
    if (KEY_FILE !== undefined) this.#stopWatching = watchDirectory(directoryOf(KEY_FILE), () => this.#lookAgain());
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#events = undefined;
    clearTimeout(this.#timer);
    this.#stopWatching?.();
  }

  get #facts(): Record<string, unknown> {
    const { subject, plan, concurrent, expiresAt } = this.#claims;
    return { subject, plan, concurrent, expires: new Date(expiresAt).toISOString() };
  }

  #lookAgain(): void {
    void this.#looks.run(() => this.#look());
  }

  async #look(): Promise<void> {
    await this.#readFile();
    const events = this.#events;
    if (events === undefined) return;
    if (this.#claims.expiresAt > Date.now()) {
      this.#warn();
      this.#wait();
      return;
    }
    this[Symbol.dispose]();
    this.#log.error('key.expired', this.#facts);
    events.expired(expiredMessage(this.#claims, sourceOf(this.#settings)));
  }

  /** Reads the key that the file contains now; when it is not valid, the previous key stays in effect. */
  async #readFile(): Promise<void> {
    const { KEY_FILE } = this.#settings;
    if (KEY_FILE === undefined) return;
    const text = (await readTextIfThere(KEY_FILE).catch(() => undefined))?.trim() ?? '';
    if (text === this.#text || text === this.#refused) return;
    try {
      const claims = await verifyKey(text, this.#settings.KEY_PUBLIC, 'KEY_FILE');
      this.#text = text;
      this.#refused = undefined;
      this.#claims = claims;
      this.#warned = Infinity;
      this.#log.info('key.renewed', this.#facts);
      this.#events?.renewed(claims);
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      this.#refused = text;
      this.#log.warn('key.refused', { message: `${error.message} The previous key remains in effect.` });
    }
  }

  #warn(): void {
    const leftMs = this.#claims.expiresAt - Date.now();
    const due = warningDays.find((days) => leftMs <= days * dayMs);
    if (due === undefined || due >= this.#warned) return;
    this.#warned = due;
    this.#log.warn('key.expires', { ...this.#facts, message: this.notice });
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const leftMs = this.#claims.expiresAt - Date.now();
    this.#timer = setTimeout(() => this.#lookAgain(), Math.max(1, Math.min(leftMs, checkIntervalMs)));
  }
}

const sourceOf = ({ KEY_FILE }: KeySettings) => (KEY_FILE === undefined ? 'KEY' : 'KEY_FILE');

/** Reads and verifies the key of these settings. @throws ExitError `key` when it is missing or not valid */
export async function readKey(settings: KeySettings): Promise<{ text: string; claims: KeyClaims }> {
  const { KEY, KEY_FILE, KEY_PUBLIC } = settings;
  const text = KEY_FILE === undefined ? KEY : await readTextIfThere(KEY_FILE).catch(() => undefined);
  if (text === undefined) {
    const what =
      KEY_FILE === undefined
        ? 'KEY_PUBLIC is set, so the server needs a software key. Set KEY to it, or KEY_FILE to its path.'
        : `The software key file ${KEY_FILE} cannot be read. Correct KEY_FILE or the file's permissions.`;
    throw new ExitError('key', what);
  }
  const trimmed = text.trim();
  const claims = await verifyKey(trimmed, KEY_PUBLIC, sourceOf(settings)).catch((error: unknown) => {
    throw error instanceof KeyError ? new ExitError('key', error.message) : error;
  });
  return { text: trimmed, claims };
}
