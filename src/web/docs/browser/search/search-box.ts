/** Shows suggestions below a search field: a combobox whose last entry leads to all results. */
import type { Found, Hit } from '../../search/engine.ts';
import { addressOf } from '../../search/snippet.ts';
import { typedWords } from '../../search/terms.ts';
import { site } from '../../site/site.ts';
import { ask, resultsUrl } from './ask.ts';
import { clearHighlights } from './highlight.ts';
import { base, make } from '../shell/page-context.ts';
import { go } from '../shell/navigate.ts';
import { searchFor, warmSearch } from './search-client.ts';
import { iconElement } from './search-icons.ts';
import { startSearchPage } from './search-page.ts';
import { fillPassage, fillRow, keysLine } from './suggestion.ts';

const nothing = 'No results';

/** Turns a form into a combobox. The large form of the search page shows all results instead. */
export function startSearchBox(form: HTMLFormElement): void {
  const input = form.querySelector('input');
  if (input === null) return;
  if (form.classList.contains('large')) return startSearchPage(form, input);
  const clear = form.querySelector<HTMLButtonElement>('[data-clear]');
  const list = make('ul', { id: `${input.id}-list`, role: 'listbox', ariaLabel: 'Suggestions' });
  const none = make('p', { className: 'none' }, nothing);
  const offer = make('p', { className: 'offer' }, site.offer);
  const rows = make('div', {}, none, offer, list);
  const passage = make('div', { className: 'passage' });
  const askButton = make('button', { type: 'button' }, iconElement('ask'), 'Ask AI');
  const foot = make('div', { className: 'suggestions-foot' }, askButton, keysLine());
  const popup = make('div', { className: 'suggestions', hidden: true }, rows, passage, foot);
  const status = make('p', { className: 'hidden', role: 'status' });
  form.append(popup, status);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-expanded', 'false');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-autocomplete', 'list');
  form.dataset['state'] = 'ready';

  let requestId = 0;
  let selected = 0;
  let shown: readonly Hit[] = [];
  const entries = () => [...list.querySelectorAll<HTMLElement>('[role=option]')];
  const select = (index: number) => {
    const options = entries();
    if (options.length === 0) return;
    selected = (index + options.length) % options.length;
    for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === selected));
    const option = options[selected];
    if (option !== undefined) input.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
    fillPassage(passage, shown[selected]);
  };
  const close = () => {
    popup.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const open = (items: readonly HTMLLIElement[]) => {
    list.replaceChildren(...items);
    popup.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    select(0);
  };
  const follow = (href: string, event: MouseEvent | KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return void window.open(href, '_blank', 'noopener');
    close();
    input.blur();
    const url = new URL(href, location.href);
    if (url.pathname === `${base}/search`) location.assign(url);
    else void go(url);
  };

  const option = (index: number, href: string, text = ''): HTMLLIElement => {
    const item = make('li', { role: 'option', id: `${list.id}-${index}` }, text);
    item.dataset['href'] = href;
    item.addEventListener('pointermove', () => selected !== index && select(index));
    item.addEventListener('click', (event) => follow(href, event));
    return item;
  };
  const render = ({ hits, instead }: Found, query: string) => {
    const words = hits.length === 0 ? [] : typedWords(query);
    none.hidden = offer.hidden = hits.length > 0;
    shown = [...hits, ...instead];
    const items = shown.map((hit, index) => {
      const item = option(index, base + addressOf(hit.url, words));
      fillRow(item, hit, index > 0 && hits[index - 1]?.url.split('#')[0] === hit.url.split('#')[0]);
      return item;
    });
    if (hits.length === 0) {
      status.textContent = `${nothing}. ${instead.length} other pages are suggested`;
    } else {
      const all = option(hits.length, resultsUrl(query), 'See all results');
      all.className = 'all-results';
      items.push(all);
      status.textContent = `${hits.length} suggestions`;
    }
    open(items);
  };

  const update = async () => {
    const query = input.value.trim();
    if (clear !== null) clear.hidden = input.value === '';
    const mine = ++requestId;
    if (query === '') return close();
    try {
      const found = await searchFor(query, site.suggestions);
      if (mine === requestId) render(found, query);
    } catch {
      if (mine !== requestId) return;
      none.hidden = offer.hidden = true;
      shown = [];
      open([option(0, resultsUrl(query), 'Search could not be loaded. Search on the server')]);
    }
  };

  input.addEventListener('input', () => void update());
  input.addEventListener('focus', () => void update());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    else if (popup.hidden) return;
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      select(selected + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      const href = entries()[selected]?.dataset['href'];
      if (href === undefined) return;
      event.preventDefault();
      follow(href, event);
    }
  });
  askButton.addEventListener('click', () => {
    ask(input, input.value.trim());
    close();
  });
  clear?.addEventListener('click', () => {
    input.value = '';
    clearHighlights();
    void update();
    input.focus();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  // The field keeps the focus while rows are clicked; the Ask button works like any other button.
  rows.addEventListener('pointerdown', (event) => event.preventDefault());
  void warmSearch().catch(() => undefined);
  if (input.value !== '' && document.activeElement === input) void update();
}
