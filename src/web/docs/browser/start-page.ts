/** Initializes a page after loading and after a soft navigation. */
import { startIslands } from './shell/islands.ts';
import { measureCode } from './run/code.ts';
import { highlightWords } from './search/highlight.ts';
import { fillLiveFacts, openDetailsOfHash } from './reading/reading.ts';
import { fillServerStrip } from './reading/server-strip.ts';
import { substitute } from './run/token.ts';
import { markTabs } from './shell/tabs.ts';

export function startPage(): void {
  const main = document.querySelector('#docs-main') ?? document;
  substitute(main);
  markTabs(main);
  measureCode();
  openDetailsOfHash();
  highlightWords();
  startIslands(main);
  void fillLiveFacts(main);
  void fillServerStrip(main);
}
