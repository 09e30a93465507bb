// Checks a page, or a part of it, with axe.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/**
 * Returns what axe finds, as lines. The script is injected over the protocol, bypassing the page's content security
 * policy.
 * @param part selector of the element to check; the whole document when omitted
 */
export async function violations(page: Page, part?: string): Promise<string[]> {
  await page.setBypassCSP(true);
  await page.evaluate(axe);
  // Wait for color transitions to end: the intermediate colors are not part of the design.
  await page.waitForFunction(`document.getAnimations().every((each) => !(each instanceof CSSTransition))`);
  const root = part === undefined ? 'document' : JSON.stringify(part);
  // Skip frames: those in the Run panel show pages from other sites.
  const found: Violation[] = JSON.parse(
    String(
      await page.evaluate(
        `axe.run(${root}, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations))`,
      ),
    ),
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1]}`),
  );
}
