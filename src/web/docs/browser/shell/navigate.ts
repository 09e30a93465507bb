/** Navigates without a reload: imports a page's module and replaces the parts of the document that differ. */
import { all, base, build, elementOf, errorBox, make, pathOf, setMarkup } from './page-context.ts';
import { site } from '../../site/site.ts';
import { messageOf, type PageModule, replaceArticle, showSidebar } from './page-parts.ts';

const progressDelayMs = 200;
const spinnerDelayMs = 1_000;
const loads = new Map<string, Promise<PageModule>>();
const retries = new Map<string, number>();
const prefetched = new Set<string>();
let startPage: (() => void) | undefined;
let markPage: (() => void) | undefined;
let ticket = 0;
const positions = new Map<string, number>();
let key = '';

const moduleUrl = (path: string): string => {
  const retry = retries.get(path) ?? 0;
  const file = path === '/' ? '/index' : path;
  return `${base}/_docs/page${file}.js?v=${build}${retry === 0 ? '' : `&retry=${retry}`}`;
};

/** @throws Error when the module cannot be fetched, is not a module, or exports no page */
function load(path: string): Promise<PageModule> {
  const known = loads.get(path);
  if (known !== undefined) return known;
  const loading = import(moduleUrl(path)).then((module: { default?: PageModule }) => {
    if (module.default === undefined) throw new Error(`The page module of ${path} has no default export.`);
    return module.default;
  });
  loads.set(path, loading);
  loading.catch(() => {
    loads.delete(path);
    // A browser caches a failed import of a URL: the next attempt needs a different URL.
    retries.set(path, (retries.get(path) ?? 0) + 1);
  });
  return loading;
}

/** Whether a link can be followed without loading a document. */
export const isSoft = (link: HTMLAnchorElement): boolean => targetOf(link) !== undefined;

/** Returns the URL of a link that stays inside the documentation; undefined for other links. */
function targetOf(link: HTMLAnchorElement): URL | undefined {
  if (link.target !== '' || link.hasAttribute('download') || link.hasAttribute('data-plain')) return undefined;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(`${base}/`)) return undefined;
  // Files and pages that the server fills have no page module.
  if (/\.(md|txt|xml|json|yaml)$/.test(url.pathname) || /\/(search|status)$/.test(url.pathname)) return undefined;
  return url;
}

export async function go(
  url: URL,
  { replace = false, restore }: { replace?: boolean; restore?: number } = {},
): Promise<void> {
  const from = pathOf(new URL(location.href));
  const to = pathOf(url);
  const mine = ++ticket;
  if (restore === undefined) {
    remember();
    key = String(Date.now()) + String(mine);
    // The drawer added a history entry, so that the back button closes it: a page chosen there replaces that entry.
    const taken = replace || history.state?.drawer === true;
    history[taken ? 'replaceState' : 'pushState']({ key }, '', url);
  }
  if (to === shownPath() && from === to) {
    markPage?.();
    if (url.hash !== '') scrollToHash(url.hash);
    return;
  }
  const progress = document.querySelector('#docs-progress');
  const progressTimer = setTimeout(() => progress?.classList.add('running'), progressDelayMs);
  const spinnerTimer = setTimeout(showLoading, spinnerDelayMs);
  const done = () => {
    clearTimeout(progressTimer);
    clearTimeout(spinnerTimer);
    progress?.classList.remove('running');
    document.querySelector('#docs-loading')?.remove();
  };
  try {
    const module = await load(to);
    if (mine !== ticket) return;
    done();
    show(module);
    finish(url, restore);
  } catch (error) {
    if (mine !== ticket) return;
    done();
    failed(url, to, error);
  }
}

const shownPath = (): string => document.querySelector<HTMLElement>('article[data-path]')?.dataset['path'] ?? '';

/** Reloads the document once; if that fails too, shows the error to the reader. */
function failed(url: URL, path: string, error: unknown): void {
  const guard = `docs-reloaded:${url.pathname}`;
  let already = true;
  try {
    already = sessionStorage.getItem(guard) !== null;
    if (already) sessionStorage.removeItem(guard);
    else sessionStorage.setItem(guard, '1');
  } catch {
    // Without session storage, the page could reload forever: do not reload.
  }
  const noExport = error instanceof Error && error.message.includes('default export');
  if (!already && !noExport) return location.reload();
  const text = `The page ${path} could not be loaded: ${messageOf(error)}`;
  replaceArticle(
    errorBox(text, () => void go(url, { replace: true })),
    path,
  );
  document.title = `Not loaded: ${path} | ${site.name}`;
  announce(text);
}

function show(module: PageModule): void {
  try {
    render(module);
  } catch (error) {
    crash(module, error);
  }
}

