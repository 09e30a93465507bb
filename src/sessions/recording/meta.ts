/** Declares the metadata of a recording and parses its meta.json, which may contain anything. */
import * as v from 'valibot';

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const tab = v.object({
  /** Number of the tab, from 1; part of the file name. */
  tab: whole,
  /** Target id of the page. */
  page: v.string(),
  /** Size of the video in pixels. */
  width: whole,
  height: whole,
  /** Size of the MP4 file in bytes; 0 when there is no video of the page. */
  bytes: whole,
  /** Size of the events file in bytes, and number of events in it. Recordings of older versions have no events. */
  eventBytes: v.optional(whole, 0),
  events: v.optional(whole, 0),
  /** The last title and the last URL of the page; empty when unknown. */
  title: v.optional(v.string(), ''),
  website: v.optional(v.string(), ''),
  /** Epoch milliseconds. */
  startedOn: whole,
  /** Epoch milliseconds; null while the tab is being recorded. */
  endedOn: v.nullable(whole),
});

/**
 * `cut short`: the browser or the server exited unexpectedly; the video plays up to the last fragment that was read.
 * This is a separate state because the video may end before the session did.
 */
const recordingStates = ['recording', 'finished', 'cut short'] as const;

/** A video, or the document's changes (rrweb), from which a player reconstructs the page. */
const recordingKinds = ['video', 'replay'] as const;

const meta = v.object({
  id: v.string(),
  kind: v.optional(v.picklist(recordingKinds), 'video'),
  session: v.string(),
  trackingId: v.nullable(v.string()),
  browser: v.string(),
  state: v.picklist(recordingStates),
  /** Why it ended, in words; null while it runs. */
  reason: v.nullable(v.string()),
  startedOn: whole,
  endedOn: v.nullable(whole),
  /** Maximum frames per second. */
  frameRate: whole,
  tabs: v.array(tab),
  /** Pages that were not recorded, because there were too many. */
  pagesLeftOut: whole,
  /** Name of the account that it belongs to; empty for the operator. */
  account: v.optional(v.string(), ''),
  /** Identifies the server that records; see src/browser/processes/directories.ts. */
  owner: v.optional(v.string()),
});

export type RecordingMeta = v.InferOutput<typeof meta>;
export type RecordedTab = v.InferOutput<typeof tab>;

/** @returns undefined when the text is not valid metadata of the recording with this id */
export function parseMeta(text: string | undefined, id: string): RecordingMeta | undefined {
  try {
    const result = v.safeParse(meta, JSON.parse(text ?? ''));
    return result.success && result.output.id === id ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/** File name of the video of a tab. */
export function tabFile(number: number): string {
  return `tab-${number}.mp4`;
}

/**
 * File name of the events of a tab: gzip-compressed lines, each an event in rrweb's format. Events from the protocol
 * are stored among them as custom events (`type: 5`), with the tags `navigation`, `console`, `request` and `notice`.
 */
export function eventsFile(number: number): string {
  return `events-${number}.ndjson.gz`;
}
