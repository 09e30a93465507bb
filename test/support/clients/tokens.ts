// Writes the file for TOKENS_FILE and derives its tokens.
import { createHash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../temporary-directory.ts';

export interface TokenRow {
  name: string;
  plan?: string;
  [setting: string]: unknown;
}

/** The hash of a token, in the format of the file. */
export const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;

/** The token of a row with this name. */
export const tokenOf = (name: string) => `token-of-${name}`;

export interface TokensFile extends Disposable {
  path: string;
  /** Replaces the file in one step, as a careful operator does. */
  write(tokens: readonly TokenRow[], plans?: Record<string, unknown>): void;
  /** Writes any text to the file, in place. */
  writeText(text: string): void;
}

/** The text of a file with these rows; each row receives the token of its name, unless it specifies a hash. */
export function fileText(tokens: readonly TokenRow[], plans: Record<string, unknown> = {}): string {
  const rows = tokens.map((row) => ({ tokenHash: hashOf(tokenOf(row.name)), ...row }));
  return JSON.stringify({ plans, tokens: rows });
}

/** Creates a file in its own directory; disposing removes the directory. */
export function tokensFile(tokens: readonly TokenRow[], plans: Record<string, unknown> = {}): TokensFile {
  const directory = temporaryDirectory();
  const path = join(directory, 'tokens.json');
  const file: TokensFile = {
    path,
    write(rows, rowsOfPlans = {}) {
      writeFileSync(`${path}.new`, fileText(rows, rowsOfPlans));
      renameSync(`${path}.new`, path);
    },
    writeText: (text) => writeFileSync(path, text),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
  file.write(tokens, plans);
  return file;
}
