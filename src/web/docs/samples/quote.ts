/** Quotes a token for its position in a sample. */

/** The position of a token: a URL query, or a string of a language. */
export type Quote = 'url' | 'shell' | 'single' | 'double' | 'yaml';

/** How a token is sent: in the header Authorization, or in the query of the URL. */
export type CredentialForm = 'header' | 'query';

const quotes: Readonly<Record<Quote, (token: string) => string>> = {
  // Also escape characters that encodeURIComponent keeps, but that are special in a shell or in a language's strings.
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

/** Returns how to quote a token in a language's strings, for samples that contain the token explicitly. */
export const quoteOf = (language: string): Quote | undefined =>
  (({ sh: 'shell', js: 'single', ts: 'single', php: 'single', python: 'double', go: 'double', yaml: 'yaml' }) as const)[
    language
  ];

/** Returns the token escaped for the quotes around it. */
export const quoteToken = (token: string, quote: Quote): string => quotes[quote](token);

/**
 * Returns the form that a token needs: most clients only send header values of visible ASCII, without leading or
 * trailing blanks (RFC 9110 section 5.5); other tokens go in the query.
 */
export const formOf = (token: string): CredentialForm =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(token) ? 'header' : 'query';
