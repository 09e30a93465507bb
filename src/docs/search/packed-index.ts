/**
 * Writes the search index in few bytes and reads it: each page once with its sections, terms and numbers in columns, of
 * which the numbers are characters. What is read is what MiniSearch has written, in the same order.
 */
import type { AsPlainObject } from 'minisearch';

/** What hits show of a page. */
export interface PackedPage {
  path: string;
  title: string;
  trail: string;
  /** Id, heading and text. Their positions among the sections of all pages are the ids of the index. */
  sections: [id: string, heading: string, text: string][];
}

/** For one field, the terms one after the other. */
interface Postings {
  /** In how many sections each term stands. */
  counts: string;
  /** Which ones: distances from one to the next, anew for each term. */
  steps: string;
  /** How often it stands in each. */
  times: string;
  /** How many terms each section has. */
  lengths: string;
}

export interface PackedIndex {
  pages: PackedPage[];
  averages: number[];
  /** Joined by spaces. */
  terms: string;
  /** In the order of the fields. */
  postings: Postings[];
}

/** The numbers of a column begin with the character behind the quotation mark, which JSON would escape. */
const first = 35;
/** Surrogates begin here. */
const end = 0xd8_00;

function column(numbers: readonly number[]): string {
  return numbers
    .map((number) => {
      if (number < 0 || number + first >= end)
        throw new RangeError(`The search index cannot hold the number ${number}`);
      return String.fromCharCode(number + first);
    })
    .join('');
}

const numberAt = (text: string, at: number): number => text.charCodeAt(at) - first;

/** @param index of sections whose ids count from 0, without stored fields and removed sections */
export function pack({ index, fieldLength, averageFieldLength }: AsPlainObject, pages: PackedPage[]): PackedIndex {
  const lengths = Object.values(fieldLength);
  const postings = averageFieldLength.map((_, field): Postings => {
    const [counts, steps, times]: [number[], number[], number[]] = [[], [], []];
    for (const [, byField] of index) {
      const found = Object.entries(byField[field] ?? {});
      counts.push(found.length);
      let before = 0;
      for (const [section, often] of found) {
        steps.push(Number(section) - before);
        times.push(often);
        before = Number(section);
      }
    }
    return {
      counts: column(counts),
      steps: column(steps),
      times: column(times),
      lengths: column(lengths.map((ofSection) => ofSection[field] ?? 0)),
    };
  });
  return { pages, averages: averageFieldLength, terms: index.map(([term]) => term).join(' '), postings };
}

/**
 * Returns the JSON that MiniSearch reads. It is written as text: to parse it takes a third of the time that objects with
 * so many numbers for keys take.
 */
export function unpack({ averages, terms, postings }: PackedIndex, fields: readonly string[]): string {
  const at = postings.map(() => 0);
  const index = terms.split(' ').map((term, position) => {
    const byField = postings.flatMap(({ counts, steps, times }, field) => {
      const found: string[] = [];
      const from = at[field] ?? 0;
      const until = from + numberAt(counts, position);
      at[field] = until;
      for (let step = from, section = 0; step < until; step++) {
        section += numberAt(steps, step);
        found.push(`"${section}":${numberAt(times, step)}`);
      }
      return found.length === 0 ? [] : [`"${field}":{${found.join()}}`];
    });
    return `[${JSON.stringify(term)},{${byField.join()}}]`;
  });
  const sections = Array.from(postings[0]?.lengths ?? '', (_, id) => id);
  const rest: Omit<AsPlainObject, 'index'> = {
    documentCount: sections.length,
    nextId: sections.length,
    documentIds: Object.fromEntries(sections.map((id) => [id, id])),
    fieldIds: Object.fromEntries(fields.map((name, id) => [name, id])),
    fieldLength: Object.fromEntries(sections.map((id) => [id, postings.map(({ lengths }) => numberAt(lengths, id))])),
    averageFieldLength: averages,
    storedFields: {},
    dirtCount: 0,
    serializationVersion: 2,
  };
  return `{"index":[${index.join()}],${JSON.stringify(rest).slice(1)}`;
}
