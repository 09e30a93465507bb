/** Searches page sections with MiniSearch, exact before prefix before fuzzy; in the worker and on the server. */
import MiniSearch, { type Options, type Query, type SearchResult } from 'minisearch';
import { pack, type PackedIndex, type PackedPage, unpack } from './packed-index.ts';
import { processTerm, queryTerms, tokenize } from './terms.ts';

/** A section of a page. */
export interface SearchRecord {
  path: string;
  /** Id of the heading; empty for the beginning of a page. */
  fragment: string;
  /** Title of the page. */
  title: string;
  /** Empty for the beginning of a page. */
  heading: string;
  description: string;
  keywords: string;
  content: string;
  /** Labels of the guide and the groups above the page, joined. */
  trail: string;
}

type HitKind = 'page' | 'heading' | 'content';

export interface Hit {
  /** Path with its hash. */
  url: string;
  title: string;
  heading: string;
  trail: string;
  content: string;
  kind: HitKind;
  /** Index terms that matched, to mark them in the text. */
  terms: string[];
}

/** What hits show. */
type Section = Pick<Hit, 'url' | 'title' | 'heading' | 'trail' | 'content'>;

export interface Index {
  terms: MiniSearch<SearchRecord & { id: number }>;
  /** By the ids of the terms. */
  sections: readonly Section[];
}

const fields = ['title', 'heading', 'description', 'keywords', 'content'];
const options: Options<SearchRecord & { id: number }> = { fields, tokenize, processTerm };

const boost = { title: 6, heading: 3, description: 2, keywords: 2, content: 1 };
const enough = 3;
const fuzzyFrom = 5;

/** @param records those of a page follow one another */
export function buildIndex(records: readonly SearchRecord[]): string {
  const index = new MiniSearch(options);
  index.addAll(records.map((record, id) => ({ id, ...record })));
  const pages: PackedPage[] = [];
  for (const { path, title, trail, fragment, heading, content } of records) {
    const last = pages.at(-1);
    if (last?.path === path) last.sections.push([fragment, heading, content]);
    else pages.push({ path, title, trail, sections: [[fragment, heading, content]] });
  }
  return JSON.stringify(pack(index.toJSON(), pages));
}

export function loadIndex(json: string): Index {
  const packed: PackedIndex = JSON.parse(json);
  const sections = packed.pages.flatMap(({ path, title, trail, sections: ofPage }) =>
    ofPage.map(([fragment, heading, content]) => {
      return { url: fragment === '' ? path : `${path}#${fragment}`, title, heading, trail, content };
    }),
  );
  return { terms: MiniSearch.loadJSON(unpack(packed, fields), options), sections };
}

/** The queries to try in turn: all terms; the last as a prefix; without stop words; without one term; with typos. */
function plan(query: string): Query[] {
  const { all, telling } = queryTerms(query);
  const last = all.at(-1) ?? '';
  const prefixOf = (terms: readonly string[]) => (term: string) => term === terms.at(-1) && term.length > 1;
  const every = (terms: readonly string[]) => ({ queries: [...terms], combineWith: 'AND' as const });
  const plans: Query[] = [every(all), { ...every(all), prefix: prefixOf(all) }];
  if (telling.length < all.length) plans.push({ ...every(telling), prefix: prefixOf(telling) });
  if (telling.length > 2) {
    plans.push(...telling.map((_, left) => every(telling.toSpliced(left, 1))));
  }
  plans.push({ ...every(telling), prefix: (term) => term === last && term.length > 1, fuzzy });
  return plans;
}

const fuzzy = (term: string): number | false => (term.length >= fuzzyFrom ? 0.25 : false);

/** Ranks reference pages behind guides, and old versions last. */
const weightOf = (url = ''): number => (url.startsWith('/baas/v1/') ? 0.3 : url.startsWith('/bql-schema/') ? 0.5 : 1);

/** Returns hits, best first; all hits of a page follow its best one directly. */
export function search({ terms, sections }: Index, query: string, limit: number): Hit[] {
  if (queryTerms(query).all.length === 0) return [];
  const boostDocument = (id: number): number => weightOf(sections[id]?.url);
  const found = new Map<number, SearchResult>();
  for (const step of plan(query)) {
    for (const result of terms.search(step, { boost, boostDocument, tokenize: (text) => [text] })) {
      if (!found.has(result.id)) found.set(result.id, result);
    }
    if (found.size >= enough) break;
  }
  const hits = [...found].slice(0, limit).flatMap(([id, result]) => {
    const section = sections[id];
    return section === undefined ? [] : [{ ...section, kind: kindOf(section, result), terms: result.terms }];
  });
  return grouped(hits);
}

function kindOf({ heading }: Section, { match }: SearchResult): HitKind {
  const matched = new Set(Object.values(match).flat());
  return heading === '' && matched.has('title') ? 'page' : matched.has('heading') ? 'heading' : 'content';
}

function grouped(hits: readonly Hit[]): Hit[] {
  const byPage = Map.groupBy(hits, ({ url }) => url.split('#')[0]);
  return [...byPage.values()].flat();
}
