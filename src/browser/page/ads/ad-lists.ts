/**
 * Loads the server's ad blocker on first use: from the engine shipped with the server, or from the operator's own lists
 * (AD_BLOCK_LISTS), which it compiles, keeps in the cache directory and compiles again when they change.
 */
import type { Log } from '../../../base/telemetry/log.ts';
import {
  fileInfo,
  joinPath,
  makeDirectory,
  readBytesIfThere,
  removeFile,
  renamePath,
  writeBytes,
} from '../../../base/runtime/files.ts';
import { now } from '../../../base/runtime/machine.ts';
import { assetBytes } from '../../../base/program/assets.ts';
import { runScript } from '../../../base/program/script.ts';
import type { AdBlocker } from './ad-test.ts';
import { toHex } from '../../../base/runtime/bytes.ts';

export interface AdListsOptions {
  /** Paths of filter lists in EasyList's syntax; empty for the shipped ones. */
  lists: readonly string[];
  cacheDirectory: string;
  log: Log;
  /** Converts the error for a full disk to one that names the setting. */
  wrapError?(error: unknown): unknown;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** How often to check the operator's files for changes, in milliseconds; 5 s by default. */
  lookEveryMs?: number;
}

export class AdLists {
  readonly #options: AdListsOptions;
  #blocker: Promise<AdBlocker> | undefined;
  /** Sizes and times of the files when the blocker was compiled. */
  #state = '';
  #lookedAt = 0;
  #renewing = false;

  constructor(options: AdListsOptions) {
    this.#options = options;
  }

  /** Loads the library, which is most of the work of the first use, but not the rules. */
  async prepare(): Promise<void> {
    await import('./ad-blocker.ts');
  }

  /**
   * Returns the blocker; the first use takes some 20 ms. After a change of the operator's lists, calls use the old
   * rules until the new ones are compiled.
   */
  blocker(): Promise<AdBlocker> {
    const { lists, lookEveryMs = 5_000 } = this.#options;
    if (this.#blocker === undefined) {
      const made = lists.length === 0 ? shipped() : this.#compiled();
      this.#blocker = made;
      // A failure is not remembered: the next call tries again.
      made.catch(() => {
        if (this.#blocker === made) this.#blocker = undefined;
      });
    } else if (lists.length > 0 && !this.#renewing && now() - this.#lookedAt > lookEveryMs) {
      this.#renewing = true;
      void this.#renew();
    }
    return this.#blocker;
  }

  async #renew(): Promise<void> {
    const { log } = this.#options;
    try {
      const before = this.#state;
      if ((await this.#look()) === before) return;
      const made = await this.#compiled();
      this.#blocker = Promise.resolve(made);
      log.info('ads.lists-reloaded');
    } catch (error) {
      log.warn('ads.lists-not-reloaded', { cause: error });
    } finally {
      this.#renewing = false;
    }
  }

  /** Sizes and times of the files, as text. */
  async #look(): Promise<string> {
    const infos = await Promise.all(this.#options.lists.map(fileInfo));
    this.#lookedAt = now();
    return JSON.stringify(infos);
  }

  async #compiled(): Promise<AdBlocker> {
    const { lists, cacheDirectory, stopping, wrapError = (error: unknown) => error } = this.#options;
    const state = await this.#look();
    const name = await digest(JSON.stringify(lists));
    const mark = await digest(state);
    const path = joinPath(cacheDirectory, `ad-rules-${name}`);
    const { toAdBlocker } = await import('./ad-blocker.ts');
    const known = await readBytesIfThere(path);
    this.#state = state;
    if (known !== undefined && startsWith(known, mark)) {
      try {
        return toAdBlocker(known.subarray(mark.length));
      } catch {
        // A different library version compiled it: compile again.
      }
    }
    const unfinished = `${path}.${crypto.randomUUID()}`;
    try {
      await makeDirectory(cacheDirectory);
      await runScript('compile-ad-lists', { args: [unfinished, ...lists], signal: stopping });
      const engine = (await readBytesIfThere(unfinished)) ?? new Uint8Array();
      const marked = new Uint8Array(mark.length + engine.length);
      marked.set(new TextEncoder().encode(mark));
      marked.set(engine, mark.length);
      await writeBytes(unfinished, marked);
      await renamePath(unfinished, path);
      return toAdBlocker(engine);
    } catch (error) {
      await removeFile(unfinished);
      throw wrapError(error);
    }
  }
}

async function shipped(): Promise<AdBlocker> {
  const [engine, { toAdBlocker }] = await Promise.all([assetBytes('ad-engine.bin'), import('./ad-blocker.ts')]);
  return toAdBlocker(engine);
}

/** SHA-256 in hexadecimal, shortened to 32 characters. */
async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(hash)).slice(0, 32);
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return new TextDecoder().decode(bytes.subarray(0, text.length)) === text;
}
