/** Filters /open-api to operations (and groups) whose path or text contains every typed word, and also field lists. */
import { fieldBox, filterFields } from './field-filter.ts';
import { all, elementOf } from '../shell/page-context.ts';

const box = '[data-filter-operations]';

function filterOperations(input: HTMLInputElement): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const operations = all('[data-operation]');
  for (const operation of operations) {
    const told = all(':scope > .operation-head > p', operation).map(({ textContent }) => textContent);
    const text = `${operation.dataset['operation']} ${told.join(' ')}`.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of all('[data-operations]')) {
    group.hidden = group.querySelector('[data-operation]:not([hidden])') === null;
  }
  const shown = operations.filter(({ hidden }) => !hidden).length;
  const output = input.form?.querySelector('output');
  if (output)
    output.textContent = shown === 0 ? 'No matching operations' : `${shown} of ${operations.length} operations`;
}

/** Filters as the reader types; Escape clears a filter, and so does a link to something that it hides. */
export function startFilters(): void {
  const boxOf = (event: Event) =>
    event.target instanceof HTMLInputElement && event.target.matches(`${box}, ${fieldBox}`) ? event.target : undefined;
  const filter = (input: HTMLInputElement) => (input.matches(box) ? filterOperations(input) : filterFields(input));
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
    if (event.target instanceof Element && event.target.querySelector(box) !== null) event.preventDefault();
  });
  // A link to a hidden element shows it again, in the capture phase, before any other listener follows the link.
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href*="#"]') : null;
      if (link === null) return;
      const target = elementOf(link.hash);
      if (target?.closest('[hidden]') === null) return;
      for (const input of all<HTMLInputElement>(`${box}, ${fieldBox}`)) if (input.value !== '') clear(input);
    },
    true,
  );
}
