/** Stores values between visits in local storage; if the browser denies storage, they last only for the visit. */

const memory = new Map<string, string>();

export function recall(key: string): string {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? '';
  } catch {
    return memory.get(key) ?? '';
  }
}

/** Stores a value; an empty value removes the key. */
export function remember(key: string, value: string): void {
  if (value === '') memory.delete(key);
  else memory.set(key, value);
  try {
    if (value === '') localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private mode: the in-memory copy lasts for this visit.
  }
}

export const keys = {
  token: 'docs-api-token',
  tabs: 'docs-tabs',
  announcement: 'docs-announcement',
  singleKeyShortcuts: 'docs-single-keys',
  /** `off` if Run does not show the browser. */
  browserView: 'docs-browser-view',
} as const;
