// Declares what /recordings answers (compatibility.mdx#recordings).

import * as v from 'valibot';
import { listOf, member, moment, named } from './members.ts';

const recordedTab = v.object({
  tab: member(v.number(), 'From 1 on.'),
  page: member(v.string(), 'Target id of the page.'),
  width: member(v.number(), 'In pixels.'),
  height: v.number(),
  bytes: member(v.number(), 'Size of the MP4 file; 0 when there is no picture.'),
  eventBytes: member(v.number(), 'Size of the file of events.'),
  events: member(v.number(), 'How many there are.'),
  title: member(v.string(), 'The last title of the page.'),
  website: member(v.string(), 'The last address of the page.'),
  startedOn: moment('When its recording begins'),
  endedOn: member(v.nullable(v.number()), 'The end of that; null while it is recorded.'),
  mp4: v.optional(member(v.string(), 'Address of the video; a replay has none.')),
  webm: v.optional(member(v.string(), 'The same as WebM.')),
  ndjson: v.optional(member(v.string(), 'Address of its events.')),
});

export const recording = named(
  'Recording',
  v.object({
    id: v.string(),
    kind: member(v.picklist(['video', 'replay']), 'replay: the page is built anew from its events.'),
    session: member(v.string(), 'Id of the session.'),
    trackingId: v.nullable(v.string()),
    browser: member(v.string(), 'Name and version.'),
    state: v.picklist(['recording', 'finished', 'cut short']),
    reason: member(v.nullable(v.string()), 'Why it ended; null while it runs.'),
    startedOn: moment('When it began'),
    endedOn: member(v.nullable(v.number()), 'When it ended; null while it runs.'),
    frameRate: member(v.number(), 'Frames per second at most; 0 for a replay.'),
    tabs: listOf(recordedTab),
    pagesLeftOut: member(v.number(), 'Pages that were not recorded, because there were too many.'),
    url: v.string(),
  }),
);

export const shareLink = named(
  'RecordingLink',
  v.object({
    url: member(v.string(), 'The link for people: the page that plays the recording. It needs no token.'),
    id: member(v.string(), 'The key in the link, with which it is ended.'),
    expiresAt: moment('When it ends'),
  }),
);

export const recordingList = named(
  'Recordings',
  v.object({
    recordings: listOf(recording),
    next: member(v.nullable(v.string()), 'The cursor of the next list; null for the last one.'),
  }),
);
