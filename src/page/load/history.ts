/** Goes back and forward, reloads, and waits for navigations that the page itself begins. */
import type { LifeEvent } from '../document-lifecycle.ts';
import type { Page } from '../page.ts';

/**
 * Goes back (-1) or forward (+1) and waits for the document.
 * @returns false when there is nothing to go to
 */
export async function goInHistory(page: Page, delta: -1 | 1, events: readonly LifeEvent[]): Promise<boolean> {
  const { currentIndex, entries } = await page.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + delta];
  // The first entry of a page made ahead is the blank one that nobody asked for.
  if (!entry || (currentIndex + delta === 0 && entry.url === 'about:blank')) return false;
  await andReached(page, events, () => page.send('Page.navigateToHistoryEntry', { entryId: entry.id }));
  return true;
}

/** Loads the page again and waits for the document. */
export async function reloadPage(page: Page, events: readonly LifeEvent[]): Promise<void> {
  await andReached(page, events, () => page.send('Page.reload', {}));
}

/** Waits for a document newer than the given count of them; a step within the same document counts as well. */
export async function nextDocument(page: Page, documents: number, events: readonly LifeEvent[]): Promise<void> {
  await Promise.race([page.life.reached(events, () => page.life.documents > documents), withinDocument(page)]);
}

async function andReached(page: Page, events: readonly LifeEvent[], act: () => Promise<unknown>): Promise<void> {
  page.watchNetwork();
  const { documents } = page.life;
  const arrived = nextDocument(page, documents, events);
  // The command may be refused before anything is waited for.
  arrived.catch(() => {});
  await act();
  await page.until(arrived);
}

/** A new address of the same document (pushState, a fragment): there is nothing more to wait for. */
async function withinDocument(page: Page): Promise<void> {
  await page.session.once('Page.navigatedWithinDocument', ({ frameId }) => frameId === page.mainFrameId);
}
