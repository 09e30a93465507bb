/** Fills a secret into a field of the documents that may get it. */
import { nameOf } from '../element.ts';

/** The element that has the focus; null when none has. */
export function fieldWithFocus(): Element | null {
  const focused = document.activeElement;
  return focused === document.body ? null : focused;
}

/** Why a field may not get a secret, or takes no text; undefined when it may. */
export function secretProblem(
  element: HTMLElement,
  origins: readonly string[],
): { problem: 'origin' | 'kind'; told: string } | undefined {
  const { origin } = element.ownerDocument.location;
  if (!origins.includes(origin)) return { problem: 'origin', told: origin };
  const kinds = ['text', 'password', 'email', 'tel', 'url', 'search', 'number'];
  // Elements of other kinds have none of these members.
  const { type, disabled, readOnly } = element as HTMLInputElement;
  const isInput = element.localName === 'input' && kinds.includes(type);
  const isField = isInput || element.localName === 'textarea';
  const takesText = isField ? !disabled && !readOnly : element.isContentEditable;
  return takesText ? undefined : { problem: 'kind', told: nameOf(element) };
}

/**
 * Fills in the value when the document of the element has one of the origins, in one go: a navigation in between would
 * give it to another page.
 */
export function fillSecret(
  element: HTMLElement,
  value: string,
  origins: readonly string[],
): { problem: 'origin' | 'kind'; told: string } | undefined {
  const problem = secretProblem(element, origins);
  if (problem) return problem;
  element.focus();
  if ('select' in element && typeof element.select === 'function') element.select();
  else element.ownerDocument.getSelection()?.selectAllChildren(element);
  element.ownerDocument.execCommand('insertText', false, value);
  return undefined;
}
