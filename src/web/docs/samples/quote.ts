/** Writes a token into the places where samples have one. */

/** The place: a query of an address, or a string of a language. */
export type Quote = 'url' | 'shell' | 'single' | 'double' | 'yaml';

/** How a token travels: in the header Authorization, or in the query of the address. */
export type CredentialForm = 'header' | 'query';

const quotes: Readonly<Record<Quote, (token: string) => string>> = {
  // Also what encodeURIComponent leaves as it is, but a shell or a string of some language takes for its own.
  url: (token) =>
    encodeURIComponent(token.toWellFormed()).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  shell: (token) => token.replaceAll("'", `'\\''`),
  single: (token) => token.replace(/[\\']/g, '\\$&'),
  double: (token) => token.replace(/[\\"]/g, '\\$&'),
  yaml: (token) => (/^\w+$/.test(token) ? token : JSON.stringify(token)),
};

export const isQuote = (name: string | undefined): name is Quote => name !== undefined && name in quotes;

/** How a token is written in a string of a language, where a page has written it itself. */
export const quoteOf = (language: string): Quote | undefined =>
  (({ sh: 'shell', js: 'single', ts: 'single', php: 'single', python: 'double', go: 'double', yaml: 'yaml' }) as const)[
    language
  ];

/** The token as it stands within the quotes of its place. */
export const quoteToken = (token: string, quote: Quote): string => quotes[quote](token);

/**
 * The form that a token needs: header values of most clients are visible ASCII, without blanks at their ends
 * (RFC 9110 section 5.5); other tokens go in the query.
 */
export const formOf = (token: string): CredentialForm =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(token) ? 'header' : 'query';
