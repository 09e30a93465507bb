/** Finds elements of the page by their ids, and clones its templates. */

/** @throws Error when the page has no such element */
export function part<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no #${id}`);
  return found;
}

export const button = (id: string): HTMLButtonElement => part(id, HTMLButtonElement);

/** Clones the only element of a template. */
export function cloneTemplate(id: string): HTMLElement {
  const copy = part(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error(`The template #${id} is empty`);
  return copy;
}

/** Returns the first element inside `parent` that a selector matches. */
export function within<T extends Element>(parent: ParentNode, selector: string, kind: new () => T): T {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`No ${selector} inside`);
  return found;
}

/** Sets text only when it differs, so that nothing is announced or laid out twice. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
