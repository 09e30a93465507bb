/** Sets what the recorder has read of a document next to its markup: states without markup, drawings on canvases. */
import { isRecord, type RecordedEvent } from './messages.ts';

type Undo = () => unknown;

export class States {
  readonly #nodeOf: (id: number) => Node | null;
  /** The last list of states, and the last drawing of each canvas, by id. */
  #states: Record<string, unknown>[] = [];
  readonly #drawings = new Map<number, string>();
  readonly #undo: Undo[] = [];

  /** @param nodeOf returns the node with an id in what is shown */
  constructor(nodeOf: (id: number) => Node | null) {
    this.#nodeOf = nodeOf;
  }

  /** A new document is shown. */
  clear(): void {
    this.#undo.splice(0);
    this.#states = [];
    this.#drawings.clear();
  }

  take({ data: { tag, payload } }: RecordedEvent): void {
    if (!isRecord(payload)) return;
    if (tag === 'states' && Array.isArray(payload['states'])) this.#states = payload['states'].filter(isRecord);
    const { id, data } = payload;
    if (tag !== 'drawing' || typeof data !== 'string' || !/^data:image\/png;base64,[\w+/]*=*$/.test(data)) return;
    this.#drawings.set(Number(id), data);
  }

  /** Sets the states of the nodes that are shown now. */
  apply(): void {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
    for (const state of this.#states) {
      const node = this.#nodeOf(Number(state['id']));
      if (node?.nodeType === Node.ELEMENT_NODE) this.#set(node as HTMLElement, state); // All that have states are shown.
    }
    for (const [id, data] of this.#drawings) {
      const canvas = this.#nodeOf(id);
      // Without scripts, a canvas is an element like any other.
      if (canvas?.nodeName === 'CANVAS') this.#style(canvas as HTMLElement, { content: `url("${data}")` }); // As its name says.
    }
  }

  #set(element: HTMLElement, { isPopover, indeterminate, invalid, media, slot, style }: Record<string, unknown>): void {
    // A test by class would fail: the element is of another window.
    const field = element as HTMLInputElement;
    const isOpen = () => element.matches(':popover-open');
    if (isPopover === true && element.popover !== null && element.isConnected && !isOpen()) {
      element.showPopover();
      this.#undo.push(() => isOpen() && element.hidePopover());
    }
    if (indeterminate === true) {
      field.indeterminate = true;
      this.#undo.push(() => (field.indeterminate = false));
    }
    if (invalid === true && 'setCustomValidity' in element) {
      field.setCustomValidity('invalid');
      this.#undo.push(() => field.setCustomValidity(''));
    }
    if (typeof media === 'string') this.#attribute(element, 'media', media);
    if (typeof slot === 'number') {
      this.#attribute(element, 'slot', `assigned-${slot}`);
      const target = this.#nodeOf(slot);
      if (target?.nodeName === 'SLOT') this.#attribute(target as HTMLElement, 'name', `assigned-${slot}`); // As its name says.
    }
    if (isRecord(style)) this.#style(element, style);
  }

  #attribute(element: HTMLElement, name: string, value: string): void {
    const before = element.getAttribute(name);
    element.setAttribute(name, value);
    this.#undo.push(() => (before === null ? element.removeAttribute(name) : element.setAttribute(name, before)));
  }

  #style(element: HTMLElement, style: Record<string, unknown>): void {
    const before = element.getAttribute('style');
    for (const [name, value] of Object.entries(style)) element.style.setProperty(name, String(value), 'important');
    this.#undo.push(() => {
      for (const name of Object.keys(style)) element.style.removeProperty(name);
      if (before === null && element.getAttribute('style') === '') element.removeAttribute('style');
    });
  }
}
