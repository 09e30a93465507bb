/**
 * Filters lists: the fields of a table or of a page, and the operations of a server. Shows the entries whose name,
 * type or description contains every typed word.
 */
import { all, elementOf } from '../shell/page-context.ts';

const box = '[data-filter-fields], [data-filter-operations]';

/** Returns the text of an entry, without its nested entries. */
function wordsOf(entry: HTMLElement): string {
  const parts = entry.matches('.entry') ? [entry] : all(':scope > dt, :scope > dd > p', entry);
  return [entry.dataset['operation'], ...parts.map(({ textContent }) => textContent)].join(' ').toLowerCase();
}

function filter(input: HTMLInputElement): void {
  const { filterFields: noun = 'operation', ofPage } = input.dataset;
  const ofOperations = input.matches('[data-filter-operations]');
  const scope = ofOperations ? document : input.closest(ofPage === undefined ? '[data-fields]' : '.prose');
  if (scope === null) return;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = all(ofOperations ? '[data-operation]' : '.field, .entry', scope);
  const hits = entries.filter((entry) => words.every((word) => wordsOf(entry).includes(word)));
  const within = (element: Element) => hits.some((hit) => element.contains(hit));
  const inHit = (entry: Element) => hits.some((hit) => hit.contains(entry));
  const filtering = words.length > 0;
  for (const entry of entries) entry.hidden = filtering && !within(entry) && !inHit(entry);
  for (const group of all('.entry-group, [data-operations]', scope)) group.hidden = filtering && !within(group);
  if (!ofOperations) openHits(scope, filtering, within);
  if (ofPage !== undefined) hideSections(input, filtering, within);
  const output = input.parentElement?.querySelector('output');
  if (!output) return;
  const total = `${entries.length} ${noun}${entries.length === 1 ? '' : 's'}`;
  output.textContent =
    !filtering && !ofOperations ? total : hits.length === 0 ? `No matching ${noun}s` : `${hits.length} of ${total}`;
}

/** Opens details that contain a hit, and closes them again when the filter is empty. */
function openHits(scope: ParentNode, filtering: boolean, within: (element: Element) => boolean): void {
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

/** Filters as the reader types; Escape clears a filter, and so does a link to something that it hides. */
export function startFilters(): void {
  const boxOf = ({ target }: Event) => (target instanceof HTMLInputElement && target.matches(box) ? target : undefined);
  const clear = (input: HTMLInputElement) => {
    input.value = '';
    filter(input);
  };
  document.addEventListener('input', (event) => {
    const input = boxOf(event);
    if (input !== undefined) filter(input);
  });
  document.addEventListener('keydown', (event) => {
    const input = boxOf(event);
    if (input !== undefined && event.key === 'Escape') clear(input);
  });
  document.addEventListener('submit', (event) => {
    if (event.target instanceof Element && event.target.querySelector('[data-filter-operations]') !== null)
      event.preventDefault();
  });
  // A link to a hidden element shows it again, in the capture phase, before any other listener follows the link.
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href*="#"]') : null;
      if (link === null) return;
      const target = elementOf(link.hash);
      if (target?.closest('[hidden]') === null) return;
      for (const input of all<HTMLInputElement>(box)) if (input.value !== '') clear(input);
    },
    true,
  );
}
