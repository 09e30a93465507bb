/**
 * Serializes functions from src/browser/injected to source text that runs inside pages. The text contains the function
 * and every function that it calls, found by name in the source: nothing is listed by hand or built ahead of time, and
 * a page receives only what the call needs.
 *
 * This works because the modules of src/browser/injected export only functions and types, under names that are unique
 * across the folder (test/unit/page-functions.test.ts checks this). A bundler may rename functions, since it renames
 * their calls too; it must keep the folder in one chunk and must not add helpers of its own (esbuild: no keepNames,
 * target esnext).
 */
import * as canvas from '../injected/canvas.ts';
import * as captchaMarks from '../injected/captcha/marks.ts';
import * as captchaToken from '../injected/captcha/token.ts';
import * as cleanContent from '../injected/clean-content.ts';
import * as consent from '../injected/consent.ts';
import * as console from '../injected/console.ts';
import * as cssLinks from '../injected/css-links.ts';
import * as document from '../injected/document.ts';
import * as dom from '../injected/dom.ts';
import * as element from '../injected/element.ts';
import * as encodedValues from '../injected/vault/encoded-values.ts';
import * as fillSecret from '../injected/vault/fill-secret.ts';
import * as findElements from '../injected/find-elements.ts';
import * as hideAds from '../injected/hide-ads.ts';
import * as hostPage from '../injected/host-page.ts';
import * as liveLook from '../injected/live/look.ts';
import * as livePickers from '../injected/live/pickers.ts';
import * as markdown from '../injected/markdown.ts';
import * as pageState from '../injected/page-state.ts';
import * as pendingCss from '../injected/pending-css.ts';
import * as print from '../injected/print.ts';
import * as readElements from '../injected/read-elements.ts';
import * as refuseSockets from '../injected/refuse-sockets.ts';
import * as reparse from '../injected/reparse.ts';
import * as snapshot from '../injected/snapshot.ts';
import * as styleRules from '../injected/style-rules.ts';
import * as storageState from '../injected/vault/storage-state.ts';
import * as svgParts from '../injected/svg-parts.ts';
import * as wait from '../injected/wait.ts';

/** A function from src/browser/injected. It runs in a page; its arguments and result must be JSON. */
export type PageFunction<Args extends readonly unknown[], Result> = (...args: Args) => Result;

type AnyFunction = PageFunction<never, unknown>;

interface Linked {
  /** Source of the function. */
  text: string;
  /** Source of all functions that it calls, directly or indirectly. */
  helpers: string;
  /** Expression whose value is the function; the helpers are in a separate scope. */
  expression: string;
}

/** Every module of src/browser/injected, by its path there. */
export const injectedModules: Readonly<Record<string, Readonly<Record<string, AnyFunction>>>> = {
  canvas,
  'captcha/marks': captchaMarks,
  'captcha/token': captchaToken,
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
  'live/look': liveLook,
  'live/pickers': livePickers,
  markdown,
  'page-state': pageState,
  'pending-css': pendingCss,
  print,
  'read-elements': readElements,
  'refuse-sockets': refuseSockets,
  reparse,
  snapshot,
  'style-rules': styleRules,
  'svg-parts': svgParts,
  'vault/encoded-values': encodedValues,
  'vault/fill-secret': fillSecret,
  'vault/storage-state': storageState,
  wait,
};

/** Matches an identifier that is not a property name: a dot may precede it only as part of a spread (`...`). */
const names = /(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*/g;

const linked = new Map<AnyFunction, Linked>();
let sources: Map<string, AnyFunction> | undefined;

/** Maps the functions of src/browser/injected by the names in their source, which are the names that callers use. */
function readSources(): Map<string, AnyFunction> {
  const found = new Map<string, AnyFunction>();
  for (const fn of Object.values(injectedModules).flatMap((module) => Object.values(module))) {
    const name = nameIn(fn);
    if (found.has(name)) throw new Error(`src/browser/injected has two functions named ${name}.`);
    found.set(name, fn);
  }
  return found;
}

function nameIn(fn: AnyFunction): string {
  const name = /^(?:async )?function ([\w$]+)/.exec(String(fn))?.[1];
  if (name === undefined)
    throw new Error(`src/browser/injected exports something that is not a named function: ${String(fn)}`);
  return name;
}

/**
 * Source for the page: without `//` lines and indentation. No literal in src/browser/injected contains either of these;
 * the test compares the syntax of both versions.
 */
export function sourceOf(fn: AnyFunction): string {
  return (
    String(fn)
      .replace(/^ +\/\/.*\n/gm, '')
      // bounded: our own source
      .replace(/^ +| +$/gm, '')
  );
}

function link(fn: AnyFunction): Linked {
  const known = linked.get(fn);
  if (known) return known;
  const library = (sources ??= readSources());
  if (library.get(nameIn(fn)) !== fn) throw new Error(`${fn.name} is not a function of src/browser/injected.`);
  const reached = new Set([fn]);
  // Iterating over a Set includes elements added during the iteration.
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

/** Expression that calls the function with these arguments, encoded as JSON. */
export function toExpression<Args extends readonly unknown[]>(fn: PageFunction<Args, unknown>, args: Args): string {
  return toCall(fn, ...args.map((value) => JSON.stringify(value) ?? 'undefined'));
}

/** Expression that calls the function with arguments given as JavaScript, which cannot see the helpers' names. */
export function toCall(fn: AnyFunction, ...args: readonly string[]): string {
  return `${link(fn).expression}(${args.join(',')})`;
}

/** Declaration of a function that passes its `this` as the first argument (for Runtime.callFunctionOn). */
export function toDeclaration(fn: AnyFunction): string {
  const { text, helpers } = link(fn);
  return `function (...args) {${helpers}\nreturn (${text})(this, ...args);}`;
}
