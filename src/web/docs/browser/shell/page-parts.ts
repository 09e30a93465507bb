/** Replaces parts of the document in a soft navigation, and formats errors. */
import { all, base, make, pathOf, setMarkup } from './page-context.ts';

/** The default export of a page module. */
export interface PageModule {
  path: string;
  title: string;
  description: string;
  noindex: boolean;
  html: string;
  sidebar: { id: string; html: string } | null;
  /** Label on the button of the guides' dropdown. */
  face: string;
}

/** Returns the messages of an error and its causes, without tokens in URLs. */
export function messageOf(error: unknown): string {
  const parts: string[] = [];
  for (let each = error; each !== undefined && each !== null; each = each instanceof Error ? each.cause : undefined) {
    parts.push(each instanceof Error ? each.message : String(each));
  }
  return parts.join('\n\nCause:\n').replace(/([?&]token=)[^&\s]*/g, '$1…');
}

export function showSidebar({ path, sidebar, face }: PageModule): void {
  const nav = document.querySelector<HTMLElement>('#docs-sidebar');
  if (nav === null) return;
  if (sidebar === null) nav.replaceChildren();
  else if (nav.dataset['sidebar'] !== sidebar.id) {
    setMarkup(nav, sidebar.html);
    nav.scrollTop = 0;
  }
  nav.dataset['sidebar'] = sidebar?.id ?? '';
  nav.hidden = sidebar === null;
  for (const link of all<HTMLAnchorElement>('a', nav)) {
    const isCurrent = pathOf(new URL(link.href)) === path;
    link.ariaCurrent = isCurrent ? 'page' : null;
    if (!isCurrent) continue;
    // Open its own group and the groups around it.
    for (const group of all<HTMLDetailsElement>('details', nav))
      group.open ||= group.contains(link) || group.parentElement === link.parentElement;
  }
  // The version and language links lead to the same page as the one shown.
  for (const link of all<HTMLAnchorElement>('[data-dropdown$=version] a, [data-dropdown$=language] a')) {
    link.href = base + path;
  }
  for (const link of all<HTMLAnchorElement>('[data-dropdown=guides] a')) {
    link.ariaCurrent = link.textContent === face ? 'page' : null;
  }
}

/**
 * Scrolls the sidebar until its current entry is visible. Not with scrollIntoView: in Chromium 153 that also moves the
 * starting point of Tab navigation past the skip link.
 */
export function showCurrentEntry(): void {
  const nav = document.querySelector('#docs-sidebar');
  const entry = nav?.querySelector('[aria-current=page]');
  if (!nav || !entry) return;
  nav.scrollTop += Math.max(0, entry.getBoundingClientRect().bottom - nav.getBoundingClientRect().bottom);
}

export function replaceArticle(element: HTMLElement, path: string): void {
  const article = make('article', {}, element);
  article.dataset['path'] = path === '' ? '/error' : `${path}#failed`;
  const content = make('div', { className: 'content' }, make('div', { className: 'column' }, article));
  document.querySelector('#docs-main')?.replaceChildren(content);
}
