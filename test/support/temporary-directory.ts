// Directories for the files of a test.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const created: string[] = [];
process.once('exit', () => {
  for (const path of created) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});

/** Creates a directory without symlinks in its path, which is removed when the process of the test exits. */
export function temporaryDirectory(): string {
  const path = realpathSync(mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'files-')));
  created.push(path);
  return path;
}
