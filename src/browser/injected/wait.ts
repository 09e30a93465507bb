/** Waits inside a page for an element, a condition or an event. */
import { isVisible, queryAll } from './dom.ts';

/** Waits until the first match of a selector is present, visible or hidden; hidden includes no match. */
export function pollSelector(
  selector: string,
  state: 'present' | 'visible' | 'hidden',
  limitMs: number,
): Promise<'found' | 'late'> | 'found' | 'invalid' {
  const holds = (): boolean => {
    const [first] = queryAll(selector);
    if (state === 'present') return first !== undefined;
    return (first !== undefined && isVisible(first)) === (state === 'visible');
  };
  try {
    if (holds()) return 'found';
  } catch {
    return 'invalid';
  }
  const start = performance.now();
  return new Promise((resolve) => {
    let done = false;
    const check = (): void => {
      if (done || (!holds() && (limitMs <= 0 || performance.now() - start < limitMs))) return;
      done = true;
      observer.disconnect();
      resolve(holds() ? 'found' : 'late');
    };
    const observer = new MutationObserver(check);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    // Changes in shadow trees and of styles do not mutate the document: also check every frame.
    if (state === 'present' && !/^(pierce\/|>>>)/.test(selector)) return;
    const step = (): void => {
      check();
      if (!done) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/**
 * Calls a predicate until it returns a truthy value. A number polls at that interval (milliseconds); `once` calls it
 * once.
 */
export function pollFunction(
  predicate: () => unknown,
  polling: 'raf' | 'mutation' | 'once' | number,
  limitMs: number,
): Promise<{ state: 'found' | 'late' | 'threw'; message?: string }> {
  const start = performance.now();
  return new Promise((resolve) => {
    let observer: MutationObserver | undefined;
    let running = false;
    const again = (step: () => void): void => {
      if (polling === 'raf') requestAnimationFrame(step);
      else if (typeof polling === 'number') setTimeout(step, polling);
    };
    const end = (state: 'found' | 'late' | 'threw', message?: string): void => {
      observer?.disconnect();
      resolve(message === undefined ? { state } : { state, message });
    };
    const step = async (): Promise<void> => {
      if (running) return;
      running = true;
      try {
        if (await predicate()) return end('found');
      } catch (error) {
        return end('threw', String(error));
      }
      running = false;
      if (polling === 'once' || (limitMs > 0 && performance.now() - start >= limitMs)) return end('late');
      again(step);
    };
    if (polling === 'mutation') {
      observer = new MutationObserver(step);
      observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    }
    step();
  });
}

/** Waits for one event on document or window. */
export function awaitEvent(name: string): Promise<true> {
  return new Promise((resolve) => {
    document.addEventListener(name, () => resolve(true), { once: true });
    addEventListener(name, () => resolve(true), { once: true });
  });
}
