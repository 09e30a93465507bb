// Keeps recordings in a directory: `<date>/<id>/meta.json`, and for each tab a `tab-<n>.mp4` with its video and an
// `events-<n>.ndjson.gz`. meta.json is written first and identifies the server that records. A sweep repairs recordings
// that a dead server left, and removes recordings that are too old or exceed the size limit. The file is long because
// it contains all code that accesses the files of recordings.

import { ownerLives, ownerMark } from '../../browser/processes/directories.ts';
import { storageFailure } from '../../browser/processes/storage.ts';
import type { ServiceError } from '../../base/errors.ts';
import { recordingLimits } from '../../base/limits.ts';
import { freeShare } from '../../base/runtime/disk.ts';
import {
  joinPath,
  listDirectory,
  makeDirectory,
  makePrivateDirectory,
  type OpenFile,
  openPlainFile,
  plainFile,
  readTextIfThere,
  removeDirectory,
  removeFile,
  renamePath,
  writeText,
} from '../../base/runtime/files.ts';
import { createGrowingFile } from '../../base/runtime/media/growing-file.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { eventsFile, parseMeta, type RecordingMeta, tabFile } from './meta.ts';
import { dateOf, isDate, isRecordingId, timeOf } from './recording-id.ts';
import type { RecordingFilter, RecordingPage, RecordingWriter, TabWriter } from './store.ts';

export interface DirectoryStoreOptions {
  /** RECORDINGS_DIR. */
  directory: string;
  /** RECORDINGS_BYTES; 0 for no limit. */
  maxBytes: number;
  /** RECORDINGS_DAYS; 0 to keep recordings forever. */
  days: number;
  log: Log;
}

/** @param bytes size of the file. @param isBroken whether a chunk could not be written. @returns the resulting size */
type MakeWhole = (path: string, bytes: number, isBroken: boolean) => Promise<number>;

/** Bytes of a recording besides its videos and events: directory and meta.json. */
const ownBytes = 8_192;
const dayMs = 24 * 3_600_000;
const sweepEveryMs = 3_600_000;
/** Loaded when it is needed: the server rarely needs it at startup. */
const mending = () => import('./mend.ts');

export class DirectoryStore implements Disposable {
  readonly #options: DirectoryStoreOptions;
  /** Size of each recording in bytes, by id. */
  readonly #sizes = new Map<string, number>();
  /** Account that each recording belongs to, by id. */
  readonly #accounts = new Map<string, string>();
  /** Ids of the recordings that this server is writing. */
  readonly #running = new Set<string>();
  /** Final metadata of ended recordings that could not be saved yet, for example because the disk is full. */
  readonly #unsaved = new Map<string, RecordingMeta>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Incremented when a recording ends or is removed: lists that were read before are outdated. */
  changes = 0;

  constructor(options: DirectoryStoreOptions) {
    this.#options = options;
  }

