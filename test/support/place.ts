// The directories and environment variables of a server that a test starts.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

export interface Place {
  /** Holds the other directories. */
  baseDir: string;
  dataDir: string;
  scratchDir: string;
  downloadDir: string;
  env: Record<string, string>;
}

/** Creates the directories of a server, and its environment variables. */
export function makePlace(given: Record<string, string> = {}): Place {
  const baseDir = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'service-'));
  const [dataDir = '', scratchDir = '', downloadDir = '', recordingsDir = '', profilesDir = ''] = [
    'data',
    'scratch',
    'downloads',
    'recordings',
    'vault',
  ].map((name) => {
    const path = join(baseDir, name);
    mkdirSync(path);
    return path;
  });
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    // Tests seldom use the second of the two default spares, and each costs a process start.
    SPARES: '1',
    PORT: '0',
    DATA_DIR: dataDir,
    SCRATCH_DIR: scratchDir,
    DOWNLOAD_DIR: downloadDir,
    METRICS_JSON_PATH: join(baseDir, 'metrics.json'),
    UNITS_FILE: join(baseDir, 'units.jsonl'),
    RECORDINGS_DIR: recordingsDir,
    PROFILES_DIR: profilesDir,
    // Profiles that tests store are in baseDir, and are removed along with the server's directories.
    USER_DATA_DIRS: join(baseDir, 'profiles'),
    ...given,
  };
  return { baseDir, dataDir, scratchDir, downloadDir, env };
}
