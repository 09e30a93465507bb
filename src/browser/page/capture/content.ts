/** Reads the document as HTML; tries up to three times when navigations interrupt. */
import { withRetry } from '../evaluate.ts';
import type { Page } from '../page.ts';

/**
 * Returns the serialized document with its doctype. Chromium serializes it (DOM.getOuterHTML) without running a script:
 * this works with scripts off and leaves no trace.
 */
export function readContent(page: Page): Promise<string> {
  return withRetry(page, async () => {
    // The first document that the DOM domain returns has node id 1, so both commands can go out together.
    const [{ root }, early] = await Promise.all([
      page.send('DOM.getDocument', { depth: 0 }),
      page.send('DOM.getOuterHTML', { nodeId: 1 }).catch((error: unknown) => ({ error })),
    ]);
    if (root.nodeId === 1 && 'outerHTML' in early) return early.outerHTML;
    const { outerHTML } = await page.send('DOM.getOuterHTML', { nodeId: root.nodeId });
    return outerHTML;
  });
}
