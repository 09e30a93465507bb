/** Splits text of the index and of queries into terms: identifiers whole and in parts, without accents and case. */

const stopWords = new Set(
  'a an and are as at be by for from how i in is it of on or that the this to was what when with'.split(' '),
);

export const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * `waitForSelector` becomes `waitforselector`, `wait`, `for`, `selector`; `--no-sandbox` also its form without leading
 * dashes and its parts; numbers stay.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}_#@$./:-]+/gu)) {
    const whole = word.replace(/^[./:_-]+|[./:_-]+$/g, '');
    if (whole === '') continue;
    const flag = /^--?[a-z]/i.test(word) ? word : '';
    const pieces = whole.split(/[_./:#@$-]+/);
    const parts = pieces.flatMap(splitCamelCase);
    const joined = pieces.length > 1 ? pieces.join('') : '';
    terms.push(...[flag, whole, ...(parts.length > 1 ? parts : []), joined].filter((term) => term !== ''));
  }
  return terms;
}

function splitCamelCase(word: string): string[] {
  const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u).filter((part) => part !== '');
  return parts.length > 1 ? [word, ...parts] : parts;
}

export function processTerm(term: string): string | null {
  const folded = fold(term);
  return folded === '' ? null : folded;
}

const synonyms: Readonly<Record<string, string>> = {
  'api key': 'token',
  apikey: 'token',
  'time out': 'timeout',
  'time-out': 'timeout',
  ws: 'websocket',
  container: 'docker',
  rate: 'queue',
  envvar: 'environment',
};

const maxQueryCharacters = 200;
const maxTerms = 12;

/** The terms of a query, cut to a limit, with synonyms; and the same terms without stop words. */
export function queryTerms(query: string): { all: string[]; telling: string[] } {
  let text = fold(query.slice(0, maxQueryCharacters));
  for (const [from, to] of Object.entries(synonyms)) {
    text = text.replace(new RegExp(`(?<![\\p{L}\\p{N}-])${from}(?![\\p{L}\\p{N}-])`, 'u'), to);
  }
  const words = (text.match(/[\p{L}\p{N}_#@$./:-]+/gu) ?? []).slice(0, maxTerms);
  const all = words.map((word) => word.replace(/^[./:_]+|[./:_]+$/g, '')).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const telling = all.filter((word) => !stopWords.has(word));
  return { all, telling: telling.length > 0 ? telling : all };
}
