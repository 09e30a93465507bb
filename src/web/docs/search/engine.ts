/**
 * Ranks the documentation pages for a query. It looks up each search term in the sections with MiniSearch, and
 * adds up the scores of a page's sections. It runs in a worker of the reader's browser and on the server.
 */
import MiniSearch, { type MatchInfo, type Options } from 'minisearch';
import {
  type Choice,
  fold,
  readQuery,
  rememberingTermOf,
  type Synonyms,
  termOf,
  tokenize,
  typedWords,
  type SearchTerm,
} from './terms.ts';

/** The index file, as JSON. */
export interface IndexFile {
  pages: readonly PageRecord[];
  synonyms: Synonyms;
}

/** A page in the index. */
export interface PageRecord {
  path: string;
  title: string;
  description: string;
  /** The meaningful words of the question that the page answers. */
  question: string;
  keywords: string;
  /** Labels of the guide and the groups above the page, joined. */
  trail: string;
  sections: readonly SectionRecord[];
}

/** Heading id and heading (both empty for the beginning of a page), the prose, and the text that is only in code. */
export type SectionRecord = readonly [id: string, heading: string, text: string, code: string];

type HitKind = 'page' | 'heading' | 'content';

/** A row of the results: a page, or a section of the page in the row above. */
export interface Hit {
  /** Path with its hash. */
  url: string;
  title: string;
  heading: string;
  trail: string;
  content: string;
  kind: HitKind;
  /** Index terms that matched, to highlight them in the text. */
  terms: string[];
  /** How many of the search terms it contains. */
  covers: number;
}

type Document = Record<keyof typeof boost, string> & { id: number };

export interface Index {
  terms: MiniSearch<Document>;
  /** Indexed by the document ids of `terms`. */
  sections: readonly { page: PageRecord; id: string; heading: string; text: string }[];
  pages: readonly PageRecord[];
  /** Terms of the title of each page. */
  titles: readonly (readonly string[])[];
  synonyms: Synonyms;
}

const boost = { title: 6, path: 3, heading: 3, description: 2.5, question: 2, keywords: 3, content: 1, code: 0.4 };
const fields = Object.keys(boost);
const prefixWeight = 0.6;
const fuzzyWeight = 0.6;
const fuzziness = 0.25;
const fuzzyFrom = 5;
/** Choices with a lower weight are not highlighted in text. */
const shownFrom = 0.6;
/** Pages below this fraction of the best page's score only share a word with the query. */
const minScoreShare = 0.06;
const guideShare = 0.9;
const beginHere = ['/enterprise/quick-start', '/overview/comparison', '/overview/connection-urls'];
/** Headings of many pages, which do not tell pages apart. */
const sayNothing = new Set(
  'Answer|Answers|Arguments|Fields|Limits|Options|The rules|This server|Try it|What can go wrong|What it holds'.split(
    '|',
  ),
);
/** Number of sections that are indexed before other work gets a turn. */
const chunk = 60;

/**
 * Builds the index from its file. The file contains only text, which is half the download size of the finished index,
 * and building takes no longer than a reader needs to type.
 */
export async function loadIndex(json: string): Promise<Index> {
  const { pages, synonyms }: IndexFile = JSON.parse(json);
  const sections = pages.flatMap((page) => page.sections.map(([id, heading, text]) => ({ page, id, heading, text })));
  const options: Options<Document> = { fields, tokenize, processTerm: rememberingTermOf() };
  const terms = new MiniSearch<Document>(options);
  const documents = pages.flatMap((page) =>
    page.sections.map(([, heading, content, code], at): Omit<Document, 'id'> => ({
      title: at === 0 ? page.title : '',
      path: at === 0 ? (page.path.split('/').at(-1) ?? '') : '',
      description: at === 0 ? page.description : '',
      question: at === 0 ? page.question : '',
      keywords: at === 0 ? page.keywords : '',
      heading: sayNothing.has(heading) ? '' : heading,
      content,
      code,
    })),
  );
  await terms.addAllAsync(
    documents.map((document, id) => ({ id, ...document })),
    { chunkSize: chunk },
  );
  const titles = pages.map(({ title }) => [...new Set(typedWords(title).map(termOf))]);
  return { terms, sections, pages, titles, synonyms };
}

