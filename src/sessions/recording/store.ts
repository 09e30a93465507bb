/** Declares where recordings are kept. An interface, because several machines will one day share a store. */
import type { ServiceError } from '../../base/errors.ts';
import type { RangedFile } from '../../base/runtime/media/media-file.ts';
import type { RecordingMeta } from './meta.ts';

/** Which recordings a list has; the newest come first. */
export interface RecordingFilter {
  trackingId?: string | undefined;
  /** Id of the session. */
  session?: string | undefined;
  /** Name of the account that they belong to; undefined for those of all. */
  account?: string | undefined;
  /** Where the page before ended. */
  cursor?: string | undefined;
  /** Most entries. */
  limit: number;
}

export interface RecordingPage {
  recordings: RecordingMeta[];
  /** The cursor of the next page; null when this is the last. A page may have fewer entries than its limit. */
  next: string | null;
}

/** Writes one recording. */
export interface RecordingWriter {
  /**
   * Makes the file for the video of a tab, which ends behind its last whole fragment.
   * @throws ServiceError `storage-full`, `launch-failed`
   */
  openVideo(tab: number): Promise<TabWriter>;
  /** Makes the file for its events, see `eventsFile`. @throws ServiceError alike */
  openEvents(tab: number): Promise<TabWriter>;
  /** Why a file of the recording breaks off, such as a full disk; undefined while all is written. */
  readonly failure: ServiceError | undefined;
  /** Replaces what is known of the recording. @throws ServiceError `storage-full`, `launch-failed` */
  save(meta: RecordingMeta): Promise<void>;
  /** Replaces it for the last time: the recording may be removed from now on. Never throws: the next sweep saves it. */
  finish(meta: RecordingMeta): Promise<void>;
}

/** Writes a file of one tab. */
export interface TabWriter {
  /** @throws ServiceError `storage-full`, `launch-failed` */
  append(piece: Uint8Array): Promise<void>;
  /** Ends the file. @returns its size in bytes; 0 for a video without a picture */
  close(): Promise<number>;
}

export interface RecordingStore {
  /** Grows when a recording has ended or is removed: a list that was read before is old. */
  readonly changes: number;
  /** @throws ServiceError `storage-full`, `launch-failed` */
  create(meta: RecordingMeta): Promise<RecordingWriter>;
  /** Makes room by removing the oldest recordings. @returns why nothing more can be recorded; undefined when it can */
  problem(): Promise<string | undefined>;
  list(filter: RecordingFilter): Promise<RecordingPage>;
  find(id: string): Promise<RecordingMeta | undefined>;
  /** The MP4 file of a tab; undefined when there is none. */
  openVideo(id: string, tab: number): Promise<RangedFile | undefined>;
  /** The events of a tab, see `eventsFile`; undefined when there are none. */
  openEvents(id: string, tab: number): Promise<RangedFile | undefined>;
  remove(id: string): Promise<void>;
}
