/** Describes the controls whose own list or dialog no picture shows, and sets what a viewer has picked; runs inside pages. */
import { isTag } from '../dom.ts';

/** Left, top, width and height in CSS pixels of the main frame's viewport. */
export type Place = [number, number, number, number];

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

/** The select or input that a node is or lies in; null for none. */
export function pickableAt(node: Element | ChildNode): Element | null {
  return ('closest' in node ? node : node.parentElement)?.closest('select, input') ?? null;
}

/**
 * Describes the picker that a press on a node would open, and gives it the focus; null for everything else.
 * @param most options that are described
 */
export function openPicker(node: Element | ChildNode, most: number): Picker | null {
  const control = pickableAt(node);
  if (control === null || control.matches(':disabled')) return null;
  if (isTag(control, 'select')) {
    if (control.multiple || control.size > 1) return null;
    control.focus();
    const options = [...control.options].slice(0, most).map((option) => {
      const group = isTag(option.parentElement, 'optgroup') ? option.parentElement : undefined;
      return {
        label: option.label.slice(0, 500),
        group: (group?.label ?? '').slice(0, 500),
        disabled: option.disabled || group?.disabled === true,
        selected: option.selected,
      };
    });
    return { kind: 'select', place: placeOf(control), value: '', min: '', max: '', step: '', options };
  }
  if (!isTag(control, 'input') || control.readOnly) return null;
  if (!/^(?:date|time|month|week|datetime-local|color)$/.test(control.type)) return null;
  control.focus();
  const { type: kind, value, min, max, step } = control;
  return { kind, place: placeOf(control), value, min, max, step, options: [] };
}

/** Sets what a viewer has picked, and tells the page as a user's choice does. */
export function setPicked(node: Element | ChildNode, index: number, value: string): void {
  const control = pickableAt(node);
  if (isTag(control, 'select')) {
    const option = control.options[index];
    if (option === undefined || option.disabled || control.selectedIndex === index) return;
    control.selectedIndex = index;
  } else if (isTag(control, 'input') && control.value !== value) {
    control.value = value;
  } else {
    return;
  }
  control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
}
