/** Fills a secret into a field of a document that may receive it. */
import { nameOf } from '../element.ts';

/** The focused element; null when there is none. */
export function fieldWithFocus(): Element | null {
  const focused = document.activeElement;
  return focused === document.body ? null : focused;
}

/** Why a field may not receive a secret, or does not accept text; undefined when it may. */
export function secretProblem(
  element: HTMLElement,
  origins: readonly string[],
): { problem: 'origin' | 'kind'; told: string } | undefined {
  const { origin } = element.ownerDocument.location;
  if (!origins.includes(origin)) return { problem: 'origin', told: origin };
  const kinds = ['text', 'password', 'email', 'tel', 'url', 'search', 'number'];
  // Elements of other kinds lack these properties.
  const { type, disabled, readOnly } = element as HTMLInputElement;
  const isInput = element.localName === 'input' && kinds.includes(type);
  const isField = isInput || element.localName === 'textarea';
  const takesText = isField ? !disabled && !readOnly : element.isContentEditable;
  return takesText ? undefined : { problem: 'kind', told: nameOf(element) };
}

/**
 * Fills in the value when the document of the element has one of the origins, in a single step: a navigation in between
 * would give the value to another page.
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
