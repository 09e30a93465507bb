/** What the document says about itself, and the one door for markup that was made by the build. */

const script = document.querySelector<HTMLScriptElement>('#docs-script');

/** Path in front of every address, without a slash at its end: `/browser`, or nothing. */
export const base = (document.documentElement.dataset['base'] ?? '').replace(/\/$/, '');
export const build = script?.dataset['build'] ?? '';
export const indexUrl = base + (script?.dataset['index'] ?? '');
export const workerUrl = base + (script?.dataset['worker'] ?? '');

/** Addresses of scripts that are fetched on use, by name. */
const lazyUrls: Readonly<Record<string, string>> = JSON.parse(script?.dataset['lazy'] ?? '{}');

/**
 * Imports a script on use. It imports what it shares with the page from the page's own script, so that a page without
 * it is one script.
 */
export async function lazy(name: string) {
  const url = lazyUrls[name];
  if (url === undefined) throw new Error(`There is no script called ${name}.`);
  return import(base + url);
}

/** The address of this server that samples show. */
export const origin = location.origin + base;
export const socketOrigin = origin.replace(/^http/, 'ws');

interface Policy {
  createHTML(text: string): string;
  createScriptURL(text: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

declare const trustedTypes: TrustedTypes | undefined;

const rules: Policy = { createHTML: (text) => text, createScriptURL: (text) => text };
const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy('browserd-docs', rules);

/** Puts markup of the build, never of a reader or of an answer, into an element. */
export function setMarkup(element: Element, markup: string): void {
  element.innerHTML = policy.createHTML(withBase(markup));
}

export function scriptAddress(url: string): string {
  return policy.createScriptURL(url);
}

/** Addresses of the build begin with a slash; behind a prefix they need it in front. */
function withBase(markup: string): string {
  return base === '' ? markup : markup.replace(/(\s(?:href|src|action))="\/(?!\/)/g, `$1="${base}/`);
}

export const all = <E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E[] => [
  ...within.querySelectorAll<E>(selector),
];

/** Path of a page of ours without prefix and trailing slash. */
export function pathOf(url: URL): string {
  const path = url.pathname.slice(base.length).replace(/\/index\.html$|\.html$/, '');
  return path === '' || path === '/' ? '/' : path.replace(/\/$/, '');
}
