/** Splits index text and queries into terms: identifiers as a whole and in parts, words as stems. */
import { stemmer } from 'stemmer';

/** Phrases that are replaced by a single word before anything else. */
const phrases: Readonly<Record<string, string>> = {
  'api key': 'token',
  'access key': 'token',
  'auth token': 'token',
  'time out': 'timeout',
  'timed out': 'timeout',
  'health check': 'healthcheck',
  'web socket': 'websocket',
  'two factor': '2fa',
  'log in': 'login',
  'logged in': 'login',
  'sign in': 'login',
  'dark mode': 'dark',
  'headless mode': 'headless',
  'stealth mode': 'stealth',
  'beautiful soup': 'beautifulsoup',
  'env var': 'envvar',
  'env vars': 'envvar',
};

/** Words that say nothing about the subject of a query. */
const stopWords = new Set(
  (
    'a am an and any are as at be between but by can could do does for from get got had has have how i if in into is it its ' +
    'many me much my need no not of on or our should so some that the their them there this to use used using want was we what when ' +
    'where which while why will with work works would you your'
  ).split(' '),
);

const isAscii = /^[\x20-\x7e]*$/;

/** Lowercases text and removes diacritics. Nearly all words are ASCII: testing that is faster than normalizing. */
export const fold = (text: string): string =>
  (isAscii.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')).toLowerCase();

const wordPattern = /[\p{L}\p{N}_#@$./:-]+/gu;

/** Removes punctuation from the ends of a word, but not from its middle. */
const trimmed = (word: string): string => word.replace(/^[./:_#@$-]+|(?<![./:_#@$-])[./:_#@$-]+$/g, '');

/**
 * Splits text into terms: `waitForSelector` becomes `waitforselector`, `wait`, `for`, `selector`; `--no-sandbox` also
 * yields its form without leading dashes and its parts; numbers stay.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(wordPattern)) {
    const whole = trimmed(word);
    if (whole === '') continue;
    const flag = /^--?[a-z]/i.test(word) ? word.replace(/(?<![./:_])[./:_]+$/, '') : '';
    const pieces = whole.split(/[_./:#@$-]+/);
    const parts = pieces.flatMap(splitCamelCase);
    const joined = pieces.length > 1 ? pieces.join('') : '';
    terms.push(...[flag, whole, ...(parts.length > 1 ? parts : []), joined].filter((term) => term !== ''));
  }
  return terms;
}

export const camelCase = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

function splitCamelCase(word: string): string[] {
  const parts = word.split(camelCase).filter((part) => part !== '');
  return parts.length > 1 ? [word, ...parts] : parts;
}

/** Returns the index form of a word: its stem if it is a plain word. */
export function termOf(word: string): string {
  const folded = fold(word);
  return /^[a-z]{3,}$/.test(folded) ? stemmer(folded) : folded;
}

/** A caching `termOf` for many strings, where most terms occur often. */
export function rememberingTermOf(): (word: string) => string | null {
  const known = new Map<string, string>();
  return (word) => {
    const found = known.get(word) ?? (stopWords.has(fold(word)) ? '' : termOf(word));
    known.set(word, found);
    return found === '' ? null : found;
  };
}

export interface Choice {
  term: string;
  /** How much a match counts relative to a match of the typed word. */
  weight: number;
}

/** One search term of a query. */
export interface SearchTerm {
  /** The word as typed. */
  word: string;
  /** Index terms that find it: its own term, parts of an identifier, synonyms. */
  choices: readonly Choice[];
}

/** Maps a term to other terms that it also finds; they count less than the typed term. */
export type Synonyms = Readonly<Record<string, readonly string[]>>;

const maxQueryCharacters = 200;
const maxTerms = 12;
const synonymWeight = 0.5;
const partWeight = 0.35;

const phrasePattern = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${Object.keys(phrases)
    .toSorted((a, b) => b.length - a.length)
    .join('|')
    .replaceAll(' ', '\\s+')})(?![\\p{L}\\p{N}-])`,
  'giu',
);

/** Returns the meaningful words of a query, cut to a limit; all words when none is meaningful. */
export function typedWords(query: string): string[] {
  const words = [...query.slice(0, maxQueryCharacters).matchAll(wordPattern)]
    .map(([word]) => (/^--?[a-z]/i.test(word) ? word : trimmed(word)))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const telling = words.filter((word) => !stopWords.has(fold(word)));
  return (telling.length > 0 ? telling : words).slice(0, maxTerms);
}

/** Returns the search terms of a query: known phrases become one term, and each word has its synonyms. */
export function readQuery(query: string, synonyms: Synonyms = {}): SearchTerm[] {
  const text = query
    .slice(0, maxQueryCharacters)
    .replace(phrasePattern, (phrase) => phrases[phrase.toLowerCase().replace(/\s+/g, ' ')] ?? phrase);
  return typedWords(text).map((word) => ({ word, choices: choicesOf(word, synonyms) }));
}

function choicesOf(word: string, synonyms: Synonyms): Choice[] {
  const choices = new Map<string, number>();
  const add = (term: string, weight: number) => choices.set(term, Math.max(weight, choices.get(term) ?? 0));
  const [whole = word, ...parts] = tokenize(word).map(termOf);
  add(whole, 1);
  for (const part of parts) if (part.length > 2 && !stopWords.has(part)) add(part, partWeight);
  const joined = word.split(/[_./:#@$-]+/).join('');
  if (joined !== word && joined !== '') add(termOf(joined), 0.8);
  for (const synonym of Object.hasOwn(synonyms, whole) ? (synonyms[whole] ?? []) : []) add(synonym, synonymWeight);
  return [...choices].map(([term, weight]) => ({ term, weight }));
}
