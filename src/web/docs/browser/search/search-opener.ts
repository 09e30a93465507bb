/** Loads the search when a reader points at its field or focuses it, and handles the keyboard shortcuts. */
import { all, lazy } from '../shell/page-context.ts';
import { keys, recall, remember } from '../shell/store.ts';

function load(form: HTMLFormElement): void {
  if (form.dataset['state'] !== undefined) return;
  form.dataset['state'] = 'loading';
  lazy('search-box').then(
    ({ startSearchBox }: typeof import('./search-box.ts')) => startSearchBox(form),
    // Without the script, the form still works: it loads the server's search page.
    () => delete form.dataset['state'],
  );
}

export function startSearchOpener(): void {
  const forms = all<HTMLFormElement>('[data-search]');
  const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  for (const form of forms) {
    const hint = form.querySelector('[data-hint]');
    if (hint !== null) hint.textContent = mac ? '⌘K' : 'Ctrl K';
    for (const sign of ['pointerenter', 'focusin', 'touchstart']) {
      form.addEventListener(sign, () => load(form), { once: true, passive: true });
    }
  }
  for (const box of all<HTMLInputElement>('[data-single-keys]')) {
    box.checked = recall(keys.singleKeyShortcuts) !== 'off';
    box.addEventListener('change', () => remember(keys.singleKeyShortcuts, box.checked ? '' : 'off'));
  }
  document.addEventListener('keydown', (event) => {
    const field =
      event.target instanceof Element &&
      event.target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]');
    const single =
      !field && !event.ctrlKey && !event.metaKey && !event.altKey && recall(keys.singleKeyShortcuts) !== 'off';
    if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && single)) {
      event.preventDefault();
      const shown = forms.find((form) => form.offsetParent !== null);
      shown?.querySelector('input')?.focus();
    } else if (single && (event.key === '[' || event.key === ']')) {
      document.querySelector<HTMLAnchorElement>(event.key === '[' ? '.pager .previous' : '.pager .next')?.click();
    }
  });
}
