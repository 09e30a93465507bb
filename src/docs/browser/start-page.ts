/** What every page needs after it came, whether with the document or by soft navigation. */
import { startIslands } from './islands.ts';
import { measureCode } from './code.ts';
import { markFound } from './found-terms.ts';
import { fillLiveFacts, openDetailsOfHash } from './reading.ts';
import { substitute } from './token.ts';
import { markTabs } from './tabs.ts';

export function startPage(): void {
  const main = document.querySelector('#docs-main') ?? document;
  substitute(main);
  markTabs(main);
  measureCode();
  openDetailsOfHash();
  markFound();
  startIslands(main);
  void fillLiveFacts(main);
}
