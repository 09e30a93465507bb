/** Declares what is known of a recording, and reads it from its meta.json, in which anything may stand. */
import * as v from 'valibot';

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const tab = v.object({
  /** From 1 on; names the file. */
  tab: whole,
  /** Target id of the page. */
  page: v.string(),
  /** Size of the video in pixels. */
  width: whole,
  height: whole,
  /** Size of the MP4 file; 0 when nothing shows the page as a video. */
  bytes: whole,
  /** Size of the file of events, and how many are in it. Recordings of older versions have none. */
  eventBytes: v.optional(whole, 0),
  events: v.optional(whole, 0),
  /** The last title and the last address of the page; empty when unknown. */
  title: v.optional(v.string(), ''),
  website: v.optional(v.string(), ''),
  /** Epoch milliseconds. */
  startedOn: whole,
  /** The same; null while it is recorded. */
  endedOn: v.nullable(whole),
});

/**
 * `cut short`: browser or server ended without a word; the video plays to the last fragment that was read. It is a
 * state of its own because the end of the video is not the end of what happened.
 */
const recordingStates = ['recording', 'finished', 'cut short'] as const;

/** A video, or the changes of the document (rrweb), from which a player builds the page anew. */
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
  /** Frames per second at most. */
  frameRate: whole,
  tabs: v.array(tab),
  /** Pages that were not recorded, because there were too many. */
  pagesLeftOut: whole,
  /** Name of the account that it belongs to; empty for the operator. */
  account: v.optional(v.string(), ''),
  /** Names the server that records; see src/browser/processes/directories.ts. */
  owner: v.optional(v.string()),
});

export type RecordingMeta = v.InferOutput<typeof meta>;
export type RecordedTab = v.InferOutput<typeof tab>;

/** @returns undefined for a text that is no description of the recording with this id */
export function parseMeta(text: string | undefined, id: string): RecordingMeta | undefined {
  try {
    const result = v.safeParse(meta, JSON.parse(text ?? ''));
    return result.success && result.output.id === id ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the file with the video of a tab. */
export function tabFile(number: number): string {
  return `tab-${number}.mp4`;
}

/**
 * The name of the file with the events of a tab: gzip of lines, each of which is an event as rrweb writes it. What the
 * protocol told are custom events among them (`type: 5`), with the tags `navigation`, `console`, `request` and `notice`.
 */
export function eventsFile(number: number): string {
  return `events-${number}.ndjson.gz`;
}
