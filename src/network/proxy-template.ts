// RESIDENTIAL_PROXY_URL: how an operator's provider wants its user names (or host) written. The template is a proxy
// address with placeholders; a part in square brackets is left out when its placeholder has no value:
//
//   http://customer-me[-country-{country}][-city-{city}][-session-{session}]:password@gate.example:7000

import { parseProxyUrl } from './proxy-url.ts';

/** `{COUNTRY}` is `{country}` in capitals. */
const placeholders = ['country', 'COUNTRY', 'city', 'state', 'session'] as const;
export type Placeholder = (typeof placeholders)[number];
export type ProxyValues = Readonly<Record<Placeholder, string | undefined>>;

const anyPlaceholder = /\{(\w*)\}/g;
const optionalPart = /\[([^[\]]*\{\w*\}[^[\]]*)\]/g;
/** Long enough for any provider, and distinct in an address. */
const sample: ProxyValues = { country: 'us', COUNTRY: 'US', city: 'new_york', state: 'new_york', session: 'a1b2c3d4' };

/** True for an address with known placeholders, of which only the country stands behind user name and password. */
export function isProxyTemplate(template: string): boolean {
  const namesIn = (text: string) => [...text.matchAll(anyPlaceholder)].map(([, name = '']) => name);
  // A city that callers choose must not decide which machine gets the password.
  const behindName = namesIn(template.slice(template.lastIndexOf('@') + 1));
  return (
    namesIn(template).every(isKnown) &&
    behindName.every((name) => name.toLowerCase() === 'country') &&
    parseProxyUrl(fillTemplate(template, sample)) !== undefined
  );
}

/** Whether callers can choose this. */
export function takes(template: string, name: Lowercase<Placeholder>): boolean {
  return template.includes(`{${name}}`) || template.includes(`{${name.toUpperCase()}}`);
}

/** The first placeholder outside of brackets that has no value. */
export function missingValue(template: string, values: ProxyValues): Placeholder | undefined {
  const required = template.replace(optionalPart, '');
  return placeholders.find((name) => required.includes(`{${name}}`) && values[name] === undefined);
}

/** The address; values are percent-encoded, so that none of them can become another part of it. */
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
