// Directories for the files of a test.
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Creates a directory without symlinks in its path; the test must remove it. */
export const temporaryDirectory = (): string =>
  realpathSync(mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'files-')));
