/**
 * Keeps the files that a session shares with its clients: those that its pages downloaded and those that clients put
 * there, in one directory that goes with the session. Clients name files, never places of the server; the only other
 * files they may name are below the directories that the operator shares with them (compatibility.mdx#session-files).
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
import { watchDirectory } from '../../base/runtime/watch-directory.ts';
import { checkName, checkNewName, isWorkingFile } from './file-names.ts';
import type { SessionLife } from './life.ts';
import { ended, tooLarge, tooMany, tooManyAtOnce } from './file-errors.ts';
import { type Listing, listFiles, type SessionFile } from './list-files.ts';
import { NamedPaths } from './named-paths.ts';

/** What the operator's settings say about the files of sessions. */
export interface FileSettings {
  /** MAX_SESSION_FILES_MB in bytes: limit of all files of a session together; 0 for none. */
  maxBytes: number;
  /** SHARED_FILE_DIRS. */
  sharedDirectories: readonly string[];
}

export interface SessionFilesOptions extends FileSettings {
  /** Id of the session. */
  id: string;
  /** The session; it ends with an error when downloads exceed a limit. */
  life: SessionLife;
  /** Holds the directory of the files. Whoever made it removes it with all that is in it, after the session's end. */
  parent: string;
}

/** Shortest pause between two looks at a directory that changes all the time, in milliseconds. */
const pauseMs = 100;
/** Looks may take this part of the time, however many files there are. */
const lookingShare = 1 / 10;

/** The bytes of a file, piece by piece. */
type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file that a client is sending. */
interface Upload {
  name: string;
  received: number;
  /** Bytes of the file that it will replace. */
  replaces: number;
  /** Why its content broke off. */
  broken?: { error: unknown };
}

export class SessionFiles {
  /** Absolute path of the directory; only the server's user may enter it. */
  readonly directory: string;
  readonly #options: SessionFilesOptions;
  readonly #named: NamedPaths;
  #opened: Promise<void> | undefined;
  readonly #listeners = new Set<(file: SessionFile) => void>();
  /** Stamps of the files that listeners know, by name. */
  readonly #known = new Map<string, string>();
  /** Stamps of the files that clients put there, by name: these are no downloads. */
  readonly #put = new Map<string, string>();
  /** The same of the last thousand: a look may see a file of which a newer one has been noted already. */
  readonly #putLately = new Set<string>();
  readonly #uploads = new Set<Upload>();
  /** Uploads that are complete. */
  #finished = 0;
  #bytes = 0;
  #count = 0;
  #turn: Promise<void> = Promise.resolve();
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
    this.directory = filesDirectory(options.parent);
    this.#named = new NamedPaths({ ...options, directory: this.directory });
  }

  /**
   * Makes the directory and begins to watch it. Later calls wait for the first.
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

  /** The complete files by name. */
  async list(): Promise<SessionFile[]> {
    const { files } = await this.#look();
    return files
      .map(({ name, size, modifiedOn, path }) => ({ name, size, modifiedOn, path }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Calls the listener with each file that a page has downloaded completely, until the returned function is called. */
  onDownloaded(listener: (file: SessionFile) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Writes a file, in place of one with the same name. Readers see the old file or the new one, never a part.
   * @param content when it throws, nothing remains of the file
   * @param announced size of the content in bytes, when it is known before
   * @throws ServiceError `bad-request` for a name that is none, `session-files-full`, `queue-full`, `storage-full`,
   *   `session-ended`; what the content throws
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
      if (!written) throw this.#failure(new Error('the file has vanished'));
      // Noted before the file has its name, so that no look takes it for a download.
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
   * The path of a file that pages may get: one of the session's directory, by its name or its path, or one below
   * SHARED_FILE_DIRS, which is copied.
   * @throws ServiceError `forbidden-destination` that says where to put the file
   */
  pathOf(named: string): Promise<string> {
    return this.#named.pathOf(named);
  }

  /** Where downloads land when a client names a directory: there, below SHARED_FILE_DIRS; else in the session's own. */
  async downloadDirectory(named: string | undefined): Promise<string> {
    await this.open();
    return (named === undefined ? undefined : await this.#named.downloadDirectory(named)) ?? this.directory;
  }

  /** Counts the content of an upload and ends it at the limit, and when the session ends. */
  async *#measured(content: Content, upload: Upload): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of content) {
        if (this.#options.life.ending) throw ended();
        upload.received += piece.length;
        this.#checkRoom(upload, upload.received);
        yield piece;
      }
    } catch (error) {
      upload.broken = { error };
      throw error;
    }
  }

  /** @throws ServiceError `session-files-full` when there is no room for an upload of so many bytes */
  #checkRoom(upload: Upload, bytes: number): void {
    const { maxBytes } = this.#options;
    let total = this.#bytes + bytes - upload.replaces;
    for (const other of this.#uploads) if (other !== upload) total += other.received;
    if (maxBytes > 0 && total > maxBytes) throw tooLarge(maxBytes);
  }

  /** Looks at the directory soon. Many changes cause few looks. */
  #changed(): void {
    if (this.#nextLook !== undefined || this.#options.life.ending) return;
    this.#nextLook = setTimeout(
      () => {
        this.#nextLook = undefined;
        const began = now();
        this.#notBefore = began + pauseMs;
        this.#turn = this.#turn.then(() => this.#reportDownloads());
        void this.#turn.then(() => {
          this.#notBefore = Math.max(this.#notBefore, now() + (now() - began) / lookingShare);
        });
      },
      Math.max(0, this.#notBefore - now()),
    );
  }

  /** Tells of downloads that are complete, and ends the session when its files exceed a limit. */
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
    // What was put during the look need not be in it.
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
    // What was put meanwhile may be missing: then the larger figure counts until the next look.
    const whole = since === this.#finished;
    this.#bytes = whole ? listing.bytes : Math.max(this.#bytes, listing.bytes);
    this.#count = whole ? listing.count : Math.max(this.#count, listing.count);
    return listing;
  }

  /** The error for a failed file operation: the end of the session, or a full disk, explains it. */
  #failure(error: unknown): unknown {
    if (error instanceof ServiceError) return error;
    if (this.#options.life.ending) return ended();
    return storageFailure(error, 'SCRATCH_DIR');
  }

  #noFile(name: string): ServiceError {
    return new ServiceError(
      'not-found',
      `Not Found: the session has no complete file ${JSON.stringify(name.slice(0, sessionFileLimits.nameBytes))}. GET /session-files/${this.#options.id} lists its files.`,
    );
  }
}
