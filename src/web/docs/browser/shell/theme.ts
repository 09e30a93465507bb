/** Switches the color mode: light, dark, system. The root element's attribute is the only copy of the choice. */
import { all } from './page-context.ts';
import { keys, recall, remember } from './store.ts';

const modes = ['light', 'dark', 'system'] as const;
type Mode = (typeof modes)[number];
const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const modeOf = (text: string | undefined): Mode => modes.find((mode) => mode === text) ?? 'light';
const nextOf = (mode: Mode): Mode => modes[(modes.indexOf(mode) + 1) % modes.length] ?? 'light';

function show(choice: Mode): void {
  root.dataset['themeChoice'] = choice;
  root.dataset['theme'] = choice === 'system' ? (prefersDark.matches ? 'dark' : 'light') : choice;
  label(choice);
}

function label(choice: Mode): void {
  const backgroundColor = getComputedStyle(document.body).backgroundColor;
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', backgroundColor);
  for (const button of all('[data-theme-toggle]')) {
    const text = `Color mode: ${choice}. Switch to ${nextOf(choice)}`;
    button.setAttribute('aria-label', text);
    button.title = text;
  }
}

export function startTheme(): void {
  label(modeOf(root.dataset['themeChoice']));
  for (const button of all('[data-theme-toggle]')) {
    button.addEventListener('click', () => {
      const next = nextOf(modeOf(root.dataset['themeChoice']));
      remember(keys.theme, next);
      show(next);
    });
  }
  prefersDark.addEventListener('change', () => {
    if (root.dataset['themeChoice'] === 'system') show('system');
  });
  addEventListener('storage', ({ key }) => {
    if (key === keys.theme) show(modeOf(recall(keys.theme)));
  });
}
