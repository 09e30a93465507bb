/** Keeps the focus of keyboard users near its place when the focused element is removed. */

/** Removes a row or card; if it has the focus, moves it to the next visible one, or else to the list heading. */
export function removeKeepingFocus(element: HTMLElement, heading: HTMLElement): void {
  const hadFocus = element.contains(document.activeElement);
  let next = element.nextElementSibling;
  while (next && !next.checkVisibility()) next = next.nextElementSibling;
  element.remove();
  if (!hadFocus) return;
  const controls = next?.querySelectorAll<HTMLElement>('button, a[href]') ?? [];
  ([...controls].find((each) => each.checkVisibility()) ?? heading).focus();
}
