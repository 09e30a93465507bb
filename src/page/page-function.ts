/**
 * The text of functions that run inside pages. They live in src/injected and are ordinary functions there; a page is
 * sent the source of one together with that of the functions it calls, found by their names in its text. So nothing is
 * listed by hand or built ahead, and a call costs no more than what it needs.
 *
 * It holds for these modules because they have functions and types only, under names that differ across the room
 * (test/unit/page-functions.test.ts checks it for every one). A bundler may rename them, as it renames the calls with
 * them; it must keep the room in one chunk and add no helpers of its own (esbuild: no keepNames, target esnext).
 */
import * as cleanContent from '../injected/clean-content.ts';
import * as consent from '../injected/consent.ts';
import * as console from '../injected/console.ts';
import * as cssLinks from '../injected/css-links.ts';
import * as document from '../injected/document.ts';
import * as dom from '../injected/dom.ts';
import * as element from '../injected/element.ts';
import * as findElements from '../injected/find-elements.ts';
import * as hideAds from '../injected/hide-ads.ts';
import * as hostPage from '../injected/host-page.ts';
import * as markdown from '../injected/markdown.ts';
import * as readElements from '../injected/read-elements.ts';
import * as refuseSockets from '../injected/refuse-sockets.ts';
import * as snapshot from '../injected/snapshot.ts';
import * as wait from '../injected/wait.ts';

/** A function of src/injected. It runs in a page, with arguments and a result that JSON can carry. */
export type PageFunction<Args extends readonly unknown[], Result> = (...args: Args) => Result;

type AnyFunction = PageFunction<never, unknown>;

interface Linked {
  /** Source of the function. */
  text: string;
  /** Source of all that it calls, directly or not. */
  helpers: string;
  /** Text of an expression whose value is the function, its helpers out of sight. */
  expression: string;
}

/** Every module of the room, by the name of its file. */
export const injectedModules: Readonly<Record<string, Readonly<Record<string, AnyFunction>>>> = {
  'clean-content': cleanContent,
  consent,
  console,
  'css-links': cssLinks,
  document,
  dom,
  element,
  'find-elements': findElements,
  'hide-ads': hideAds,
  'host-page': hostPage,
  markdown,
  'read-elements': readElements,
  'refuse-sockets': refuseSockets,
  snapshot,
  wait,
};

/** A name that is no property: after a dot only where the dots spread a list. */
const names = /(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*/g;

const linked = new Map<AnyFunction, Linked>();
let sources: Map<string, AnyFunction> | undefined;

/** The functions of the room by the names in their own source, which are those that other functions call them by. */
function readSources(): Map<string, AnyFunction> {
  const found = new Map<string, AnyFunction>();
  for (const fn of Object.values(injectedModules).flatMap((module) => Object.values(module))) {
    const name = nameIn(fn);
    if (found.has(name)) throw new Error(`src/injected has two functions named ${name}.`);
    found.set(name, fn);
  }
  return found;
}

function nameIn(fn: AnyFunction): string {
  const name = /^(?:async )?function ([\w$]+)/.exec(String(fn))?.[1];
  if (name === undefined) throw new Error(`src/injected exports what is no function with a name: ${String(fn)}`);
  return name;
}

/** Source as a page is sent it: without comments and indentation, which no literal of the room holds (the test compares both). */
export function sourceOf(fn: AnyFunction): string {
  return String(fn)
    .replace(/^ +\/\/.*\n/gm, '')
    .replace(/^ +| +$/gm, '');
}

function link(fn: AnyFunction): Linked {
  const known = linked.get(fn);
  if (known) return known;
  const library = (sources ??= readSources());
  if (library.get(nameIn(fn)) !== fn) throw new Error(`${fn.name} is no function of src/injected.`);
  const reached = new Set([fn]);
  // A set is walked to what is added meanwhile.
  for (const one of reached) {
    for (const [name] of sourceOf(one).matchAll(names)) {
      const called = library.get(name);
      if (called) reached.add(called);
    }
  }
  const [text = '', ...called] = [...reached].map(sourceOf);
  const helpers = called.join('\n');
  const expression = helpers === '' ? `(${text})` : `(() => {${helpers}\nreturn ${text};})()`;
  const made: Linked = { text, helpers, expression };
  linked.set(fn, made);
  return made;
}

/** The text of a call with arguments as JSON. */
export function toExpression<Args extends readonly unknown[]>(fn: PageFunction<Args, unknown>, args: Args): string {
  return toCall(fn, ...args.map((value) => JSON.stringify(value) ?? 'undefined'));
}

/** The text of a call whose arguments are JavaScript. They see nothing of the function's names. */
export function toCall(fn: AnyFunction, ...args: readonly string[]): string {
  return `${link(fn).expression}(${args.join(',')})`;
}

/** The text of a function that passes its `this` on as the first argument (Runtime.callFunctionOn). */
export function toDeclaration(fn: AnyFunction): string {
  const { text, helpers } = link(fn);
  return `function (...args) {${helpers}\nreturn (${text})(this, ...args);}`;
}
