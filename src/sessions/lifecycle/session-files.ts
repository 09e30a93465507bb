/**
 * Stores the files that a session shares with its clients, both downloads of its pages and uploads of clients, in one
 * directory that is deleted with the session. Clients refer to files by name, never by path on the server; the only
 * other files that they may refer to are in the directories that the operator shares with them
 * (compatibility.mdx#session-files).
 */
import { filesDirectory } from '../../browser/processes/directories.ts';
import { storageFailure } from '../../browser/processes/storage.ts';
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';
import { now } from '../../base/runtime/machine.ts';
import {
  joinPath,
  makePrivateDirectory,
  type OpenFile,
  openPlainFile,
  plainFile,
  removeFile,
  renamePath,
  writeNewFile,
} from '../../base/runtime/files.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import { watchDirectory } from '../../base/runtime/watch-directory.ts';
import { checkName, checkNewName, isWorkingFile } from './file-names.ts';
import type { SessionLife } from './life.ts';
import { sessionEnded, tooLarge, tooMany, tooManyAtOnce } from './file-errors.ts';
import { type Listing, listFiles, type SessionFile } from './list-files.ts';
import { NamedPaths } from './named-paths.ts';

/** The operator's settings for session files. */
export interface FileSettings {
  /** MAX_SESSION_FILES_MB in bytes: limit for the total size of a session's files; 0 for no limit. */
  maxBytes: number;
  /** SHARED_FILE_DIRS. */
  sharedDirectories: readonly string[];
}

export interface SessionFilesOptions extends FileSettings {
  /** Id of the session. */
  id: string;
  /** Life of the session, which ends with an error when downloads exceed a limit. */
  life: SessionLife;
  /** Contains the directory of the files. Its creator removes it with all its content after the session's end. */
  parent: string;
}

/** Minimum pause between two scans of a directory that changes constantly, in milliseconds. */
const pauseMs = 100;
/** Scans may take at most this share of the time, however many files there are. */
const scanShare = 1 / 10;

/** The bytes of a file, chunk by chunk. */
type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file that a client is sending. */
interface Upload {
  name: string;
  received: number;
  /** Size of the file that it will replace, in bytes. */
  replaces: number;
  /** Why reading its content failed. */
  broken?: { error: unknown };
}

