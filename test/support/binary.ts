// The single binary that tests run on, built once in each process that asks for it.
import { buildBinary } from '../../src/build/binary/build-binary.ts';

let built: Promise<string> | undefined;

/** Path of a binary without a browser, its packs compressed quickly. Takes half a minute. */
export function provideBinary(root: string): Promise<string> {
  built ??= buildBinary(root, { withBrowser: false, level: 3, output: 'dist/binary/browserd-for-tests' }).then(
    ({ path }) => path,
  );
  return built;
}
