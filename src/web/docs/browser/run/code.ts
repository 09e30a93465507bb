/** Handles the Copy, Wrap and Run buttons of code blocks, copying a page as Markdown, and the home page's panel. */
import { all, base, lazy } from '../shell/page-context.ts';
import { demoSiteUrl, sourceTarget } from '../../samples/target.ts';
import { copyText } from './copy.ts';

const copiedMs = 1_000;

/** Changes a button's label briefly. */
export function flash(button: HTMLElement, text: string): void {
  const before = button.dataset['label'] ?? button.textContent ?? '';
  button.dataset['label'] = before;
  button.textContent = text;
  button.classList.add('flashed');
  setTimeout(() => {
    button.textContent = before;
    button.classList.remove('flashed');
  }, copiedMs);
}

/** Call this once: its listeners on the document also handle the buttons of later pages. */
export function startCode(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-live-panel')) return;
    event.preventDefault();
    void requestEditor().then(({ capture }) => capture(form));
  });
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('button') : null;
    if (target === null) return;
    if (target.hasAttribute('data-copy')) {
      void copyText(visibleText(target.closest('figure')?.querySelector('code'))).then(() => flash(target, 'Copied'));
    } else if (target.dataset['copyPage'] !== undefined) {
      void copyPage(target, base + target.dataset['copyPage']);
    } else if (target.hasAttribute('data-switch-target')) {
      switchTarget(target);
    } else if (target.hasAttribute('data-wrap')) {
      target.closest('figure')?.classList.toggle('wrapped');
    } else if (target.dataset['run'] !== undefined) {
      void run(target);
    }
  });
}

/** Returns the visible text of a sample, without the hidden form of the credential. */
export function visibleText(code: Element | null | undefined): string {
  if (code === null || code === undefined) return '';
  const copy = document.importNode(code, true);
  const form = document.documentElement.dataset['credential'] ?? '';
  for (const element of all('[data-cred]', copy))
    if (element.dataset['cred']?.split(' ').includes(form) !== true) element.remove();
  return copy.textContent ?? '';
}

/** Switches a sample between the demo site and example.com; Run uses the same site. */
function switchTarget(button: HTMLElement): void {
  const isOn = button.getAttribute('aria-pressed') !== 'true';
  const [from, to] = isOn ? [demoSiteUrl, sourceTarget] : [sourceTarget, demoSiteUrl];
  button.setAttribute('aria-pressed', String(isOn));
  const figure = button.closest('figure');
  if (figure === null) return;
  for (const element of all('[data-sub="target"]', figure)) element.textContent = to;
  for (const runner of all('[data-run]', figure))
    runner.dataset['run'] = runner.dataset['run']?.replaceAll(from, to) ?? '';
}

async function copyPage(button: HTMLElement, url: string): Promise<void> {
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok !== true) return flash(button, 'Failed');
  await copyText(await response.text());
  flash(button, 'Copied');
}

interface RequestEditor {
  capture(form: HTMLFormElement): Promise<void>;
  openRunPanel(figure: HTMLElement, button: HTMLElement): void;
}

const requestEditor = (): Promise<RequestEditor> => lazy('request-editor');

async function run(button: HTMLElement): Promise<void> {
  const figure = button.closest('figure');
  if (figure === null) return;
  button.setAttribute('aria-busy', 'true');
  try {
    const { openRunPanel } = await requestEditor();
    openRunPanel(figure, button);
  } catch {
    flash(button, 'Failed');
  } finally {
    button.removeAttribute('aria-busy');
  }
}

let inView: IntersectionObserver | undefined;

/** Shows the Wrap button if a line overflows. Samples are measured as they come into view: a page may have hundreds. */
export function measureCode(): void {
  inView?.disconnect();
  inView = new IntersectionObserver(
    (entries) => {
      // Measure everything before the first change: measuring after a change forces another layout.
      const long = entries.flatMap(({ target, isIntersecting }) => {
        const pre = isIntersecting ? target.querySelector('pre') : null;
        return pre !== null && pre.scrollWidth > pre.clientWidth ? [target] : [];
      });
      for (const figure of long) figure.querySelector('[data-wrap]')?.removeAttribute('hidden');
    },
    { rootMargin: '200px' },
  );
  for (const figure of all('figure.code:has([data-wrap])')) inView.observe(figure);
}
