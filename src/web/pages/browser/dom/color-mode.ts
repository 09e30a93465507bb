/** Switches the color mode: light, dark, system. The root element's attribute is the only copy of the choice. */

const modes = ['light', 'dark', 'system'] as const;
type Mode = (typeof modes)[number];
/** Key in local storage; all pages of the server share the choice. */
const key = 'docs-theme';
const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const modeOf = (text: string | null | undefined): Mode | undefined => modes.find((mode) => mode === text);
const choice = (): Mode => modeOf(root.dataset['themeChoice']) ?? 'light';
const nextOf = (mode: Mode): Mode => modes[(modes.indexOf(mode) + 1) % modes.length] ?? 'light';

function show(mode: Mode): void {
  root.dataset['themeChoice'] = mode;
  root.dataset['theme'] = mode === 'system' ? (prefersDark.matches ? 'dark' : 'light') : mode;
}

/** Restores the choice before the first paint; `theme` in the URL wins. */
export function restoreColorMode(): void {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // The browser denies storage.
  }
  show(modeOf(stored) ?? choice());
  const forced = modeOf(new URLSearchParams(location.search).get('theme'));
  if (forced !== undefined && forced !== 'system') root.dataset['theme'] = forced;
}

function label(): void {
  const backgroundColor = getComputedStyle(document.body).backgroundColor;
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', backgroundColor);
  for (const button of document.querySelectorAll<HTMLElement>('[data-theme-toggle]')) {
    const text = `Color mode: ${choice()}. Switch to ${nextOf(choice())}`;
    button.setAttribute('aria-label', text);
    button.title = text;
  }
}

/** Makes the page's color switches work. */
export function startColorMode(): void {
  label();
  const change = (mode: Mode) => {
    show(mode);
    label();
  };
  for (const button of document.querySelectorAll('[data-theme-toggle]')) {
    button.addEventListener('click', () => {
      change(nextOf(choice()));
      try {
        localStorage.setItem(key, choice());
      } catch {
        // The choice lasts for this page.
      }
    });
  }
  prefersDark.addEventListener('change', () => {
    if (choice() === 'system') change('system');
  });
  addEventListener('storage', (event) => {
    if (event.key === key) change(modeOf(event.newValue) ?? 'light');
  });
}
