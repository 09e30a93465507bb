/** Repairs the files of recordings that ended unexpectedly. */
import { fileInfo, joinPath, openPlainFile, removeFile, renamePath, truncateFile } from '../../base/runtime/files.ts';
import { copyWholeLines } from '../../base/runtime/media/gzip.ts';
import { eventsFile, type RecordedTab, type RecordingMeta, tabFile } from './meta.ts';
import { playableLength } from './mp4.ts';

/**
 * Repairs the files of a recording whose server has died.
 * @param directory directory of the recording
 * @returns the updated metadata
 * @throws the file system error
 */
export async function repairRecording(meta: RecordingMeta, directory: string): Promise<RecordingMeta> {
  const tabs: RecordedTab[] = [];
  // Sequentially, because each events file is recompressed.
  for (const tab of meta.tabs) tabs.push(await repairTab(tab, directory));
  const endedOn = Math.max(meta.startedOn, ...tabs.map((tab) => tab.endedOn ?? 0));
  const reason = 'The server exited during the recording.';
  return { ...meta, owner: undefined, tabs, endedOn, reason, state: 'cut short' };
}

async function repairTab(tab: RecordedTab, directory: string): Promise<RecordedTab> {
  const video = joinPath(directory, tabFile(tab.tab));
  const events = joinPath(directory, eventsFile(tab.tab));
  const changes = await Promise.all([fileInfo(video), fileInfo(events)]);
  const changed = Math.max(...changes.map((info) => Math.round(info?.changedMs ?? tab.startedOn)));
  const bytes = await cutToFragments(video);
  const { bytes: eventBytes, lines } = changes[1] ? await repairEvents(events) : { bytes: 0, lines: 0 };
  return { ...tab, bytes, eventBytes, events: lines, endedOn: tab.endedOn ?? changed };
}

/**
 * Rewrites an events file with only its complete lines.
 * @returns the new size and line count.
 * @throws the file system error
 */
export async function repairEvents(path: string): Promise<{ bytes: number; lines: number }> {
  const draft = `${path}.new`;
  // May be left over from an interrupted sweep.
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

/**
 * Truncates a video after its last complete fragment.
 * @returns its size in bytes; 0 when it has none or does not exist
 */
export async function cutToFragments(path: string): Promise<number> {
  const file = await openPlainFile(path);
  if (!file) return 0;
  const whole = await playableLength(file).finally(() => file.close());
  if (whole < file.bytes) await truncateFile(path, whole);
  return whole;
}
