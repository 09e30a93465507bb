/** Checks the configured directories, and leaves nothing in them. */
import type { Config } from '../../base/config/config.ts';
import { freeBytes } from '../../base/runtime/disk.ts';
import { directoryOf } from '../../base/runtime/files.ts';
import { nearestExisting, whyUnwritable, writtenDirectories } from './directories.ts';
import { type Line, note, ok, problem, sizeOf } from './line.ts';

/** A browser writes a few megabytes for its first page; it might not work with less free space than this. */
const neededBytes = 4 * 2 ** 20;
/** Profiles, downloads, and recordings take up less than this on a busy day. */
const comfortableBytes = 2 ** 30;

/** Directories that only some requests need, and what is stored there. */
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

/** @param holds what is lost without the directory; undefined when the server cannot work without it */
async function directoryLine(setting: string, path: string, holds: string | undefined): Promise<Line> {
  const bad = (text: string) =>
    holds === undefined
      ? problem(setting, text, 'directory')
      : note(setting, `${text} Without it, the server cannot store ${holds}.`);
  const there = await nearestExisting(path);
  const toMake = there === path ? '' : ', which will be created';
  const failed = await whyUnwritable(path);
  if (failed !== undefined) {
    return bad(
      `${path} cannot be written to (${failed}). Correct its owner or permissions, or set ${setting} to another directory.`,
    );
  }
  const free = await freeBytes(there);
  if (free === undefined) return ok(setting, `${path}${toMake}`);
  const size = `${path}${toMake}, ${sizeOf(free)} free`;
  if (free < neededBytes) return bad(`${size}: the disk is full. Free up space.`);
  return free < comfortableBytes ? note(setting, `${size}: a busy day may use that up`) : ok(setting, size);
}
