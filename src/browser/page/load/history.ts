/** Goes back and forward in the history, reloads, and waits for navigations that the page itself starts. */
import type { LifecycleEvent } from '../document-lifecycle.ts';
import type { Page } from '../page.ts';

/**
 * Goes back (-1) or forward (+1) and waits for the document.
 * @returns false when the history has no such entry
 */
export async function goInHistory(page: Page, delta: -1 | 1, events: readonly LifecycleEvent[]): Promise<boolean> {
  const { currentIndex, entries } = await page.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + delta];
  // The first entry is the blank document that every page starts with; no client asked for it.
  if (!entry || (currentIndex + delta === 0 && entry.url === 'about:blank')) return false;
  await navigateAndWait(page, events, () => page.send('Page.navigateToHistoryEntry', { entryId: entry.id }));
  return true;
}

/** Reloads the page and waits for the document. */
export async function reloadPage(page: Page, events: readonly LifecycleEvent[]): Promise<void> {
  await navigateAndWait(page, events, () => page.send('Page.reload', {}));
}

/** Waits for a document after the first `documents` ones; a same-document navigation and a PDF count as well. */
export async function nextDocument(page: Page, documents: number, events: readonly LifecycleEvent[]): Promise<void> {
  await Promise.race([
    page.life.reached(events, () => page.life.documents > documents || page.life.pdf !== undefined),
    // A same-document navigation (pushState, a fragment) has no lifecycle events to wait for.
    page.session.once('Page.navigatedWithinDocument', ({ frameId }) => frameId === page.mainFrameId),
  ]);
}

async function navigateAndWait(
  page: Page,
  events: readonly LifecycleEvent[],
  act: () => Promise<unknown>,
): Promise<void> {
  page.watchNetwork();
  page.life.pdf = undefined;
  const { documents } = page.life;
  const arrived = nextDocument(page, documents, events);
  // The command may fail first; then this promise is never awaited.
  arrived.catch(() => {});
  await act();
  await page.until(arrived);
}
