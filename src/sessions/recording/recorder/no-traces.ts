/**
 * Prevents rrweb from leaving traces in a page, and from reading it slowly. It runs before rrweb in the same isolated
 * world, which has separate globals and prototypes: the page keeps its functions, and sees no frame, no attribute, and
 * no gap in its timer ids. Frames need it too, because rrweb works on elements in them.
 */
import { completeRules } from './complete-rules.ts';

completeRules();

const define = (owner: object, name: string, value: unknown) =>
  Object.defineProperty(owner, name, { configurable: true, writable: true, value });

// rrweb creates a hidden frame to get unmodified functions, and works without one when it cannot.
const createElement = Reflect.get(Document.prototype, 'createElement');
define(Document.prototype, 'createElement', function make(this: Document, name: string, ...options: unknown[]) {
  if (name === 'iframe') throw new Error('the recorder creates no frames');
  return Reflect.apply(createElement, this, [name, ...options]);
});

// An isolated world has no custom element registry. rrweb queries it for each element, and 20,000 errors take more than
// a second. Elements with a hyphen are treated as defined: the player then shows them as if the page's scripts had run.
define(globalThis, 'customElements', { get: (name: string) => (name.includes('-') ? HTMLElement : undefined) });

// rrweb marks a password field whose text is revealed, in order to keep masking it.
const mark = 'data-rr-is-password';
const marked = new WeakSet<Element>();
const setAttribute = Reflect.get(Element.prototype, 'setAttribute');
const hasAttribute = Reflect.get(Element.prototype, 'hasAttribute');
define(Element.prototype, 'setAttribute', function set(this: Element, name: string, value: string) {
  if (name === mark) marked.add(this);
  else Reflect.apply(setAttribute, this, [name, value]);
});
define(Element.prototype, 'hasAttribute', function has(this: Element, name: string) {
  return name === mark ? marked.has(this) : Reflect.apply(hasAttribute, this, [name]);
});

// All worlds share the numbering of timers and animation frames; scheduler tasks have no numbers.
declare const scheduler: {
  postTask(task: () => void, options: { delay: number; signal: AbortSignal }): Promise<unknown>;
};
const tasks = new Map<number, AbortController>();
let last = 0;
const start = (task: (...given: unknown[]) => void, delay = 0, ...given: unknown[]) => {
  const number = ++last;
  const stopped = new AbortController();
  tasks.set(number, stopped);
  const run = () => {
    tasks.delete(number);
    task(...given);
  };
  scheduler.postTask(run, { delay, signal: stopped.signal }).catch(() => {});
  return number;
};
const stop = (number: number) => {
  tasks.get(number)?.abort();
  tasks.delete(number);
};
define(globalThis, 'setTimeout', start);
define(globalThis, 'clearTimeout', stop);
define(globalThis, 'requestAnimationFrame', (task: (at: number) => void) => start(() => task(performance.now()), 16));
define(globalThis, 'cancelAnimationFrame', stop);
