// Asks axe what is wrong with a page, or with a part of it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/**
 * What axe finds, as lines. It is put in by the protocol, past the page's policy.
 * @param part selector of the element to look at; the whole document when left out
 */
export async function violations(page: Page, part?: string): Promise<string[]> {
  await page.setBypassCSP(true);
  await page.evaluate(axe);
  // Colours on their way to others are nobody's choice.
  await page.waitForFunction(`document.getAnimations().every((each) => !(each instanceof CSSTransition))`);
  const root = part === undefined ? 'document' : JSON.stringify(part);
  // Without frames: those of Run are other people's pages.
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
