/** What a live view reads of a watched page and sets in it; runs inside pages. */

/** Left, top, width and height in CSS pixels of the main frame's viewport. */
type Place = [number, number, number, number];

/** A control whose own list or dialog no picture shows. */
export interface Picker {
  /** `select`, or the type of an input. */
  kind: string;
  place: Place;
  value: string;
  min: string;
  max: string;
  step: string;
  options: { label: string; group: string; disabled: boolean; selected: boolean }[];
}

/** Where an element is, its frames of the same origin included. */
export function placeOf(element: Element): Place {
  let { left, top, width, height } = element.getBoundingClientRect();
  let frame = element.ownerDocument.defaultView?.frameElement ?? null;
  while (frame !== null) {
    const around = frame.getBoundingClientRect();
    left += around.left + frame.clientLeft;
    top += around.top + frame.clientTop;
    frame = frame.ownerDocument.defaultView?.frameElement ?? null;
  }
  return [Math.round(left), Math.round(top), Math.round(width), Math.round(height)];
}

/**
 * Describes the picker that a press on a node would open, and gives it the focus; null for everything else.
 * @param most options that are described
 */
export function openPicker(node: Node, most: number): Picker | null {
  const element = node.nodeType === Node.ELEMENT_NODE ? (node as Element) : node.parentElement;
  const control = element?.closest('select, input');
  if (control == null || control.matches(':disabled')) return null;
  if (control.localName === 'select') {
    const select = control as HTMLSelectElement;
    if (select.multiple || select.size > 1) return null;
    select.focus();
    const options = [...select.options].slice(0, most).map((option) => {
      const group =
        option.parentElement?.localName === 'optgroup' ? (option.parentElement as HTMLOptGroupElement) : null;
      return {
        label: option.label.slice(0, 500),
        group: group === null ? '' : group.label.slice(0, 500),
        disabled: option.disabled || group?.disabled === true,
        selected: option.selected,
      };
    });
    return { kind: 'select', place: placeOf(select), value: '', min: '', max: '', step: '', options };
  }
  const input = control as HTMLInputElement;
  if (!/^(?:date|time|month|week|datetime-local|color)$/.test(input.type) || input.readOnly) return null;
  input.focus();
  const { type: kind, value, min, max, step } = input;
  return { kind, place: placeOf(input), value, min, max, step, options: [] };
}

/** Sets what a viewer has picked, and tells the page as a user's choice does. */
export function setPicked(node: Node, index: number, value: string): void {
  const element = node.nodeType === Node.ELEMENT_NODE ? (node as Element) : node.parentElement;
  const control = element?.closest('select, input');
  if (control == null) return;
  if (control.localName === 'select') {
    const select = control as HTMLSelectElement;
    const option = select.options[index];
    if (option === undefined || option.disabled || select.selectedIndex === index) return;
    select.selectedIndex = index;
  } else {
    const input = control as HTMLInputElement;
    if (input.value === value) return;
    input.value = value;
  }
  control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The element that has the focus, in shadow trees and frames of the same origin too. */
export function focusedElement(): Element | null {
  let focused = document.activeElement;
  for (;;) {
    const inner =
      focused?.shadowRoot?.activeElement ??
      (focused?.localName === 'iframe' ? (focused as HTMLIFrameElement).contentDocument?.activeElement : undefined);
    if (inner == null) return focused;
    focused = inner;
  }
}

/** Whether the focus is in a field that takes text, where the field is, and what keyboard a phone should show. */
export function focusedField(): { editable: boolean; place: Place; mode: string; hint: string } {
  const focused = focusedElement();
  const none: Place = [0, 0, 0, 0];
  if (focused === null) return { editable: false, place: none, mode: '', hint: '' };
  const isInput = focused.localName === 'input';
  const { type, readOnly } = focused as HTMLInputElement;
  const takesText = isInput && /^(?:text|search|tel|url|email|password|number)$/.test(type);
  const { isContentEditable, inputMode, enterKeyHint } = focused as HTMLElement;
  const editable = isContentEditable || ((takesText || focused.localName === 'textarea') && !readOnly);
  const modes: Record<string, string> = { search: 'search', tel: 'tel', url: 'url', email: 'email', number: 'decimal' };
  const byType = isInput ? (modes[type] ?? '') : '';
  return {
    editable,
    place: editable ? placeOf(focused) : none,
    mode: inputMode || byType,
    hint: enterKeyHint || '',
  };
}

/** The selected text, of a field or of the page; empty for the text of a password field. */
export function selectedText(most: number): string {
  const focused = focusedElement();
  if (focused !== null && (focused.localName === 'input' || focused.localName === 'textarea')) {
    const field = focused as HTMLInputElement;
    if (field.type === 'password') return '';
    // Types without a selection have none to copy.
    const { selectionStart, selectionEnd } = field;
    return selectionStart === null
      ? ''
      : field.value.slice(selectionStart, selectionEnd ?? selectionStart).slice(0, most);
  }
  const selection = (focused?.ownerDocument ?? document).getSelection();
  return String(selection ?? '').slice(0, most);
}

/** The cursor that the mouse has at a place of the viewport. */
export function cursorAt(x: number, y: number): string {
  let element = document.elementFromPoint(x, y);
  let [left, top] = [x, y];
  while (element?.localName === 'iframe') {
    const inner = (element as HTMLIFrameElement).contentDocument;
    const { left: frameLeft, top: frameTop } = element.getBoundingClientRect();
    left -= frameLeft + element.clientLeft;
    top -= frameTop + element.clientTop;
    const deeper = inner?.elementFromPoint(left, top);
    if (deeper == null) break;
    element = deeper;
  }
  if (element === null) return 'default';
  const { cursor } = getComputedStyle(element);
  if (cursor.startsWith('url(')) return 'default';
  if (cursor !== 'auto') return cursor;
  return /^(?:input|textarea)$/.test(element.localName) ? 'text' : 'default';
}
