// Declares the responses of /recordings (compatibility.mdx#recordings).

import * as v from 'valibot';
import { listOf, member, timestamp, namedObject } from './members.ts';

const recordedTab = v.object({
  tab: member(v.number(), 'Number of the tab, starting at 1.'),
  page: member(v.string(), 'Target id of the page.'),
  width: member(v.number(), 'In pixels.'),
  height: v.number(),
  bytes: member(v.number(), 'Size of the MP4 file; 0 when there are no frames.'),
  eventBytes: member(v.number(), 'Size of the event file.'),
  events: member(v.number(), 'Number of events.'),
  title: member(v.string(), 'The last title of the page.'),
  website: member(v.string(), 'The last URL of the page.'),
  startedOn: timestamp('When the recording of the tab started'),
  endedOn: member(v.nullable(v.number()), 'When it ended; null while recording.'),
  mp4: v.optional(member(v.string(), 'URL of the video; omitted for a replay.')),
  webm: v.optional(member(v.string(), 'URL of the video as WebM.')),
  ndjson: v.optional(member(v.string(), 'URL of the events.')),
});

export const recording = namedObject('Recording', {
  id: v.string(),
  kind: member(v.picklist(['video', 'replay']), 'replay: the page is rebuilt from its events.'),
  session: member(v.string(), 'Id of the session.'),
  trackingId: v.nullable(v.string()),
  browser: member(v.string(), 'Name and version.'),
  state: v.picklist(['recording', 'finished', 'cut short']),
  reason: member(v.nullable(v.string()), 'Why it ended; null while recording.'),
  startedOn: timestamp('When it started'),
  endedOn: member(v.nullable(v.number()), 'When it ended; null while recording.'),
  frameRate: member(v.number(), 'Maximum frames per second; 0 for a replay.'),
  tabs: listOf(recordedTab),
  pagesLeftOut: member(v.number(), 'Number of pages not recorded because there were too many.'),
  url: v.string(),
});

export const shareLink = namedObject('RecordingLink', {
  url: member(v.string(), 'Link to the page that plays the recording. It needs no token.'),
  id: member(v.string(), 'The key in the link, used to revoke it.'),
  expiresAt: timestamp('When the link expires'),
});

export const recordingList = namedObject('Recordings', {
  recordings: listOf(recording),
  next: member(v.nullable(v.string()), 'The cursor of the next page; null on the last page.'),
});
