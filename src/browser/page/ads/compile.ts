/**
 * Compiles filter lists to the serialized engine that ad-blocker.ts reads. Runs as a child process, because it takes a
 * second or more of CPU time.
 *
 *   node src/main.ts --browserd-script compile-ad-lists <output> <list…>      lists that end in .br are brotli-compressed
 */
import { FiltersEngine } from '@ghostery/adblocker';
import { readBrotli, readText, writeBytes } from '../../../base/runtime/files.ts';
import { commandLine } from '../../../base/runtime/machine.ts';
import { engineOptions } from './ad-blocker.ts';

export async function compileLists(): Promise<void> {
  const [output = '', ...lists] = commandLine;
  const texts = await Promise.all(
    lists.map(async (path) =>
      path.endsWith('.br') ? new TextDecoder().decode(await readBrotli(path)) : await readText(path),
    ),
  );
  await writeBytes(output, FiltersEngine.parse(texts.join('\n'), engineOptions).serialize());
}
