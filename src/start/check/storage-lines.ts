/** Looks at the directories of the configuration, and leaves nothing in them. */
import type { Config } from '../../base/config/config.ts';
import { freeBytes } from '../../base/runtime/disk.ts';
import { directoryOf } from '../../base/runtime/files.ts';
import { nearestExisting, whyUnwritable, writtenDirectories } from './directories.ts';
import { type Line, note, ok, problem, sizeOf } from './line.ts';

/** A browser writes up to some megabytes for its first page; with less free space than this it may not work. */
const neededBytes = 4 * 2 ** 20;
/** Profiles, downloads and recordings fill less than this within a busy day. */
const comfortableBytes = 2 ** 30;

/** What lacks only some calls: recordings, the embedded browser, the history of the metrics. */
const optional = [
  ['RECORDINGS_DIR', 'recordings'],
  ['PROFILES_DIR', 'stored profiles and secrets'],
  ['CACHE_DIR', 'the embedded browser and compiled filter lists'],
  ['METRICS_JSON_PATH', 'the history of the metrics'],
] as const;

export async function storageLines(config: Config): Promise<Line[]> {
  const needed = writtenDirectories.map((setting) => directoryLine(setting, config[setting], undefined));
  const others = optional.map(([setting, holds]) => {
    const path = config[setting];
    return directoryLine(setting, setting === 'METRICS_JSON_PATH' ? directoryOf(path) : path, holds);
  });
  return Promise.all([...needed, ...others]);
}

/** @param holds what is lost without the directory; undefined when the server cannot serve without it */
async function directoryLine(setting: string, path: string, holds: string | undefined): Promise<Line> {
  const bad = (text: string) =>
    holds === undefined
      ? problem(setting, text, 'directory')
      : note(setting, `${text} Without it there is no place for ${holds}.`);
  const there = await nearestExisting(path);
  const toMake = there === path ? '' : ', which will be made';
  const failed = await whyUnwritable(path);
  if (failed !== undefined) {
    return bad(
      `${path} cannot be written to (${failed}). Correct its owner or rights, or set ${setting} to another directory.`,
    );
  }
  const free = await freeBytes(there);
  if (free === undefined) return ok(setting, `${path}${toMake}`);
  const size = `${path}${toMake}, ${sizeOf(free)} free`;
  if (free < neededBytes) return bad(`${size}: the disk is full. Free space on it.`);
  return free < comfortableBytes ? note(setting, `${size}: a busy day may fill that`) : ok(setting, size);
}
