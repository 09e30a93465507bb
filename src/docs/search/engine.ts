/** Searches page sections with MiniSearch, exact before prefix before fuzzy; in the worker and on the server. */
import MiniSearch, { type Options, type Query, type SearchResult } from 'minisearch';
import { processTerm, queryTerms, tokenize } from './terms.ts';

/** A section of a page. */
export interface SearchRecord {
  id: number;
  /** Path with its hash. */
  url: string;
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
  url: string;
  title: string;
  heading: string;
  trail: string;
  content: string;
  kind: HitKind;
  /** Index terms that matched, to mark them in the text. */
  terms: string[];
}

const options: Options<SearchRecord> = {
  fields: ['title', 'heading', 'description', 'keywords', 'content'],
  storeFields: ['url', 'title', 'heading', 'content', 'trail'],
  tokenize,
  processTerm,
};

const boost = { title: 6, heading: 3, description: 2, keywords: 2, content: 1 };
const enough = 3;
const fuzzyFrom = 5;

export function buildIndex(records: readonly SearchRecord[]): string {
  const index = new MiniSearch(options);
  index.addAll(records);
  return JSON.stringify(index);
}

export type Index = MiniSearch<SearchRecord>;

export function loadIndex(json: string): Index {
  return MiniSearch.loadJSON(json, options);
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
const boostDocument = (_id: unknown, _term: string, stored?: Record<string, unknown>): number =>
  String(stored?.['url']).startsWith('/baas/v1/') ? 0.3 : String(stored?.['url']).startsWith('/bql-schema/') ? 0.5 : 1;

/** Returns hits, best first; all hits of a page follow its best one directly. */
export function search(index: Index, query: string, limit: number): Hit[] {
  if (queryTerms(query).all.length === 0) return [];
  const found = new Map<unknown, SearchResult>();
  for (const step of plan(query)) {
    for (const result of index.search(step, { boost, boostDocument, tokenize: (text) => [text] })) {
      if (!found.has(result.id)) found.set(result.id, result);
    }
    if (found.size >= enough) break;
  }
  const hits = [...found.values()].slice(0, limit).map(hitOf);
  return grouped(hits);
}

function hitOf(result: SearchResult): Hit {
  const text = (name: string): string => (typeof result[name] === 'string' ? result[name] : '');
  const [heading, content] = [text('heading'), text('content')];
  const fields = new Set(Object.values(result.match).flat());
  const kind: HitKind = heading === '' && fields.has('title') ? 'page' : fields.has('heading') ? 'heading' : 'content';
  return { url: text('url'), title: text('title'), heading, trail: text('trail'), content, kind, terms: result.terms };
}

function grouped(hits: readonly Hit[]): Hit[] {
  const byPage = Map.groupBy(hits, ({ url }) => url.split('#')[0]);
  return [...byPage.values()].flat();
}
