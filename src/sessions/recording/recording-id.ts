/**
 * Creates the ids of recordings: UUIDs of version 7 (RFC 9562 section 5.7). They start with a timestamp, so that
 * recordings are found without an index and lists do not need sorting; 74 random bits make them unguessable.
 */

const pattern = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/** @param atMs epoch milliseconds. Default: now */
export function makeRecordingId(atMs = Date.now()): string {
  const random = crypto.randomUUID();
  const time = atMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

export function isRecordingId(text: string): boolean {
  return pattern.test(text) && datePattern.test(dateOf(text));
}

/** Start time of a recording, in epoch milliseconds. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** UTC date of a recording, such as 2026-11-26; empty for times after the year 9999. */
export function dateOf(id: string): string {
  const date = new Date(timeOf(id)).toISOString().slice(0, 10);
  return datePattern.test(date) ? date : '';
}

/** True for the name of a directory that holds the recordings of a day. */
export function isDate(name: string): boolean {
  return datePattern.test(name);
}
