/**
 * Describes controls whose native list or dialog does not appear in screencast frames, and applies the viewer's choice;
 * runs inside pages.
 */
import { isTag } from '../dom.ts';

/** Left, top, width and height in CSS pixels of the main frame's viewport. */
export type Bounds = [number, number, number, number];

/** A control whose native list or dialog does not appear in screencast frames. */
export interface Picker {
  /** `select`, or the type of an input. */
  kind: string;
  place: Bounds;
  value: string;
  min: string;
  max: string;
  step: string;
  options: { label: string; group: string; disabled: boolean; selected: boolean }[];
}

/** Position of an element in the main frame, across frames of the same origin. */
export function placeOf(element: Element): Bounds {
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

/** The select or input that a node is or is inside of; null if there is none. */
export function pickableAt(node: Element | ChildNode): Element | null {
  return ('closest' in node ? node : node.parentElement)?.closest('select, input') ?? null;
}

/**
 * Describes the picker that pressing a node would open, and focuses it; null for everything else.
 * @param most maximum number of options to describe
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

/** Applies what a viewer picked, and fires the same events as a user's choice. */
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
