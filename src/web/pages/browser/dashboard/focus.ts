/** Keeps the place of people who use the keyboard when what they were at goes away. */

/** Removes a row or card; the focus in it goes to the next one that is shown, otherwise to the heading of the list. */
export function removeKeepingFocus(element: HTMLElement, heading: HTMLElement): void {
  const hadFocus = element.contains(document.activeElement);
  let next = element.nextElementSibling;
  while (next && !next.checkVisibility()) next = next.nextElementSibling;
  element.remove();
  if (!hadFocus) return;
  const controls = next?.querySelectorAll<HTMLElement>('button, a[href]') ?? [];
  ([...controls].find((each) => each.checkVisibility()) ?? heading).focus();
}
