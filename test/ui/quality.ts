// Quality checks of the built-in pages: accessibility in both themes, layout shifts and CSP violations.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Records layout shifts and CSP violations from the start of each document, as `shift` and `refused`. */
export const records = `window.shift = 0; window.refused = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('securitypolicyviolation', (event) => window.refused.push(event.violatedDirective + ' ' + event.blockedURI))`;

/** What axe finds in a page, one line per element. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return run(page, `{ resultTypes: ['violations'], iframes: false }`);
}

/** Where a page that `violations` has checked has too little contrast now, for another theme. */
export const contrastFaults = (page: Page): Promise<string[]> =>
  run(page, `{ resultTypes: ['violations'], iframes: false, runOnly: ['color-contrast'] }`);

/** Like `contrastFaults`, in the dark theme; then the page is light again. */
export async function darkContrastFaults(page: Page): Promise<string[]> {
  await setTheme(page, 'dark');
  const faults = await contrastFaults(page);
  await setTheme(page, 'light');
  return faults;
}

/** Changes the theme, and waits for the transitions of colors, which have a different contrast. */
async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  await page.waitForFunction(`document.getAnimations().every((each) => !(each instanceof CSSTransition))`);
}

async function run(page: Page, options: string): Promise<string[]> {
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ': ' + failureSummary)))`);
  return Array.isArray(found) ? found.map(String) : [String(found)];
}
