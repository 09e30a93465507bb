/**
 * Adds the credential to samples: the header Authorization to HTTP requests, `?token=` to WebSocket URLs. Pages contain
 * samples without it, except for URLs that a sample computes: those contain `?token=YOUR_TOKEN`, which is removed if no
 * token is needed.
 */
import { sampleOrigin, sampleSocketOrigin, sampleToken } from '../site/site.ts';
import { type Address, addressesIn, inQuery } from './addresses.ts';
import { addHeader } from './headers.ts';
import { bothForms, type Insertion, type Sample } from './insertions.ts';

const cache = new Map<string, Sample>();

/** @param language language of the code fence */
export function readSample(source: string, language: string): Sample {
  const key = `${language}\n${source}`;
  const known = cache.get(key) ?? makeSample(source, language);
  cache.set(key, known);
  return known;
}

function makeSample(source: string, language: string): Sample {
  const { code, explicit } = withoutExplicit(source, language, false);
  // Such a sample itself shows how the token is sent.
  if (code.includes(sampleToken)) {
    const own = withoutExplicit(source, language, true);
    return { code: own.code, insertions: own.explicit, isAboutToken: true };
  }
  const added = language in addHeader ? addressesIn(code).flatMap((address) => addedTo(code, address, language)) : [];
  return {
    code,
    insertions: [...explicit, ...added].toSorted((left, right) => left.at - right.at),
    isAboutToken: false,
  };
}

function addedTo(code: string, address: Address, language: string): Insertion[] {
  if (address.isSocket) return inQuery(address, bothForms);
  const header = addHeader[language]?.(code, address);
  if (header === undefined) return language === 'sh' ? [] : inQuery(address, bothForms);
  if (header.length === 0) return [];
  return [...header, ...quoted(address, inQuery(address, ['query']))];
}

/** Adds quotes around an unquoted URL: a shell treats its question mark as a pattern. */
function quoted({ quote, start, end }: Address, insertions: readonly Insertion[]): Insertion[] {
  if (quote !== '') return [...insertions];
  const mark = (at: number): Insertion => ({ at, text: "'", forms: ['query'], quote: 'url' });
  return [mark(start), ...insertions, mark(end)];
}

/**
 * Removes the tokens that a page contains explicitly.
 * @param all false omits those in literal URLs, because they are added by rule
 */
function withoutExplicit(source: string, language: string, all: boolean): { code: string; explicit: Insertion[] } {
  const explicit: Insertion[] = [];
  let code = '';
  let from = 0;
  const pattern = language === 'yaml' ? ownLine : inAddress;
  for (const match of source.matchAll(pattern)) {
    const [text] = match;
    const kept = text.startsWith('?') && text.endsWith('&') ? '?' : '';
    code += source.slice(from, match.index) + kept;
    from = match.index + text.length;
    const isLiteral = literalBefore.test(source.slice(0, match.index));
    if (isLiteral && language in addHeader && !all) continue;
    explicit.push({
      at: code.length,
      text: text.slice(kept.length),
      forms: bothForms,
      quote: language === 'yaml' ? 'yaml' : 'url',
    });
  }
  return { code: code + source.slice(from), explicit };
}

const inAddress = new RegExp(`[?&]token=${sampleToken}(?:&|(?=[^&]|$))`, 'g');
const ownLine = new RegExp(`^.*${sampleToken}.*\\n?`, 'gm');
const literalBefore = new RegExp(`(?:${sampleOrigin}|${sampleSocketOrigin})(?:[^\\s'"\`]|\\$\\{[^}]*\\})*$`);
