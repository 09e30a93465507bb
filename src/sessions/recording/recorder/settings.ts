/** Declares what the server tells the recorder of a page, and what that tells the server. */

/** Which fields of forms are shown as asterisks: all, those of passwords, or none. */
export type ReplayMask = 'all' | 'password' | 'none';

export interface RecorderSettings {
  /** Name of the function with which the recorder tells the server. */
  binding: string;
  mask: ReplayMask;
  /** Most characters of one message to the server; a document that needs more is recorded no longer. */
  messageCharacters: number;
  /** Most milliseconds in which a page may be read; one that takes longer is recorded no longer. */
  readMs: number;
}

/** Each message begins with one of these characters: events, one a line; or why the page is recorded no longer. */
export const messageKinds = { events: 'e', stopped: 's' } as const;