function render(module: PageModule): void {
  const main = document.querySelector('#docs-main');
  if (main === null) throw new Error('The document has no main part.');
  const markup = module.html;
  document.dispatchEvent(new CustomEvent('docs:leaving'));
  setMarkup(main, markup);
  document.title = module.title;
  document.querySelector('meta[name=description]')?.setAttribute('content', module.description);
  document.querySelector('meta[property="og:title"]')?.setAttribute('content', module.title);
  document.querySelector('meta[property="og:description"]')?.setAttribute('content', module.description);
  const robots = document.querySelector('meta[name=robots]:not([data-site])');
  if (module.noindex && robots === null) {
    document.head.append(make('meta', { name: 'robots', content: 'noindex' }));
  } else if (!module.noindex) robots?.remove();
  const twin = `${base}${module.path === '/' ? '/index' : module.path}.md`;
  document.querySelector('link[type="text/markdown"]')?.setAttribute('href', twin);
  document.querySelector('link[rel=canonical]')?.setAttribute('href', location.origin + base + module.path);
  showSidebar(module);
  const face = document.querySelector('[data-dropdown=guides] [data-face]');
  if (face !== null) face.textContent = module.face;
  startPage?.();
}

/** Shows an error page instead of a page that threw. */
function crash(module: PageModule, error: unknown): void {
  document.title = 'Page Error';
  const retry = make('button', { type: 'button', onclick: () => show(module) }, 'Try again');
  const text = make('p', { className: 'crash-message' }, messageOf(error));
  replaceArticle(make('div', { className: 'crash' }, make('h1', {}, 'This page crashed.'), retry, text), '');
}

function showLoading(): void {
  const box = make('p', { id: 'docs-loading', role: 'status' }, 'Loading…');
  document.querySelector('#docs-main')?.prepend(box);
}

function announce(text: string): void {
  const line = document.querySelector('#docs-announcer');
  if (line !== null) line.textContent = text;
}

function finish(url: URL, restore: number | undefined): void {
  announce(document.title);
  document.dispatchEvent(new CustomEvent('docs:navigated'));
  if (restore !== undefined) scrollTo(0, restore);
  else if (url.hash !== '') scrollToHash(url.hash);
  else {
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('#docs-top')?.focus({ preventScroll: true });
  }
  reportPageView();
}

export function reportPageView(): void {
  const title = shownPath() === '/open-api' ? 'Open API' : document.title;
  const url = new URL(location.href);
  // The token must not leak to other servers.
  url.searchParams.delete('token');
  // A fragment that does not identify an element of the page may contain a reader's draft from the request editor.
  if (elementOf(url.hash) === null) url.hash = '';
  document.dispatchEvent(new CustomEvent('docs:page-view', { detail: { title, url: url.href } }));
}

function scrollToHash(hash: string): void {
  elementOf(hash)?.scrollIntoView();
}

function remember(): void {
  positions.set(key, scrollY);
}

/** False on slow or metered connections, where only clicked links are fetched. */
function mayFetchAhead(): boolean {
  const connection = 'connection' in navigator ? navigator.connection : undefined;
  if (typeof connection !== 'object' || connection === null) return true;
  const slow = 'effectiveType' in connection && String(connection.effectiveType).includes('2g');
  return !slow && !('saveData' in connection && connection.saveData === true);
}

function prefetch(url: URL): void {
  const path = pathOf(url);
  if (prefetched.has(path) || loads.has(path) || path === shownPath() || !mayFetchAhead()) return;
  prefetched.add(path);
  document.head.append(make('link', { rel: 'modulepreload', href: moduleUrl(path) }));
}

/** Prefetches links in view, but only after the reader's first action: an unused tab does not load anything else. */
const inView = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || !(target instanceof HTMLAnchorElement)) continue;
    inView.unobserve(target);
    const url = targetOf(target);
    if (url !== undefined) prefetch(url);
  }
});

export function watchLinks(): void {
  for (const link of all<HTMLAnchorElement>('article a, .pager a')) inView.observe(link);
}

const linkOf = ({ target }: Event): HTMLAnchorElement | null =>
  target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;

/**
 * @param start called when a different page is shown
 * @param mark called when the same page is shown with a different query
 */
export function startNavigation(start: () => void, mark: () => void): void {
  startPage = start;
  markPage = mark;
  addEventListener('click', (event) => {
    const link = linkOf(event);
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const url = targetOf(link);
    if (url === undefined) return;
    if (url.pathname === location.pathname && url.hash !== '' && url.search === location.search) return;
    event.preventDefault();
    history.scrollRestoration = 'manual';
    void go(url);
  });
  const preload = (event: Event) => {
    const link = linkOf(event);
    const url = link === null ? undefined : targetOf(link);
    if (url !== undefined && mayFetchAhead() && pathOf(url) !== shownPath()) load(pathOf(url)).catch(() => undefined);
  };
  document.addEventListener('pointerover', preload, { passive: true });
  document.addEventListener('touchstart', preload, { passive: true });
  for (const sign of ['pointermove', 'keydown', 'touchstart', 'wheel']) {
    addEventListener(sign, watchLinks, { once: true, passive: true });
  }
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    const stored: unknown = state?.key;
    const path = pathOf(new URL(location.href));
    remember();
    key = typeof stored === 'string' ? stored : '';
    if (path === shownPath()) return;
    void go(new URL(location.href), { restore: positions.get(key) ?? 0 });
  });
}
