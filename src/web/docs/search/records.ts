/** Chooses which parts of each page the search index contains. */
import type { PageRecord, SectionRecord } from './engine.ts';
import type { Page, Sidebar } from '../site/model.ts';
import { sidebarOf, trailOf } from '../site/sidebars.ts';
import { typedWords } from './terms.ts';
import { site, unlisted } from '../site/site.ts';

/** Headings of link lists to other pages, which say nothing about the page itself. */
const furtherReading = new Set(['Next', 'What to read']);

/** Pages about version 1 are found by their titles and first sentences, because they all have the same headings. */
const isOld = (path: string): boolean => path.startsWith('/baas/v1/');

export function searchRecords(pages: readonly Page[], sidebars: readonly Sidebar[]): PageRecord[] {
  return pages
    .filter(({ path }) => !unlisted(path) || isOld(path))
    .map((page) => {
      const { path, title, question, description, keywords } = page;
      const sidebar = sidebarOf(sidebars, path);
      const groups = sidebar === undefined ? [] : trailOf(sidebar.items, path).slice(0, -1);
      return {
        path,
        title,
        description,
        question: typedWords(question).join(' '),
        keywords,
        trail: [sidebar?.label ?? site.name, ...groups.map(({ label }) => label)].join(' › '),
        sections: sectionsOf(page),
      };
    });
}

/**
 * Returns up to the given number of sentences from the start of the text. A sentence ends with a period, question mark
 * or exclamation mark.
 */
export const firstSentences = (text: string, max: number): string =>
  text
    .split(/(?<=[.!?])\s+/)
    .slice(0, max)
    .join(' ');

function sectionsOf({ path, search, sections }: Page): SectionRecord[] {
  const wanted = sections.filter(({ heading }) => !furtherReading.has(heading));
  if (isOld(path)) return wanted.slice(0, 1).map(({ text }) => ['', '', firstSentences(text, 2), '']);
  if (search === 'headings') {
    return wanted.map(({ id, heading, text }) => [id, heading, firstSentences(text, 1), '']);
  }
  return wanted.map(({ id, heading, text, code }) => [id, heading, text, code]);
}
