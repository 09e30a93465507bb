// Restores the color mode, chosen tabs and a dismissed announcement before the first paint. On the home page, shows a
// banner if the main script has not started.
import { restoreColorMode } from '../../../pages/browser/dom/color-mode.ts';

(() => {
  const root = document.documentElement;
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  root.classList.add('js');
  restoreColorMode();
  // Samples show a placeholder for the token; the main script decides whether it goes in a header or the query.
  if (read('docs-api-token')) root.dataset.credential = 'header';
  try {
    for (const [group, tab] of Object.entries(JSON.parse(read('docs-tabs') ?? '{}'))) {
      root.setAttribute(`data-tab-${group}`, String(tab));
    }
  } catch {
    // The stored value is not valid.
  }
  const announcement = root.dataset.announcement;
  if (announcement !== undefined && read('docs-announcement') === announcement) root.classList.add('dismissed');
  document.addEventListener('DOMContentLoaded', () => {
    if (root.dataset.ready !== undefined || document.querySelector('[data-path="/"]') === null) return;
    const banner = document.createElement('div');
    banner.id = 'base-url-banner';
    banner.setAttribute('role', 'alert');
    const base = root.dataset.base ?? '/';
    const suggested = location.pathname.endsWith('/') ? location.pathname : `${location.pathname}/`;
    banner.textContent =
      `Your Docusaurus site did not load properly. A wrong base path is a common cause. ` +
      `Current base path: ${base}. Suggested: ${suggested} (set EXTERNAL to ${location.origin}${suggested}).`;
    document.body.prepend(banner);
  });
})();
