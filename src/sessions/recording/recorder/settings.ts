/** Declares the recorder's settings and its messages to the server. */

/** Which form fields are shown as asterisks: all, password fields, or none. */
export type ReplayMask = 'all' | 'password' | 'none';

export interface RecorderSettings {
  /** Name of the function that the recorder calls to send messages to the server. */
  binding: string;
  mask: ReplayMask;
  /** Maximum characters per message to the server; if a document needs more, its recording stops. */
  messageCharacters: number;
  /** Maximum time for reading a page, in milliseconds; if a page takes longer, its recording stops. */
  readMs: number;
}

/** Each message starts with one of these characters: events, one per line; or the reason why recording has stopped. */
export const messageKinds = { events: 'e', stopped: 's' } as const;
