/**
 * A script: compiles filter lists to the serialised engine that ad-blocker.ts reads. It takes a second or more of the
 * processor, so it is run in a process of its own.
 *
 *   node src/page/ads/compile.ts <output> <list…>      lists that end in .br are brotli-compressed
 */
import { FiltersEngine } from '@ghostery/adblocker';
import { readBrotli, readText, writeBytes } from '../../runtime/files.ts';
import { commandLine } from '../../runtime/machine.ts';
import { engineOptions } from './ad-blocker.ts';

const [output = '', ...lists] = commandLine;
const texts = await Promise.all(
  lists.map(async (path) =>
    path.endsWith('.br') ? new TextDecoder().decode(await readBrotli(path)) : await readText(path),
  ),
);
await writeBytes(output, FiltersEngine.parse(texts.join('\n'), engineOptions).serialize());
