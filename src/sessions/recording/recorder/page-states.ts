/** Reads what a document shows and rrweb does not record: states without markup, and drawings on canvases. */
import { record } from '@rrweb/record';
import { animatedProperties } from '../../../browser/injected/page-state.ts';
import { rootsOf } from '../../../browser/injected/style-rules.ts';

/** What scripts have set on a node, by the id of the node in the recording. */
export interface NodeState {
  id: number;
  isPopover?: true;
  indeterminate?: true;
  invalid?: true;
  /** Media of a style element or a link. */
  media?: string;
  /** Id of the slot that a script has assigned, in a tree without slots by name; 0 for none. */
  slot?: number;
  /** Properties set by animations of scripts that do not run. */
  style?: Record<string, string>;
}

/** States of more nodes are left out. */
const maxStates = 1_000;
/** Limits on the drawings that are read at a time: characters, milliseconds; and on one of them, in pixels. */
const drawingCharacters = 500_000;
const drawingsTookMs = 100;
const drawingPixels = 2_097_152;

export function readStates(): NodeState[] {
  const states = new Map<Node, NodeState>();
  const set = (node: Node, state: Omit<NodeState, 'id'>) => {
    const id = record.mirror.getId(node);
    if (id === -1 || (states.size >= maxStates && !states.has(node))) return;
    states.set(node, { ...states.get(node), ...state, id });
  };
  const roots = rootsOf();
  for (const root of roots) {
    for (const element of root.querySelectorAll(':popover-open')) set(element, { isPopover: true });
    for (const field of root.querySelectorAll<HTMLInputElement>('input,select,textarea')) {
      if (field.indeterminate) set(field, { indeterminate: true });
      // The message may contain what was typed.
      if (field.validity.customError) set(field, { invalid: true });
    }
    for (const { ownerNode, media, disabled } of root.styleSheets) {
      const isOwn = ownerNode instanceof HTMLStyleElement || ownerNode instanceof HTMLLinkElement;
      const text = disabled ? 'not all' : media.mediaText;
      if (isOwn && text !== ownerNode.media && text !== matchMedia(ownerNode.media).media)
        set(ownerNode, { media: text });
    }
    if (!(root instanceof ShadowRoot) || root.slotAssignment !== 'manual') continue;
    for (const child of root.host.children)
      set(child, { slot: child.assignedSlot ? record.mirror.getId(child.assignedSlot) : 0 });
  }
  for (const [element, names] of animatedProperties(({ playState }) => playState !== 'running')) {
    const computed = getComputedStyle(element);
    set(element, { style: Object.fromEntries([...names].map((name) => [name, computed.getPropertyValue(name)])) });
  }
  return [...states.values()];
}

export interface Drawing {
  id: number;
  data: string;
}

/** The last drawing of each canvas. */
const drawings = new WeakMap<HTMLCanvasElement, string>();
/** The canvas with which the next read begins, because one read may not get to all of them. */
let first = 0;

/** @param isWhole whether a new player needs all drawings, not only those that have changed */
export function readDrawings(isWhole: boolean): Drawing[] {
  const from = performance.now();
  const changed: Drawing[] = [];
  let characters = 0;
  const canvases = rootsOf().flatMap((root) => [...root.querySelectorAll('canvas')]);
  if (first >= canvases.length) first = 0;
  for (const canvas of [...canvases.slice(first), ...canvases.slice(0, first)]) {
    if (characters > drawingCharacters || performance.now() - from > drawingsTookMs) break;
    first = canvases.indexOf(canvas) + 1;
    const id = record.mirror.getId(canvas);
    const pixels = canvas.width * canvas.height;
    if (id === -1 || pixels === 0 || pixels > drawingPixels || !canvas.checkVisibility()) continue;
    const data = drawingOf(canvas);
    if (data === undefined || data.length > drawingCharacters) continue;
    if (!isWhole && drawings.get(canvas) === data) continue;
    characters += data.length;
    drawings.set(canvas, data);
    changed.push({ id, data });
  }
  return changed;
}

/** Undefined for a drawing that nobody may read, and for a blank one, such as of WebGL once it has been shown. */
function drawingOf(canvas: HTMLCanvasElement): string | undefined {
  try {
    const data = canvas.toDataURL();
    if (data.length > 2_000 + (canvas.width * canvas.height) / 10) return data;
    const blank = document.createElement('canvas');
    blank.width = canvas.width;
    blank.height = canvas.height;
    return data === blank.toDataURL() ? undefined : data;
  } catch {
    return undefined;
  }
}