export class SessionFiles {
  /** Absolute path of the directory; only the server's user may enter it. */
  readonly directory: string;
  readonly #options: SessionFilesOptions;
  readonly #named: NamedPaths;
  #opened: Promise<void> | undefined;
  readonly #listeners = new Set<(file: SessionFile) => void>();
  /** Stamps of the files already reported to listeners, by name. */
  readonly #known = new Map<string, string>();
  /** Stamps of the files that clients uploaded, by name: these are not downloads. */
  readonly #put = new Map<string, string>();
  /** Stamps of the last 1,000 uploads: a scan may still see an old file after its replacement has been recorded. */
  readonly #putLately = new Set<string>();
  readonly #uploads = new Set<Upload>();
  /** Number of completed uploads. */
  #finished = 0;
  #bytes = 0;
  #count = 0;
  readonly #scans = new SerialQueue();
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
    this.directory = filesDirectory(options.parent);
    this.#named = new NamedPaths({ ...options, directory: this.directory });
  }

  /**
   * Creates the directory and starts to watch it. Later calls wait for the first.
   * @throws ServiceError `storage-full`, `launch-failed`
   */
  open(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<void> {
    const { life } = this.#options;
    try {
      await makePrivateDirectory(this.directory);
    } catch (error) {
      throw this.#failure(error);
    }
    if (life.ending) return;
    const stop = watchDirectory(this.directory, () => this.#changed());
    life.watch(({ type }) => {
      if (type !== 'ended') return;
      stop();
      clearTimeout(this.#nextLook);
    });
  }

  /** Lists the complete files, sorted by name. */
  async list(): Promise<SessionFile[]> {
    const { files } = await this.#look();
    return files
      .map(({ name, size, modifiedOn, path }) => ({ name, size, modifiedOn, path }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Calls the listener with each completed download of a page, until the returned function is called. */
  onDownloaded(listener: (file: SessionFile) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Writes a file, replacing one with the same name. Readers see the old file or the new one, never a part.
   * @param content when it throws, nothing remains of the file
   * @param announced size of the content in bytes, if known in advance
   * @throws ServiceError `bad-request` for an invalid name, `session-files-full`, `queue-full`, `storage-full`,
   *   `session-ended`; any error that the content throws
   */
  async put(name: string, content: Content, announced = 0): Promise<{ file: SessionFile; created: boolean }> {
    checkNewName(name);
    await this.open();
    const { files } = await this.#look();
    const old = files.find((file) => file.name === name);
    const upload: Upload = { name, received: 0, replaces: old?.size ?? 0 };
    if (this.#uploads.size >= sessionFileLimits.uploadsAtOnce) throw tooManyAtOnce();
    if (!old && this.#count + this.#uploads.size >= sessionFileLimits.files) throw tooMany();
    this.#checkRoom(upload, announced);
    this.#uploads.add(upload);
    const temporary = joinPath(this.#options.parent, `put-${crypto.randomUUID()}`);
    try {
      await writeNewFile(temporary, this.#measured(content, upload));
      const written = await plainFile(temporary);
      if (!written) throw this.#failure(new Error('the file disappeared'));
      // Recorded before the file is renamed, so that no scan mistakes it for a download.
      this.#put.set(name, written.stamp);
      this.#putLately.add(written.stamp);
      const [oldest = ''] = this.#putLately;
      if (this.#putLately.size > 1_000) this.#putLately.delete(oldest);
      const path = joinPath(this.directory, name);
      await renamePath(temporary, path);
      this.#finished++;
      this.#bytes += written.bytes - upload.replaces;
      if (!old) this.#count++;
      return { file: { name, size: written.bytes, modifiedOn: Math.round(written.changedMs), path }, created: !old };
    } catch (error) {
      await removeFile(temporary);
      throw upload.broken ? upload.broken.error : this.#failure(error);
    } finally {
      this.#uploads.delete(upload);
    }
  }

  /** Opens a complete file. @throws ServiceError `bad-request`, `not-found`, `session-ended` */
  async read(name: string): Promise<OpenFile> {
    checkName(name);
    const path = joinPath(this.directory, name);
    try {
      const working = isWorkingFile(name) && !this.#put.has(name);
      const file = working ? undefined : await openPlainFile(path);
      // An empty file may be a download that is about to be renamed.
      if (file && (file.bytes > 0 || (await this.#look()).files.some((each) => each.name === name))) return file;
      await file?.close();
    } catch (error) {
      throw this.#failure(error);
    }
    throw this.#noFile(name);
  }

  /** Removes a complete file. @throws ServiceError `bad-request`, `not-found` */
  async remove(name: string): Promise<void> {
    await (await this.read(name)).close();
    await removeFile(joinPath(this.directory, name));
    this.#changed();
  }

  /**
   * Returns the path of a file that pages may receive: one in the session's directory, by name or path, or one under
   * SHARED_FILE_DIRS, which is copied.
   * @throws ServiceError `forbidden-destination` that says where to put the file
   */
  pathOf(named: string): Promise<string> {
    return this.#named.pathOf(named);
  }

  /**
   * Returns the directory for downloads: the one that a client specifies if it is under SHARED_FILE_DIRS, else the
   * session's.
   */
  async downloadDirectory(named: string | undefined): Promise<string> {
    await this.open();
    return (named === undefined ? undefined : await this.#named.downloadDirectory(named)) ?? this.directory;
  }

  /** Counts the bytes of an upload and aborts it at the limit, or when the session ends. */
  async *#measured(content: Content, upload: Upload): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of content) {
        if (this.#options.life.ending) throw sessionEnded();
        upload.received += piece.length;
        this.#checkRoom(upload, upload.received);
        yield piece;
      }
    } catch (error) {
      upload.broken = { error };
      throw error;
    }
  }

  /** @throws ServiceError `session-files-full` when an upload of this size does not fit */
  #checkRoom(upload: Upload, bytes: number): void {
    const { maxBytes } = this.#options;
    let total = this.#bytes + bytes - upload.replaces;
    for (const other of this.#uploads) if (other !== upload) total += other.received;
    if (maxBytes > 0 && total > maxBytes) throw tooLarge(maxBytes);
  }

  /** Schedules a scan of the directory. Many changes cause few scans. */
  #changed(): void {
    if (this.#nextLook !== undefined || this.#options.life.ending) return;
    this.#nextLook = setTimeout(
      () => {
        this.#nextLook = undefined;
        const began = now();
        this.#notBefore = began + pauseMs;
        void this.#scans
          .run(() => this.#reportDownloads())
          .then(() => {
            this.#notBefore = Math.max(this.#notBefore, now() + (now() - began) / scanShare);
          });
      },
      Math.max(0, this.#notBefore - now()),
    );
  }

  /** Reports completed downloads, and ends the session when its files exceed a limit. */
  async #reportDownloads(): Promise<void> {
    const { life, maxBytes } = this.#options;
    const before = new Map(this.#put);
    const sending = new Set([...this.#uploads].map(({ name }) => name));
    const { files, bytes, count, unsettled } = await this.#look();
    if (life.ending) return;
    if (unsettled) this.#changed();
    for (const { stamp, ...file } of files) {
      if (this.#known.get(file.name) === stamp) continue;
      this.#known.set(file.name, stamp);
      if (this.#putLately.has(stamp) || this.#put.get(file.name) === stamp) continue;
      for (const listener of this.#listeners) listener(file);
    }
    const names = new Set(files.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    // The listing might not include files that were uploaded during the scan.
    for (const [name, stamp] of before) {
      if (!names.has(name) && !sending.has(name) && this.#put.get(name) === stamp) this.#put.delete(name);
    }
    if (maxBytes > 0 && bytes > maxBytes) life.end(tooLarge(maxBytes));
    else if (count > sessionFileLimits.files) life.end(tooMany());
  }

  async #look(): Promise<Listing> {
    await this.open();
    const since = this.#finished;
    const listing = await listFiles(this.directory, this.#put);
    // Files uploaded during the scan may be missing: use the larger number until the next scan.
    const whole = since === this.#finished;
    this.#bytes = whole ? listing.bytes : Math.max(this.#bytes, listing.bytes);
    this.#count = whole ? listing.count : Math.max(this.#count, listing.count);
    return listing;
  }

  /** Returns the error for a failed file operation, which the end of the session or a full disk may explain. */
  #failure(error: unknown): unknown {
    if (error instanceof ServiceError) return error;
    if (this.#options.life.ending) return sessionEnded();
    return storageFailure(error, 'SCRATCH_DIR');
  }

  #noFile(name: string): ServiceError {
    return new ServiceError(
      'not-found',
      `Not Found: the session has no complete file ${JSON.stringify(name.slice(0, sessionFileLimits.nameBytes))}. GET /session-files/${this.#options.id} lists its files.`,
    );
  }
}
