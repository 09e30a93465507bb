/** Declares what the storage of recordings receives and returns. */
import type { ServiceError } from '../../base/errors.ts';
import type { RecordingMeta } from './meta.ts';

/** Filter for lists of recordings, which are sorted newest first. */
export interface RecordingFilter {
  trackingId?: string | undefined;
  /** Id of the session. */
  session?: string | undefined;
  /** Name of the account that the recordings belong to; undefined for all accounts. */
  account?: string | undefined;
  /** Cursor from the previous page. */
  cursor?: string | undefined;
  /** Maximum number of entries. */
  limit: number;
}

export interface RecordingPage {
  recordings: RecordingMeta[];
  /** Cursor for the next page; null on the last page. A page may have fewer entries than its limit. */
  next: string | null;
}

/** Writes one recording. */
export interface RecordingWriter {
  /**
   * Creates the file for the video of a tab. When closed, it ends after its last complete fragment.
   * @throws ServiceError `storage-full`, `launch-failed`
   */
  openVideo(tab: number): Promise<TabWriter>;
  /** Creates the file for the events of a tab, see `eventsFile`. @throws the errors documented for `openVideo` */
  openEvents(tab: number): Promise<TabWriter>;
  /** Why a file of the recording is incomplete, such as a full disk; undefined while all writes succeed. */
  readonly failure: ServiceError | undefined;
  /** Replaces the metadata of the recording. @throws ServiceError `storage-full`, `launch-failed` */
  save(meta: RecordingMeta): Promise<void>;
  /**
   * Replaces the metadata for the last time; the recording may then be removed. Never throws: a later sweep retries.
   */
  finish(meta: RecordingMeta): Promise<void>;
}

/** Writes a file of one tab. */
export interface TabWriter {
  /** @throws ServiceError `storage-full`, `launch-failed` */
  append(piece: Uint8Array): Promise<void>;
  /** Closes the file. @returns its size in bytes; 0 for a video without a frame */
  close(): Promise<number>;
}
