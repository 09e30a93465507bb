/** Reads the page state that a live view shows: the focused field, the selected text, the cursor; runs inside pages. */
import { isTag } from '../dom.ts';
import { type Bounds, placeOf } from './pickers.ts';

/** The focused element, also within shadow trees and frames of the same origin. */
export function focusedElement(): Element | null {
  let focused = document.activeElement;
  for (;;) {
    const inFrame = isTag(focused, 'iframe') ? focused.contentDocument?.activeElement : undefined;
    const inner = focused?.shadowRoot?.activeElement ?? inFrame;
    if (inner == null) return focused;
    focused = inner;
  }
}

/** Whether the focused field accepts text, where the field is, and which keyboard a phone should show. */
export function focusedField(): { editable: boolean; place: Bounds; mode: string; hint: string } {
  const focused = focusedElement();
  const none: Bounds = [0, 0, 0, 0];
  if (focused === null || !('inputMode' in focused)) return { editable: false, place: none, mode: '', hint: '' };
  const input = isTag(focused, 'input') ? focused : undefined;
  const takesText = input !== undefined && /^(?:text|search|tel|url|email|password|number)$/.test(input.type);
  const field = takesText ? input : isTag(focused, 'textarea') ? focused : undefined;
  const editable = ('isContentEditable' in focused && focused.isContentEditable === true) || field?.readOnly === false;
  const modes: Record<string, string> = { search: 'search', tel: 'tel', url: 'url', email: 'email', number: 'decimal' };
  return {
    editable,
    place: editable ? placeOf(focused) : none,
    mode: String(focused.inputMode) || (modes[input?.type ?? ''] ?? ''),
    hint: 'enterKeyHint' in focused ? String(focused.enterKeyHint) : '',
  };
}

/** The selected text of a field or of the page; empty for a password field. */
export function selectedText(most: number): string {
  const focused = focusedElement();
  if (isTag(focused, 'input') || isTag(focused, 'textarea')) {
    // Input types without a selection have nothing to copy.
    const { type, value, selectionStart, selectionEnd } = focused;
    if (type === 'password' || selectionStart === null) return '';
    return value.slice(selectionStart, selectionEnd ?? selectionStart).slice(0, most);
  }
  const selection = (focused?.ownerDocument ?? document).getSelection();
  return String(selection ?? '').slice(0, most);
}

/** The mouse cursor at a point of the viewport. */
export function cursorAt(x: number, y: number): string {
  let element = document.elementFromPoint(x, y);
  let [left, top] = [x, y];
  while (isTag(element, 'iframe')) {
    const around = element.getBoundingClientRect();
    left -= around.left + element.clientLeft;
    top -= around.top + element.clientTop;
    const deeper = element.contentDocument?.elementFromPoint(left, top);
    if (deeper == null) break;
    element = deeper;
  }
  if (element === null) return 'default';
  const { cursor } = getComputedStyle(element);
  if (cursor.startsWith('url(')) return 'default';
  if (cursor !== 'auto') return cursor;
  return isTag(element, 'input') || isTag(element, 'textarea') ? 'text' : 'default';
}
