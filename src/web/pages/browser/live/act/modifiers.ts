/** Encodes the held modifier keys as in the protocol: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */

/** On a Mac, Command acts as Ctrl in the watched browser, which does not run on a Mac. */
export const isMac = /^(Mac|iP)/.test(navigator.platform);

interface Held {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}

export const ctrl = 2;

export function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }: Held): number {
  const control = ctrlKey || (isMac && metaKey);
  return (altKey ? 1 : 0) + (control ? ctrl : 0) + (metaKey && !isMac ? 4 : 0) + (shiftKey ? 8 : 0);
}
