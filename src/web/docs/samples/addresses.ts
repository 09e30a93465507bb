/** Finds the server's URLs in the text of a sample, and adds a token to their queries. */
import { sampleOrigin, sampleSocketOrigin, sampleToken } from '../site/site.ts';
import type { Insertion } from './insertions.ts';
import type { CredentialForm } from './quote.ts';

/** One of the server's URLs, in quotes or as a separate word. */
export interface Address {
  isSocket: boolean;
  /** Offsets of its first character and after its last one. */
  start: number;
  end: number;
  /** The quote character around it; empty for a bare word. */
  quote: string;
  text: string;
}

export function addressesIn(code: string): Address[] {
  const found: Address[] = [];
  for (const match of code.matchAll(new RegExp(`${sampleOrigin}|${sampleSocketOrigin}`, 'g'))) {
    const start = match.index;
    const before = code[start - 1] ?? ' ';
    const isQuoted = /['"`]/.test(before);
    if (!isQuoted && !/\s/.test(before)) continue;
    const end = isQuoted ? endOfQuoted(code, start, before) : start + (/^\S*/.exec(code.slice(start))?.[0].length ?? 0);
    const text = code.slice(start, end);
    if (/\s/.test(text)) continue;
    found.push({ isSocket: match[0] === sampleSocketOrigin, start, end, quote: isQuoted ? before : '', text });
  }
  return found;
}

/** Returns the offset of the quote that ends a string; quotes within `${…}` do not count. */
function endOfQuoted(code: string, start: number, quote: string): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (quote === '`' && code.startsWith('${', at)) depth++;
    else if (depth > 0 && code[at] === '}') depth--;
    else if (depth === 0 && code[at] === quote) return at;
  }
  return code.length;
}

/** Returns the insertions for the query of a URL; empty for a base URL without a path, which only prefixes others. */
export function inQuery({ text, start, end, isSocket }: Address, forms: readonly CredentialForm[]): Insertion[] {
  if (!isSocket && text === sampleOrigin) return [];
  const bare = text.replace(/\$\{[^}]*\}/g, (part) => '_'.repeat(part.length));
  const query = bare.indexOf('?');
  if (query >= 0) return [{ at: start + query + 1, text: `token=${sampleToken}&`, forms, quote: 'url' }];
  const hash = bare.indexOf('#');
  return [{ at: hash < 0 ? end : start + hash, text: `?token=${sampleToken}`, forms, quote: 'url' }];
}
