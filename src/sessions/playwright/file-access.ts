/**
 * Controls the files of a Playwright client: those that its CDP commands may name (its downloads, and the files in
 * SHARED_FILE_DIRS), and those that it sends, which stay on the server until the session ends.
 */
import type { FileAccess } from '../cdp/rules/verdict.ts';
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import { type NamedFiles, NamedPaths } from '../lifecycle/named-paths.ts';
import type { Message } from './client-message.ts';

/** @param files the directory of the session's downloads, and the directories that the operator shares */
export function fileAccessOf(files: NamedFiles): FileAccess {
  const paths = new NamedPaths(files);
  return {
    async pathOf(named) {
      try {
        return await paths.pathOf(named);
      } catch (cause) {
        if (!(cause instanceof ServiceError) || cause.code !== 'forbidden-destination') throw cause;
        throw new ServiceError(
          'forbidden-destination',
          `The browser cannot read ${JSON.stringify(named.slice(0, 200))}: it runs on the server. ` +
            "Send the file with Playwright's setInputFiles(), or put it in a directory of SHARED_FILE_DIRS.",
          { cause },
        );
      }
    },
    // Ignores the directory that the client specifies: Playwright looks for downloads in its own.
    downloadDirectory: () => Promise.resolve(files.directory),
  };
}

/** Maximum length of a file's path in the folder that a client sends, in bytes of UTF-8. */
const maxPathBytes = 1_000;

/** Limits the files that a client sends. */
export class SentFiles {
  readonly #maxBytes: number;
  #files = 0;
  #bytes = 0;

  /** @param maxBytes MAX_SESSION_FILES_MB in bytes; 0 for no limit */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts the files that a message adds. @returns why the message is refused, or undefined */
  refusal({ method, params }: Message): string | undefined {
    if (!isPlainObject(params)) return undefined;
    const { items, rootDirName, binary } = params;
    if (method === 'write' && typeof binary === 'string') return this.#write(binary);
    if (!Array.isArray(items)) return undefined;
    const names = [rootDirName, ...items.map((item: unknown) => (isPlainObject(item) ? item['name'] : undefined))];
    if (names.some(isTooLong)) {
      return `a file name may have at most ${sessionFileLimits.nameBytes} bytes, and its path ${maxPathBytes}`;
    }
    if (this.#files + items.length > sessionFileLimits.files) {
      return `a session may have at most ${sessionFileLimits.files} files`;
    }
    this.#files += items.length;
    return undefined;
  }

  #write(base64: string): string | undefined {
    const bytes = Math.ceil((base64.length * 3) / 4);
    if (this.#maxBytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      return `the files of a session may total at most ${this.#maxBytes / 2 ** 20} MB (MAX_SESSION_FILES_MB)`;
    }
    this.#bytes += bytes;
    return undefined;
  }
}

function isTooLong(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  const bytesOf = (text: string) => new TextEncoder().encode(text).length;
  // A name that is too long as a whole need not be split.
  if (name.length > maxPathBytes || bytesOf(name) > maxPathBytes) return true;
  return name.split(/[/\\]/).some((part) => bytesOf(part) > sessionFileLimits.nameBytes);
}
