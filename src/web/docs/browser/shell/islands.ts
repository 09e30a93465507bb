/** Starts islands, the forms of the request editor: their React code is fetched when they are near the viewport. */
import { all, errorBox, lazy } from './page-context.ts';

type Mount = (element: HTMLElement) => () => void;

const unmounts = new Set<() => void>();

/** Mounts an island; when that fails, shows the error after its markup, with a button to try again. */
async function start(element: HTMLElement): Promise<void> {
  if (element.dataset['state'] !== undefined) return;
  element.dataset['state'] = 'loading';
  try {
    const { mount }: { mount: Mount } = await lazy('request-editor');
    if (!element.isConnected) return;
    unmounts.add(mount(element));
    element.dataset['state'] = 'loaded';
  } catch (error) {
    showError(element, error instanceof Error ? error.message : String(error));
  }
}

function showError(element: HTMLElement, message: string): void {
  element.dataset['state'] = 'error';
  const box = errorBox(message, () => {
    box.remove();
    delete element.dataset['state'];
    void start(element);
  });
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
