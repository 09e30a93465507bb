/** Tracks scrolling in the table of contents, opens details that contain the hash's target, fills in live values. */
import { all, base, elementOf } from '../shell/page-context.ts';
import { formOf } from '../../samples/quote.ts';
import { keys, remember } from '../shell/store.ts';
import { currentToken, tokenEvent } from '../run/token.ts';

const navbarPixels = 64;

/** Returns the first heading below the navbar if it is in the upper half of the window, else the heading before it. */
function activeHeading(headings: readonly HTMLElement[]): HTMLElement | undefined {
  const at = headings.findIndex((heading) => heading.getBoundingClientRect().top >= navbarPixels);
  if (at === -1) return headings.at(-1);
  const top = headings[at]?.getBoundingClientRect().top ?? 0;
  return top < innerHeight / 2 ? headings[at] : headings[at - 1];
}

let shown = '';

function spy(): void {
  const links = all<HTMLAnchorElement>('.toc a[href^="#"]');
  if (links.length === 0) return;
  const headings = links.flatMap((link) => {
    const heading = elementOf(link.hash);
    return heading === null ? [] : [heading];
  });
  const id = activeHeading(headings)?.id ?? '';
  if (id === shown && document.querySelector('.toc [aria-current]') !== null) return;
  shown = id;
  for (const link of links) {
    const isCurrent = decodeURIComponent(link.hash.slice(1)) === id;
    link.ariaCurrent = isCurrent ? 'true' : null;
    if (isCurrent) showInList(link);
  }
}

/** Scrolls a long table of contents to center the link, unless the link is already visible. */
function showInList(link: HTMLElement): void {
  const list = link.closest('.toc');
  if (list === null) return;
  const [at, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.top < box.top || at.bottom > box.bottom) list.scrollTop += at.top - box.top - box.height / 2;
}

export function openDetailsOfHash(): void {
  for (let node = elementOf(location.hash); node; node = node.parentElement) {
    if (node instanceof HTMLDetailsElement) node.open = true;
  }
}

export function startReading(): void {
  const toTop = document.querySelector<HTMLButtonElement>('#docs-to-top');
  let last = scrollY;
  let queued = false;
  const look = () => {
    queued = false;
    spy();
    if (toTop !== null && Math.abs(scrollY - last) > 4) {
      toTop.hidden = !(scrollY < last && scrollY > 300);
      last = scrollY;
    }
  };
  const queue = () => {
    if (!queued) requestAnimationFrame(look);
    queued = true;
  };
  addEventListener('scroll', queue, { passive: true });
  addEventListener('resize', queue, { passive: true });
  toTop?.addEventListener('click', () => scrollTo({ top: 0 }));
  addEventListener('hashchange', openDetailsOfHash);
  addEventListener(tokenEvent, () => void fillLiveFacts());
  const skip = document.querySelector('.skip');
  skip?.addEventListener('click', (event) => {
    event.preventDefault();
    const main = document.querySelector<HTMLElement>('#docs-main');
    main?.focus();
    main?.scrollIntoView();
  });
  queue();
}

/** Fills in the running server's values; if it does not respond, the defaults stay. */
export async function fillLiveFacts(within: ParentNode = document): Promise<void> {
  const facts = all('[data-live]', within);
  if (facts.length === 0) return;
  const token = currentToken();
  const response = await fetch(`${base}/docs-facts`, {
    headers: {
      Accept: 'application/json',
      ...(token !== '' && formOf(token) === 'header' ? { Authorization: `Bearer ${token}` } : {}),
    },
  }).catch(() => undefined);
  if (response?.ok !== true) return;
  const values: Record<string, unknown> = await response.json().catch(() => ({}));
  for (const fact of facts) {
    const value = values[fact.dataset['live'] ?? ''];
    if (value === undefined || value === null) continue;
    fact.textContent = Array.isArray(value) ? value.join(', ') : String(value);
    fact.title = 'Just fetched from this server';
    fact.classList.add('asked');
  }
}

/** Lets the reader close the announcement; it stays closed until its id changes. */
export function startAnnouncement(): void {
  const bar = document.querySelector<HTMLElement>('#docs-announcement');
  bar?.querySelector('button')?.addEventListener('click', () => {
    remember(keys.announcement, bar.dataset['id'] ?? '');
    document.documentElement.classList.add('dismissed');
  });
}