  /**
   * Sweeps now and every hour. Recordings of dead servers are repaired after this returns, because that may take a
   * while.
   */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.sweep(), sweepEveryMs);
    const left = await this.#clean();
    void (async () => {
      for (const meta of left) await this.#repair(meta);
    })();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** @throws ServiceError `storage-full`, `launch-failed` */
  async create(meta: RecordingMeta): Promise<RecordingWriter> {
    const { id } = meta;
    const path = this.#path(id);
    const owner = ownerMark();
    const writes = new SerialQueue();
    const write = (text: string) => writes.run(() => replaceMeta(path, text));
    const save = (known: RecordingMeta) => write(JSON.stringify({ ...known, owner })).catch(failed);
    this.#running.add(id);
    try {
      await makeDirectory(joinPath(this.#options.directory, dateOf(id)));
      // Page content may be secret.
      await makePrivateDirectory(path);
      await save(meta);
      this.#sizes.set(id, ownBytes);
      this.#accounts.set(id, meta.account);
    } catch (error) {
      this.#running.delete(id);
      await removeDirectory(path);
      throw storageFailure(error, 'RECORDINGS_DIR');
    }
    let failure: ServiceError | undefined;
    const broken = (error: unknown): never => {
      failure ??= storageFailure(error, 'RECORDINGS_DIR');
      throw failure;
    };
    const cut: MakeWhole = async (file) => (await mending()).cutToFragments(file);
    const mend: MakeWhole = async (file, bytes, isBroken) =>
      isBroken ? (await (await mending()).repairEvents(file)).bytes : bytes;
    return {
      get failure() {
        return failure;
      },
      save,
      openVideo: (tab) => this.#openTab(id, tabFile(tab), { whole: cut, broken }),
      openEvents: (tab) => this.#openTab(id, eventsFile(tab), { whole: mend, broken }),
      finish: async (known) => {
        await write(JSON.stringify(known)).catch((cause: unknown) => {
          this.#unsaved.set(id, known);
          this.#options.log.warn('recording.not-saved', { recording: id, cause });
        });
        this.#running.delete(id);
        this.changes++;
      },
    };
  }

  /**
   * @param ends `whole` repairs the file when it is closed, if needed; `broken` receives the error of a failed write
   */
  async #openTab(
    id: string,
    name: string,
    { whole, broken }: { whole: MakeWhole; broken: (error: unknown) => never },
  ): Promise<TabWriter> {
    const path = joinPath(this.#path(id), name);
    const file = await createGrowingFile(path).catch(failed);
    let isBroken = false;
    return {
      append: async (piece: Uint8Array) => {
        // Data after a gap cannot be read.
        if (isBroken) return;
        await file.append(piece).catch((error: unknown) => {
          isBroken = true;
          broken(error);
        });
        this.#sizes.set(id, (this.#sizes.get(id) ?? 0) + piece.length);
      },
      close: async () => {
        const { bytes } = file;
        await file.close();
        return whole(path, bytes, isBroken);
      },
    };
  }

  /**
   * Removes the oldest recordings to free space.
   * @returns why recording is impossible; undefined when it is possible
   */
  async problem(): Promise<string | undefined> {
    const { directory, maxBytes } = this.#options;
    const share = await freeShare(directory);
    if (share !== undefined && share < recordingLimits.freeShare) {
      return `Less than ${recordingLimits.freeShare * 100}% of the disk with RECORDINGS_DIR is free.`;
    }
    if (maxBytes === 0 || (await this.#makeRoom(maxBytes))) return undefined;
    return `The recordings in progress exceed the limit of ${maxBytes} bytes (RECORDINGS_BYTES).`;
  }

  /**
   * Removes finished recordings until the rest fit, starting with the oldest of the account that uses the most bytes:
   * an account that records a lot loses its own recordings first. @returns whether the remaining recordings fit
   */
  async #makeRoom(maxBytes: number): Promise<boolean> {
    const kept = new Set<string>();
    while (this.#sizes.values().reduce((total, bytes) => total + bytes, 0) > maxBytes) {
      const id = await this.#nextToRemove(kept);
      if (id === undefined) return false;
      if (this.#running.has(id) || this.#runs(await this.find(id))) {
        kept.add(id);
        continue;
      }
      await this.remove(id);
      this.#options.log.info('recording.removed', { recording: id, why: 'RECORDINGS_BYTES' });
    }
    return true;
  }

  /** @param kept ids of recordings that cannot be removed */
  async #nextToRemove(kept: ReadonlySet<string>): Promise<string | undefined> {
    const bytes = new Map<string, number>();
    for (const [id, size] of this.#sizes) {
      const account = await this.#accountOf(id);
      bytes.set(account, (bytes.get(account) ?? 0) + size);
    }
    const candidates = [...this.#sizes.keys()].filter((id) => !kept.has(id)).toSorted();
    const load = (id: string) => bytes.get(this.#accounts.get(id) ?? '') ?? 0;
    return candidates.toSorted((a, b) => load(b) - load(a))[0];
  }

  async #accountOf(id: string): Promise<string> {
    const known = this.#accounts.get(id) ?? (await this.find(id))?.account;
    // A recording that another server is just starting has no meta.json yet.
    if (known !== undefined) this.#accounts.set(id, known);
    return known ?? '';
  }

  async list({ account, trackingId, session, cursor, limit }: RecordingFilter): Promise<RecordingPage> {
    const recordings: RecordingMeta[] = [];
    let looked = 0;
    let last = cursor;
    for await (const id of this.#ids(cursor)) {
      // Other accounts' recordings are not counted: the cursor would expose one of their ids.
      if (account !== undefined && (await this.#accountOf(id)) !== account) continue;
      if (recordings.length === limit || looked === recordingLimits.lookedThrough) {
        return { recordings, next: last ?? null };
      }
      looked++;
      last = id;
      const meta = await this.find(id);
      if (!meta) continue;
      if (trackingId !== undefined && meta.trackingId !== trackingId) continue;
      if (session === undefined || meta.session === session) recordings.push(meta);
    }
    return { recordings, next: null };
  }

  /** The ids of all recordings, newest first. @param before yield only ids older than this one */
  async *#ids(before?: string): AsyncGenerator<string> {
    const { directory } = this.#options;
    const dates = (await listDirectory(directory)).filter(isDate).toSorted().toReversed();
    for (const date of dates) {
      if (before !== undefined && date > dateOf(before)) continue;
      const ids = await listDirectory(joinPath(directory, date));
      const own = ids.filter((id) => isRecordingId(id) && dateOf(id) === date);
      for (const id of own.toSorted().toReversed()) if (before === undefined || id < before) yield id;
    }
  }

  async find(id: string): Promise<RecordingMeta | undefined> {
    return this.#unsaved.get(id) ?? parseMeta(await readTextIfThere(joinPath(this.#path(id), 'meta.json')), id);
  }

  /** The MP4 file of a tab; undefined when there is none. */
  async openVideo(id: string, tab: number): Promise<OpenFile | undefined> {
    return openPlainFile(joinPath(this.#path(id), tabFile(tab)));
  }

  /** The events of a tab, see `eventsFile`; undefined when there are none. */
  async openEvents(id: string, tab: number): Promise<OpenFile | undefined> {
    return openPlainFile(joinPath(this.#path(id), eventsFile(tab)));
  }

  async remove(id: string): Promise<void> {
    if (!(await removeDirectory(this.#path(id)))) return;
    this.#sizes.delete(id);
    this.#accounts.delete(id);
    this.#unsaved.delete(id);
    this.changes++;
  }

  /**
   * Removes recordings that are too old or exceed the size limit, counts the rest, and repairs those that dead servers
   * left. Never throws.
   */
  async sweep(): Promise<void> {
    for (const meta of await this.#clean()) await this.#repair(meta);
  }

  /** @returns the kept recordings that dead servers left unfinished */
  async #clean(): Promise<RecordingMeta[]> {
    const { log, directory, maxBytes, days } = this.#options;
    const left: RecordingMeta[] = [];
    try {
      for (const [id, known] of this.#unsaved) {
        await replaceMeta(this.#path(id), JSON.stringify(known)).then(
          () => this.#unsaved.delete(id),
          () => {},
        );
      }
      const before = Date.now() - days * dayMs;
      for await (const id of this.#ids()) {
        if (this.#running.has(id)) continue;
        const meta = await this.find(id);
        if (meta) this.#accounts.set(id, meta.account);
        const runs = this.#runs(meta);
        if (!runs && days > 0 && timeOf(id) < before) {
          await this.remove(id);
          log.info('recording.removed', { recording: id, why: 'RECORDINGS_DAYS' });
          continue;
        }
        if (meta?.state === 'recording' && !runs) left.push(meta);
        this.#sizes.set(id, await bytesBelow(this.#path(id)));
      }
      for (const date of (await listDirectory(directory)).filter(isDate)) {
        const path = joinPath(directory, date);
        // A recording may be starting in today's directory.
        const isOver = Date.now() - Date.parse(date) > 2 * dayMs;
        if (isOver && (await listDirectory(path)).length === 0) await removeDirectory(path);
      }
      if (maxBytes > 0) await this.#makeRoom(maxBytes);
    } catch (cause) {
      log.error('recording.sweep-failed', { cause });
    }
    return left;
  }

  /**
   * Whether a server is writing a recording. False for ended recordings of this server whose end could not be saved.
   */
  #runs(meta: RecordingMeta | undefined): boolean {
    if (meta?.state !== 'recording') return false;
    return this.#running.has(meta.id) || (meta.owner !== ownerMark() && ownerLives(meta.owner));
  }

  async #repair({ id }: RecordingMeta): Promise<void> {
    const { log } = this.#options;
    const path = this.#path(id);
    try {
      // It may have been removed to make room.
      const meta = await this.find(id);
      if (meta?.state !== 'recording') return;
      await replaceMeta(path, JSON.stringify(await (await mending()).repairRecording(meta, path)));
      this.#sizes.set(id, await bytesBelow(path));
      this.changes++;
      log.warn('recording.cut-short', { recording: id, session: meta.session });
    } catch (cause) {
      log.warn('recording.not-mended', { recording: id, cause });
    }
  }

  /** @param id must pass `isRecordingId`, because it becomes part of a path */
  #path(id: string): string {
    return joinPath(this.#options.directory, dateOf(id), id);
  }
}

function failed(error: unknown): never {
  throw storageFailure(error, 'RECORDINGS_DIR');
}

async function replaceMeta(directory: string, text: string): Promise<void> {
  const draft = joinPath(directory, 'meta.json.new');
  try {
    await writeText(draft, text);
    await renamePath(draft, joinPath(directory, 'meta.json'));
  } catch (error) {
    await removeFile(draft);
    throw error;
  }
}

async function bytesBelow(directory: string): Promise<number> {
  const names = await listDirectory(directory);
  const files = await Promise.all(names.map((name) => plainFile(joinPath(directory, name))));
  return files.reduce((sum, file) => sum + (file?.bytes ?? 0), ownBytes);
}
