/** Reads the document's settings (base path, build, lazy scripts); the only module that sets innerHTML. */
import { withBasePath } from '../../site/base-path.ts';

const script = document.querySelector<HTMLScriptElement>('#docs-script');

/** Path prefix of every URL, without a trailing slash: `/browser`, or empty. */
export const base = (document.documentElement.dataset['base'] ?? '').replace(/\/$/, '');
export const build = script?.dataset['build'] ?? '';
export const indexUrl = base + (script?.dataset['index'] ?? '');
export const workerUrl = base + (script?.dataset['worker'] ?? '');

/** URLs of the lazy scripts, by name. */
const lazyUrls: Readonly<Record<string, string>> = JSON.parse(script?.dataset['lazy'] ?? '{}');

/**
 * Imports a lazy script. Lazy scripts import shared modules from the page's own script, so that a page without any lazy
 * script loads a single file.
 */
export async function lazy(name: string) {
  const url = lazyUrls[name];
  if (url === undefined) throw new Error(`Unknown script: ${name}.`);
  return import(base + url);
}

/** The URL of this server that samples show. */
export const origin = location.origin + base;
export const socketOrigin = origin.replace(/^http/, 'ws');

/** Returns a setting of the operator; empty when it is not set. */
export function setting(name: 'analytics' | 'support' | 'ask'): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="docs-${name}"]`)?.content ?? '';
}

interface Policy {
  createHTML(text: string): string;
  createScriptURL(text: string): string;
}

declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

const rules: Policy = { createHTML: (text) => text, createScriptURL: (text) => text };
const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy('browserd-docs', rules);

/** Sets an element's content to markup from the build. Never pass text from a reader or from a response. */
export function setMarkup(element: Element, markup: string): void {
  element.innerHTML = policy.createHTML(withBasePath(markup, base));
}

export function scriptAddress(url: string): string {
  return policy.createScriptURL(url);
}

export const all = <E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E[] => [
  ...within.querySelectorAll<E>(selector),
];

/** Creates an element with properties and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Shows an error with a button to try again. */
export const errorBox = (message: string, onRetry: () => void): HTMLElement =>
  make(
    'div',
    { className: 'error-box', role: 'alert' },
    make('p', {}, message),
    make('button', { type: 'button', onclick: onRetry }, 'Retry'),
  );

/** Returns the path of a documentation page without the base path and the trailing slash. */
export function pathOf(url: URL): string {
  const path = url.pathname.slice(base.length).replace(/\/index\.html$|\.html$/, '');
  return path === '' || path === '/' ? '/' : path.replace(/\/$/, '');
}

/**
 * Returns the element that a fragment identifies; null also for an undecodable fragment, since anyone can write a link.
 */
export function elementOf(hash: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;
  }
}
