// Creates session files without a browser, in a directory that belongs to the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SessionLife } from '../../src/sessions/lifecycle/life.ts';
import { SessionFiles } from '../../src/sessions/lifecycle/session-files.ts';

export interface Opened extends AsyncDisposable {
  files: SessionFiles;
  life: SessionLife;
  parent: string;
}

/** Opens the files of a session with the id `the-id`. */
export async function openSessionFiles(
  root: string,
  settings: { maxBytes?: number; sharedDirectories?: string[] } = {},
): Promise<Opened> {
  const life = new SessionLife();
  const parent = mkdtempSync(join(root, 'session-'));
  const files = new SessionFiles({ id: 'the-id', life, parent, maxBytes: 0, sharedDirectories: [], ...settings });
  await files.open();
  return {
    files,
    life,
    parent,
    async [Symbol.asyncDispose]() {
      life.end(undefined);
      rmSync(parent, { recursive: true });
    },
  };
}

/** Text as file content. */
export const bytes = (text: string) => [new TextEncoder().encode(text)];
