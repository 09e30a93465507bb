/** Starts islands: the page contains their markup, and their React code is fetched when they are near the viewport. */
import { all, lazy } from './page-context.ts';

type Mount = (element: HTMLElement, props: string) => () => void;

/** The lazy script of each island. */
const loaders: Readonly<Record<string, () => Promise<{ mount: Mount }>>> = {
  'url-builder': () => lazy('url-builder-island'),
  'request-editor': () => lazy('request-editor-island'),
};

const unmounts = new Set<() => void>();

/** Mounts an island; when that fails, shows the error after its markup, with a button to try again. */
async function start(element: HTMLElement): Promise<void> {
  if (element.dataset['state'] !== undefined) return;
  element.dataset['state'] = 'loading';
  try {
    const loader = loaders[element.dataset['island'] ?? ''];
    if (loader === undefined) throw new Error(`Unknown island: ${element.dataset['island']}.`);
    const { mount } = await loader();
    if (!element.isConnected) return;
    unmounts.add(mount(element, element.dataset['props'] ?? '{}'));
    element.dataset['state'] = 'loaded';
  } catch (error) {
    delete element.dataset['state'];
    showIslandError(element, error instanceof Error ? error.message : String(error));
  }
}

export function showIslandError(element: HTMLElement, message: string): void {
  element.dataset['state'] = 'error';
  const box = document.createElement('div');
  box.className = 'error-box';
  box.setAttribute('role', 'alert');
  const text = document.createElement('p');
  text.textContent = message;
  const retry = document.createElement('button');
  retry.type = 'button';
  retry.textContent = 'Retry';
  retry.addEventListener('click', () => {
    box.remove();
    delete element.dataset['state'];
    void start(element);
  });
  box.append(text, retry);
  element.after(box);
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      seen.unobserve(target);
      void start(target);
    }
  },
  { rootMargin: '200px' },
);

export function startIslands(within: ParentNode): void {
  for (const element of all('[data-island]', within)) seen.observe(element);
}

document.addEventListener('docs:leaving', () => {
  for (const unmount of unmounts) unmount();
  unmounts.clear();
});