/** Pages with brief text on many subjects that the guides explain in full. */
const lookedUp = /^\/overview\/(faq|glossary|changelog)$/;

/** Ranks lookup pages and the reference behind guides, and old versions last. */
function weightOf(path: string): number {
  if (path.startsWith('/baas/v1/')) return 0.3;
  if (path.startsWith('/bql-schema/')) return path.includes('/types/') ? 0.15 : 0.25;
  if (lookedUp.test(path) || path.startsWith('/open-api')) return 0.4;
  return path.startsWith('/contributing/') || path.startsWith('/components/') ? 0.4 : 1;
}

/** The words of a query are terms already. */
const exactly = { boost, tokenize: (text: string) => [text], processTerm: (term: string) => term };

interface Match {
  score: number;
  /** How closely it matches what was typed: 1, less for a synonym. */
  weight: number;
  /** Terms that matched, each with its fields; without the parts of an identifier. */
  shown: MatchInfo[];
}

/** Returns the sections that match one search term, each with the best of its choices. */
function matchesOf({ terms }: Index, { word, choices }: SearchTerm, isLast: boolean): Map<number, Match> {
  const found = new Map<number, Match>();
  const look = ({ term, weight }: Choice, how: { prefix?: boolean; fuzzy?: number } = {}) => {
    for (const { id, score, match } of terms.search(term, { ...exactly, ...how })) {
      const before = found.get(id) ?? { score: 0, weight: 0, shown: [] };
      if (weight >= shownFrom) before.shown.push(match);
      before.score = Math.max(before.score, score * weight);
      before.weight = Math.max(before.weight, weight);
      found.set(id, before);
    }
  };
  for (const choice of choices) look(choice);
  const typed = fold(word);
  if (isLast && typed.length > 1) look({ term: typed, weight: prefixWeight }, { prefix: true });
  if (found.size === 0 && typed.length >= fuzzyFrom) look({ term: typed, weight: fuzzyWeight }, { fuzzy: fuzziness });
  return found;
}

interface RankedPage {
  page: PageRecord;
  score: number;
  /** Id of its first section, and of the later section that matches the query best; equal when no later one matches. */
  first: number;
  best: number;
  /** Whether it is a guide that contains all or nearly all search terms. */
  isWhole: boolean;
}

export interface Found {
  /** Rows, best page first; a page's section follows its page. */
  hits: Hit[];
  /** Pages to offer when there are none. */
  instead: Hit[];
}

export function search(index: Index, query: string, limit: number): Found {
  const wanted = readQuery(query, index.synonyms);
  const found = wanted.map((each, at) => matchesOf(index, each, at === wanted.length - 1));
  const ranked = rank(index, found).slice(0, limit);
  const hits = ranked.flatMap((page) => rowsOf(index, page, found)).slice(0, limit);
  return { hits, instead: wanted.length > 0 && hits.length === 0 ? nearest(index, wanted) : [] };
}

/** Returns three pages for a query without results: first pages with similar words, then pages to start with. */
function nearest({ terms, sections, pages }: Index, wanted: readonly SearchTerm[]): Hit[] {
  const how = { ...exactly, fields: ['title', 'path', 'keywords'], fuzzy: 0.45, prefix: true };
  const alike = wanted.flatMap(({ word }) => terms.search(fold(word), how).map(({ id }) => sections[id]?.page));
  const begin = beginHere.map((path) => pages.find((page) => page.path === path));
  const three = [...new Set([...alike, ...begin])].filter((page) => page !== undefined).slice(0, 3);
  return three.map(({ path, title, trail, description }) => {
    return { url: path, title, heading: '', trail, content: description, kind: 'page', terms: [], covers: 0 };
  });
}

