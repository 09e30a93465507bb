/** Filters /open-api: shows operations whose path or text contains every typed word, and their groups. */
import { all } from '../shell/page-context.ts';

const box = '[data-filter-operations]';

function filterOperations(input: HTMLInputElement): void {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const operations = all('[data-operation]');
  for (const operation of operations) {
    const told = all(':scope > p', operation).map(({ textContent }) => textContent);
    const text = `${operation.dataset['operation']} ${told.join(' ')}`.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of all('[data-operations]')) {
    group.hidden = group.querySelector('[data-operation]:not([hidden])') === null;
  }
  const shown = operations.filter(({ hidden }) => !hidden).length;
  const output = input.form?.querySelector('output');
  if (output) output.textContent = shown === 0 ? 'No operation matches' : `${shown} of ${operations.length} operations`;
}

export function startOperationFilter(): void {
  const boxOf = (event: Event) =>
    event.target instanceof HTMLInputElement && event.target.matches(box) ? event.target : undefined;
  const clear = (input: HTMLInputElement) => {
    input.value = '';
    filterOperations(input);
  };
  document.addEventListener('input', (event) => {
    const input = boxOf(event);
    if (input !== undefined) filterOperations(input);
  });
  document.addEventListener('keydown', (event) => {
    const input = boxOf(event);
    if (input !== undefined && event.key === 'Escape') clear(input);
  });
  document.addEventListener('submit', (event) => {
    if (event.target instanceof Element && event.target.querySelector(box) !== null) event.preventDefault();
  });
  // A link to a hidden operation shows it again, in the capture phase: before any other listener follows the link.
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href*="#"]') : null;
      const input = document.querySelector<HTMLInputElement>(box);
      if (link === null || input === null) return;
      const target = document.getElementById(link.hash.slice(1));
      if (target?.closest('[hidden]')?.matches('[data-operation], [data-operations]')) clear(input);
    },
    true,
  );
}
