/**
 * Reads what scripts and people have set on elements and markup cannot express, for copies of a document, and sets it
 * again in a copy.
 */
import { isTag } from './dom.ts';

/** What `restoreStates` sets on an element; a copy has it as JSON in the attribute `data-archive-state`. */
export interface ElementState {
  /** Position in a scrolled box; of the window, on the root element. In CSS pixels, from the left and from the top. */
  scroll?: readonly [number, number];
  /** How the element is in the top layer. */
  shown?: 'modal' | 'popover';
  indeterminate?: true;
  /** The message of `setCustomValidity`. */
  invalid?: string;
}

/** The state of an element; undefined for one without any. */
export function stateOf(element: Element): ElementState | undefined {
  const state: ElementState = {};
  const isRoot = element === document.documentElement;
  const scroll = isRoot ? ([scrollX, scrollY] as const) : ([element.scrollLeft, element.scrollTop] as const);
  // In quirks mode, the body has the position of the window.
  if (scroll.some((part) => part !== 0) && (isRoot || element !== document.scrollingElement)) state.scroll = scroll;
  if (element.matches(':modal:not(:fullscreen)')) state.shown = 'modal';
  else if (element.matches(':popover-open')) state.shown = 'popover';
  if (isTag(element, 'input') && element.indeterminate) state.indeterminate = true;
  const isField = isTag(element, 'input') || isTag(element, 'select') || isTag(element, 'textarea');
  if (isField && element.validity.customError) state.invalid = element.validationMessage;
  return Object.keys(state).length === 0 ? undefined : state;
}

/** Sets the states in the copy of a document; runs as a script of that copy. */
export function restoreStates(): void {
  const restore = (element: Element, { scroll, shown, indeterminate, invalid }: ElementState) => {
    if (isTag(element, 'dialog') && shown === 'modal') {
      element.removeAttribute('open');
      element.showModal();
    } else if (element instanceof HTMLElement && shown === 'popover') element.showPopover();
    if (isTag(element, 'input') && indeterminate) element.indeterminate = true;
    if ('setCustomValidity' in element && invalid !== undefined) {
      // Only fields have a message; they all have this method.
      (element as HTMLInputElement).setCustomValidity(invalid);
    }
    if (scroll) element.scrollTo({ left: scroll[0], top: scroll[1], behavior: 'instant' });
  };
  const visit = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      const state = element.getAttribute('data-archive-state');
      element.removeAttribute('data-archive-state');
      if (state !== null) restore(element, JSON.parse(state));
    }
  };
  // The position of the window is the last: the copy has its full height then.
  addEventListener('load', () => {
    const root = document.documentElement;
    const own = root.getAttribute('data-archive-state');
    visit(document);
    if (own !== null) restore(root, JSON.parse(own));
  });
}

/** The properties that animations of scripts set, by element: a copy has no such animations. */
export function animatedProperties(): Map<Element, Set<string>> {
  const found = new Map<Element, Set<string>>();
  for (const animation of document.getAnimations()) {
    const { effect } = animation;
    if (animation instanceof CSSAnimation || animation instanceof CSSTransition) continue;
    if (!(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement !== null) continue;
    const names = found.get(effect.target) ?? new Set();
    found.set(effect.target, names);
    for (const keyframe of effect.getKeyframes()) {
      for (const name of Object.keys(keyframe)) {
        if (/^(offset|computedOffset|easing|composite)$/.test(name)) continue;
        names.add(name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
      }
    }
  }
  return found;
}
