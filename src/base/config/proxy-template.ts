// Fills RESIDENTIAL_PROXY_URL, a proxy URL with placeholders in the username or host, as the operator's proxy provider
// requires. A part in square brackets is omitted when its placeholder has no value:
//
//   http://customer-me[-country-{country}][-city-{city}][-session-{session}]:password@gate.example:7000

import { parseProxyUrl } from './proxy-url.ts';

/** `{COUNTRY}` is `{country}` in uppercase. */
const placeholders = ['country', 'COUNTRY', 'city', 'state', 'session'] as const;
export type Placeholder = (typeof placeholders)[number];
export type ProxyValues = Readonly<Record<Placeholder, string | undefined>>;

const anyPlaceholder = /\{(\w*)\}/g;
// bounded: only the operator sets this text
const optionalPart = /\[([^[\]]*\{\w*\}[^[\]]*)\]/g;
/** Sample values for validating a template. */
const sample: ProxyValues = { country: 'us', COUNTRY: 'US', city: 'new_york', state: 'new_york', session: 'a1b2c3d4' };

/** True for a proxy URL with known placeholders; after the credentials, only the country is allowed. */
export function isProxyTemplate(template: string): boolean {
  const namesIn = (text: string) => [...text.matchAll(anyPlaceholder)].map(([, name = '']) => name);
  // A city chosen by a client must not decide which host receives the password.
  const behindName = namesIn(template.slice(template.lastIndexOf('@') + 1));
  return (
    namesIn(template).every(isKnown) &&
    behindName.every((name) => name.toLowerCase() === 'country') &&
    parseProxyUrl(fillTemplate(template, sample)) !== undefined
  );
}

/** True when the template contains the placeholder, so that clients can choose its value. */
export function hasPlaceholder(template: string, name: Lowercase<Placeholder>): boolean {
  return template.includes(`{${name}}`) || template.includes(`{${name.toUpperCase()}}`);
}

/** The first placeholder outside brackets that has no value. */
export function missingValue(template: string, values: ProxyValues): Placeholder | undefined {
  const required = template.replace(optionalPart, '');
  return placeholders.find((name) => required.includes(`{${name}}`) && values[name] === undefined);
}

/** Fills in the template; values are percent-encoded, so that none of them can change another part of the URL. */
export function fillTemplate(template: string, values: ProxyValues): string {
  const fill = (text: string) =>
    text.replace(anyPlaceholder, (_, name: string) => (isKnown(name) ? encodeURIComponent(values[name] ?? '') : ''));
  const isEmpty = (text: string) =>
    [...text.matchAll(anyPlaceholder)].some(([, name = '']) => !isKnown(name) || values[name] === undefined);
  return fill(template.replace(optionalPart, (_, part: string) => (isEmpty(part) ? '' : part)));
}

function isKnown(name: string): name is Placeholder {
  return placeholders.some((placeholder) => placeholder === name);
}
