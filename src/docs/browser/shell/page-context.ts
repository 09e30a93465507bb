/** What the document says about itself, and the one way to put markup of the build into it. */
import { withBasePath } from '../../site/base-path.ts';

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

/** A value that the operator set; empty when it is not set. */
export function setting(name: 'analytics' | 'support'): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="docs-${name}"]`)?.content ?? '';
}

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
  element.innerHTML = policy.createHTML(withBasePath(markup, base));
}

export function scriptAddress(url: string): string {
  return policy.createScriptURL(url);
}

export const all = <E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E[] => [
  ...within.querySelectorAll<E>(selector),
];

/** Path of a page of ours without prefix and trailing slash. */
export function pathOf(url: URL): string {
  const path = url.pathname.slice(base.length).replace(/\/index\.html$|\.html$/, '');
  return path === '' || path === '/' ? '/' : path.replace(/\/$/, '');
}
