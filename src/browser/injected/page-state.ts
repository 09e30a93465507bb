/**
 * Reads what scripts and people have set on elements and markup cannot express, for copies of a document, and sets it
 * again in a copy.
 */
import { isTag } from './dom.ts';
import { unwrapAll } from './reparse.ts';
import { rootsOf } from './style-rules.ts';

/** What `restoreStates` sets on an element; a copy has it as JSON in the attribute `data-archive-state`. */
export interface ElementState {
  /** Position in a scrolled box; of the window, on the root element. In CSS pixels, from the left and from the top. */
  scroll?: readonly [number, number];
  /** How the element is in the top layer. */
  shown?: 'modal' | 'popover';
  indeterminate?: true;
  /** The message of `setCustomValidity`. */
  invalid?: string;
  /** The name of a custom element, on the first with this name: style sheets may hide what is not defined. */
  defined?: string;
  /** On the root element: the fragment that leads to the target of the document. */
  hash?: string;
}

/** The name under which a script has defined the element. */
export function customName(element: Element): string | undefined {
  const name = element.getAttribute('is') ?? element.localName;
  return element instanceof HTMLElement && name.includes('-') && element.matches(':defined') ? name : undefined;
}

/** Defines a custom element without any behavior. */
export function defineLike(element: Element, name: string): void {
  try {
    if (element.localName === name) customElements.define(name, class extends HTMLElement {});
    else {
      // Elements of a class without a definition have the class of the element that they extend.
      const Base = element.constructor as typeof HTMLElement;
      customElements.define(name, class extends Base {}, { extends: element.localName });
    }
  } catch {
    // It stays undefined.
  }
}

/**
 * The state of an element; undefined for one without any.
 * @param defined the names of custom elements so far
 */
export function stateOf(element: Element, defined: Set<string>): ElementState | undefined {
  const state: ElementState = {};
  const custom = customName(element);
  if (custom !== undefined && !defined.has(custom)) {
    defined.add(custom);
    state.defined = custom;
  }
  const isRoot = element === document.documentElement;
  if (isRoot && document.querySelector(':target')) state.hash = location.hash;
  const scroll = isRoot ? ([scrollX, scrollY] as const) : ([element.scrollLeft, element.scrollTop] as const);
  // In quirks mode, the body has the position of the window.
  if (
    (state.hash !== undefined || scroll.some((part) => part !== 0)) &&
    (isRoot || element !== document.scrollingElement)
  )
    state.scroll = scroll;
  if (element.matches(':modal:not(:fullscreen)')) state.shown = 'modal';
  else if (element.matches(':popover-open')) state.shown = 'popover';
  if (isTag(element, 'input') && element.indeterminate) state.indeterminate = true;
  const isField = isTag(element, 'input') || isTag(element, 'select') || isTag(element, 'textarea');
  if (isField && element.validity.customError) state.invalid = element.validationMessage;
  return Object.keys(state).length === 0 ? undefined : state;
}

/** The button outside each popover that opens it: the popover may be placed next to it. */
export function openers(): Map<Element, HTMLElement> {
  const found = new Map<Element, HTMLElement>();
  const buttons = rootsOf().flatMap((root) => [...root.querySelectorAll<HTMLButtonElement>('button[popovertarget]')]);
  for (const button of buttons.toReversed()) {
    const popover = button.popoverTargetElement;
    if (popover && button.popoverTargetAction !== 'hide' && !popover.contains(button)) found.set(popover, button);
  }
  return found;
}

/** Shows elements in the top layer; dialogs come first, because they close popovers. */
export function showAll(elements: ReadonlyMap<HTMLElement, ElementState['shown']>): void {
  const waiting = new Map(elements);
  const sources = openers();
  const show = (element: HTMLElement): void => {
    const shown = waiting.get(element);
    if (!waiting.delete(element)) return;
    const source = sources.get(element);
    // The popover that it is in, or from which it was opened, stays open if it is shown before.
    const outer = (source ?? element.parentElement)?.closest<HTMLElement>('[popover]');
    if (outer) show(outer);
    if (isTag(element, 'dialog') && shown === 'modal') {
      element.removeAttribute('open');
      element.showModal();
    } else element.showPopover(source && { source });
  };
  const popovers = [...elements].flatMap(([element, shown]) => (shown === 'popover' ? element : []));
  for (const [element, shown] of elements) if (shown === 'modal') show(element);
  for (const element of popovers) show(element);
  // Scripts can keep popovers open together whose elements do not say so.
  for (const element of popovers) {
    if (element.matches(':popover-open')) continue;
    element.popover = 'manual';
    element.showPopover();
  }
}

/** Sets the states in the copy of a document; runs as a script of that copy. */
export function restoreStates(): void {
  const restore = (element: Element, { scroll, indeterminate, invalid, hash }: ElementState) => {
    if (hash !== undefined) location.replace(hash);
    if (isTag(element, 'input') && indeterminate) element.indeterminate = true;
    if ('setCustomValidity' in element && invalid !== undefined) {
      // Only fields have a message; they all have this method.
      (element as HTMLInputElement).setCustomValidity(invalid);
    }
    // In quirks mode, the root element has no position.
    const target = element === document.documentElement ? window : element;
    if (scroll) target.scrollTo({ left: scroll[0], top: scroll[1], behavior: 'instant' });
  };
  const stateIn = (element: Element): ElementState => JSON.parse(element.getAttribute('data-archive-state') ?? '{}');
  const elements = () => rootsOf().flatMap((root) => [...root.querySelectorAll('[data-archive-state]')]);
  document.addEventListener('DOMContentLoaded', () => {
    unwrapAll();
    for (const element of elements()) {
      const { defined } = stateIn(element);
      if (defined !== undefined) defineLike(element, defined);
    }
  });
  addEventListener('load', () => {
    const states = new Map<Element, ElementState>();
    const shown = new Map<HTMLElement, ElementState['shown']>();
    for (const element of elements()) {
      const state = stateIn(element);
      element.removeAttribute('data-archive-state');
      states.set(element, state);
      if (state.shown && element instanceof HTMLElement) shown.set(element, state.shown);
    }
    showAll(shown);
    // The position of the window, which the root element has, is the last: the copy has its full height then.
    for (const [element, state] of [...states].toReversed()) restore(element, state);
  });
}

/** The CSS property of a keyframe's member. */
export function propertyOf(name: string): string {
  if (name.startsWith('--')) return name;
  const hyphenated = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return hyphenated.replace(/^(?=webkit-)/, '-').replace(/^css-/, '');
}

/**
 * The properties that animations of scripts set, by element: a copy has no such animations.
 * @param isMeant whether an animation counts. Default: all do
 */
export function animatedProperties(isMeant?: (animation: Animation) => boolean): Map<Element, Set<string>> {
  const found = new Map<Element, Set<string>>();
  for (const animation of rootsOf().flatMap((root) => root.getAnimations())) {
    const { effect } = animation;
    if (isMeant?.(animation) === false) continue;
    if (animation instanceof CSSAnimation || animation instanceof CSSTransition) continue;
    if (!(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement !== null) continue;
    const names = found.get(effect.target) ?? new Set();
    found.set(effect.target, names);
    for (const keyframe of effect.getKeyframes()) {
      for (const name of Object.keys(keyframe)) {
        if (/^(offset|computedOffset|easing|composite)$/.test(name)) continue;
        names.add(propertyOf(name));
      }
    }
  }
  return found;
}
