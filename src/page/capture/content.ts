/** Reads the document as HTML; up to three times when a navigation interrupts. */
import { retried } from '../evaluate.ts';
import type { Page } from '../page.ts';

/**
 * The serialised document with its doctype.
 * Chromium serialises it itself (DOM.getOuterHTML): no script, so it works with scripts off and leaves no trace.
 */
export function readContent(page: Page): Promise<string> {
  return retried(page, async () => {
    // The first document that the DOM domain hands out has node 1, so both questions travel together.
    const [{ root }, early] = await Promise.all([
      page.send('DOM.getDocument', { depth: 0 }),
      page.send('DOM.getOuterHTML', { nodeId: 1 }).catch((error: unknown) => ({ error })),
    ]);
    if (root.nodeId === 1 && 'outerHTML' in early) return early.outerHTML;
    const { outerHTML } = await page.send('DOM.getOuterHTML', { nodeId: root.nodeId });
    return outerHTML;
  });
}