function rank({ sections, pages, titles }: Index, found: readonly Map<number, Match>[]): RankedPage[] {
  // A rare word says more than a frequent one; a word that no page has says nothing.
  const rarity = found.map((matches) => {
    const exact = [...matches.values()].filter(({ weight }) => weight === 1).length;
    const size = exact === 0 ? matches.size : exact;
    return size === 0 ? 0 : Math.log(1 + sections.length / size);
  });
  const all = rarity.reduce((sum, each) => sum + each, 0);
  const ranked: RankedPage[] = [];
  let first = 0;
  for (const [place, page] of pages.entries()) {
    let [score, share, best, bestShare, bestScore] = [0, 0, first, 0, 0];
    const most = found.map(() => 0);
    const shares = found.map(() => 0);
    for (let id = first; id < first + page.sections.length; id++) {
      let [sectionScore, sectionShare] = [0, 0];
      for (const [at, matches] of found.entries()) {
        const match = matches.get(id);
        if (match === undefined) continue;
        most[at] = Math.max(most[at] ?? 0, match.score);
        sectionScore += match.score;
        const part = (rarity[at] ?? 0) * match.weight;
        sectionShare += part;
        shares[at] = Math.max(shares[at] ?? 0, part);
      }
      bestShare = Math.max(bestShare, sectionShare);
      if (id > first && sectionScore > bestScore) [best, bestScore] = [id, sectionScore];
    }
    for (const each of most) score += each;
    for (const each of shares) share += each;
    if (score > 0) {
      const together = (share / all) ** 1.5 * (0.5 + bestShare / all / 2);
      const weight = weightOf(page.path);
      // The title of every reference page is a single word, so a match in it says less.
      const named = weight === 1 ? namedShare(titles[place] ?? [], first, found) : 0;
      const isWhole = weight === 1 && share >= all * guideShare;
      ranked.push({ page, score: score * together * (1 + named) * weight, first, best, isWhole });
    }
    first += page.sections.length;
  }
  const top = Math.max(...ranked.map(({ score }) => score));
  // The reference has a page for nearly every word: none of its pages ranks above the best guide that has all words.
  const guide = Math.max(...ranked.map(({ score, isWhole }) => (isWhole ? score : 0)));
  const place = ({ page, score }: RankedPage) =>
    guide > 0 && weightOf(page.path) < 1 ? Math.min(score, guide) : score;
  return ranked
    .filter(({ score }) => score >= top * minScoreShare)
    .toSorted((a, b) => place(b) - place(a) || Number(b.isWhole) - Number(a.isWhole) || b.score - a.score);
}

/**
 * Returns how much of a page's title is in the query, from 0 to 1: `timeout` asks for the page `Timeouts`. A part of a
 * title counts less than its share, so that the page `BrowserQL` ranks above pages about something in BrowserQL.
 */
function namedShare(title: readonly string[], first: number, found: readonly Map<number, Match>[]): number {
  const matched = new Set(found.flatMap((each) => each.get(first)?.shown ?? []).flatMap((match) => Object.keys(match)));
  return title.length === 0 ? 0 : (title.filter((term) => matched.has(term)).length / title.length) ** 2;
}

/** Returns at most two rows: the page, and the section of it that matches the query best. */
function rowsOf({ sections }: Index, { page, best, first }: RankedPage, found: readonly Map<number, Match>[]): Hit[] {
  const row = (id: number, isPage: boolean): Hit | undefined => {
    const matches = found.flatMap((each) => each.get(id) ?? []);
    const section = sections[id];
    if (section === undefined) return undefined;
    const shown = matches.flatMap((match) => match.shown);
    const inHeading = shown.some((match) => Object.values(match).some((named) => named.includes('heading')));
    return {
      url: section.id === '' || isPage ? page.path : `${page.path}#${section.id}`,
      title: page.title,
      heading: isPage ? '' : section.heading,
      trail: page.trail,
      content: isPage ? `${page.description} ${section.text}`.trim() : section.text,
      kind: isPage ? 'page' : inHeading ? 'heading' : 'content',
      terms: [...new Set(shown.flatMap((match) => Object.keys(match)))],
      covers: matches.filter(({ weight }) => weight >= shownFrom).length,
    };
  };
  const child = best > first ? row(best, false) : undefined;
  return [row(first, true), child].filter((each) => each !== undefined);
}
