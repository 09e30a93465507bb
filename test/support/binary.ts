// Builds the single binary that tests run against, once per process that needs it.
import { buildBinary } from '../../src/build/binary/build-binary.ts';

let built: Promise<string> | undefined;

/**
 * Returns the path of a binary without a browser, with packs compressed at a fast level. Building it takes half a
 * minute.
 */
export function provideBinary(root: string): Promise<string> {
  built ??= buildBinary(root, { withBrowser: false, level: 3, output: 'dist/binary/browserd-for-tests' }).then(
    ({ path }) => path,
  );
  return built;
}
