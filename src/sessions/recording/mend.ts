/** Makes the files of a recording whole again that ended without a word. */
import { fileInfo, joinPath, removeFile, renamePath } from '../../base/runtime/files.ts';
import { copyWholeLines } from '../../base/runtime/media/gzip.ts';
import { openRangedFile, truncateFile } from '../../base/runtime/media/media-file.ts';
import { eventsFile, type RecordedTab, type RecordingMeta, tabFile } from './meta.ts';
import { playableBytes } from './mp4.ts';

/**
 * Mends the files of a recording whose server is dead.
 * @param directory of the recording
 * @returns what is known of it then
 * @throws the system's error
 */
export async function mendRecording(meta: RecordingMeta, directory: string): Promise<RecordingMeta> {
  const tabs: RecordedTab[] = [];
  // One after the other: a file of events is compressed anew.
  for (const tab of meta.tabs) tabs.push(await mendTab(tab, directory));
  const endedOn = Math.max(meta.startedOn, ...tabs.map((tab) => tab.endedOn ?? 0));
  const reason = 'The server ended while it recorded.';
  return { ...meta, owner: undefined, tabs, endedOn, reason, state: 'cut short' };
}

async function mendTab(tab: RecordedTab, directory: string): Promise<RecordedTab> {
  const video = joinPath(directory, tabFile(tab.tab));
  const events = joinPath(directory, eventsFile(tab.tab));
  const changes = await Promise.all([fileInfo(video), fileInfo(events)]);
  const changed = Math.max(...changes.map((info) => Math.round(info?.changedMs ?? tab.startedOn)));
  const bytes = await cutToFragments(video);
  const { bytes: eventBytes, lines } = changes[1] ? await mendEvents(events) : { bytes: 0, lines: 0 };
  return { ...tab, bytes, eventBytes, events: lines, endedOn: tab.endedOn ?? changed };
}

/** Writes the whole lines of a file of events anew. @returns what is left. @throws the system's error */
export async function mendEvents(path: string): Promise<{ bytes: number; lines: number }> {
  const draft = `${path}.new`;
  // One of a sweep that was ended too.
  await removeFile(draft);
  try {
    const whole = await copyWholeLines(path, draft);
    await renamePath(draft, path);
    return whole;
  } catch (error) {
    await removeFile(draft);
    throw error;
  }
}

/** Cuts a video behind its last whole fragment. @returns its bytes; 0 for one without a fragment, or that is not there */
export async function cutToFragments(path: string): Promise<number> {
  const file = await openRangedFile(path);
  if (!file) return 0;
  const whole = await playableBytes(file).finally(() => file.close());
  if (whole < file.bytes) await truncateFile(path, whole);
  return whole;
}
