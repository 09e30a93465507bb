/** Filters lists of fields: shows the fields whose name, type or description contains every typed word. */
import { all } from '../shell/page-context.ts';

export const fieldBox = '[data-filter-fields]';
const item = '.field, .entry';

/** Returns the text of a field, without its nested fields. */
function wordsOf(field: Element): string {
  if (field.matches('.entry')) return (field.textContent ?? '').toLowerCase();
  return all(':scope > dt, :scope > dd > p', field)
    .map(({ textContent }) => textContent)
    .join(' ')
    .toLowerCase();
}

export function filterFields(input: HTMLInputElement): void {
  const ofPage = input.dataset['ofPage'] !== undefined;
  const scope = input.closest(ofPage ? '.prose' : '[data-fields]');
  if (scope === null) return;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fields = all(item, scope);
  const hits = fields.filter((field) => words.every((word) => wordsOf(field).includes(word)));
  const within = (element: Element) => hits.some((hit) => element.contains(hit));
  const inHit = (field: Element) => hits.some((hit) => hit.contains(field));
  const filtering = words.length > 0;
  for (const field of fields) field.hidden = filtering && !within(field) && !inHit(field);
  for (const group of all('.entry-group', scope)) group.hidden = filtering && !within(group);
  openHits(scope, filtering, within);
  if (ofPage) hideSections(input, filtering, within);
  const noun = input.dataset['filterFields'] ?? 'field';
  const output = input.parentElement?.querySelector('output');
  if (!output) return;
  const total = `${fields.length} ${noun}${fields.length === 1 ? '' : 's'}`;
  output.textContent = !filtering ? total : hits.length === 0 ? `No matching ${noun}s` : `${hits.length} of ${total}`;
}

/** Opens details that contain a hit, and closes them again when the filter is empty. */
function openHits(scope: Element, filtering: boolean, within: (element: Element) => boolean): void {
  for (const details of all<HTMLDetailsElement>('details', scope)) {
    const holds = filtering && [...details.children].some(within);
    if (details.matches('.common')) details.hidden = filtering && !holds;
    if (holds && !details.open) {
      details.open = true;
      details.dataset['openedBy'] = 'filter';
    } else if (!holds && details.dataset['openedBy'] === 'filter') {
      details.open = false;
      delete details.dataset['openedBy'];
    }
  }
}

/** Hides the sections below the filter that have no hit. */
function hideSections(input: HTMLInputElement, filtering: boolean, within: (element: Element) => boolean): void {
  let section: HTMLElement[] = [];
  const close = () => {
    const hidden = filtering && !section.some(within);
    for (const element of section) element.hidden = hidden;
  };
  for (let next = input.parentElement?.nextElementSibling; next; next = next.nextElementSibling) {
    if (!(next instanceof HTMLElement)) continue;
    if (next.tagName === 'H2') {
      close();
      section = [];
    }
    section.push(next);
  }
  close();
}
