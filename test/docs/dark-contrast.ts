// Checks the contrast of a page's dark theme after axe has checked the light one: themes differ only in colors.
import type { Page } from 'puppeteer-core';

/**
 * Switches a page that `violations` has checked to the dark theme, and returns where axe finds too little contrast.
 * @param part selector of the element to check; the whole document when omitted
 */
export async function darkContrastFaults(page: Page, part?: string): Promise<unknown> {
  await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
  // The intermediate colors of a transition are not part of the design.
  await page.waitForFunction(`document.getAnimations().every((each) => !(each instanceof CSSTransition))`);
  const root = part === undefined ? 'document' : JSON.stringify(part);
  return page.evaluate(
    `axe.run(${root}, { iframes: false, runOnly: ['color-contrast'], resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ nodes }) => nodes.map(({ target, failureSummary }) => target.join(' ') + ': ' + failureSummary)))`,
  );
}
