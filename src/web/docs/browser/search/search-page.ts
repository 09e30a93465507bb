/** Shows results on the search page while the reader types, and updates the URL without new history entries. */
import { addressOf, describeCount, headingOf, snippet, trailOf } from '../../search/snippet.ts';
import { typedWords } from '../../search/terms.ts';
import { site } from '../../site/site.ts';
import { marked } from './suggestion.ts';
import { base, make } from '../shell/page-context.ts';
import { searchFor } from './search-client.ts';

export function startSearchPage(form: HTMLFormElement, input: HTMLInputElement): void {
  const results = document.querySelector<HTMLElement>('#search-results');
  const heading = document.querySelector('h1');
  if (results === null || heading === null) return;
  let requestId = 0;
  form.dataset['state'] = 'ready';
  const update = async () => {
    const query = input.value.trim();
    const mine = ++requestId;
    const title = query === '' ? 'Search the documentation' : `Search results for “${query}”`;
    heading.textContent = title;
    document.title = `${title} | ${site.name}`;
    const url = new URL(location.href);
    url.search = query === '' ? '' : `?q=${encodeURIComponent(query)}`;
    history.replaceState(history.state, '', url);
    if (query === '') return results.replaceChildren();
    const found = await searchFor(query, site.resultLimit).catch(() => undefined);
    if (mine !== requestId || found === undefined) return;
    const { hits, instead } = found;
    const words = typedWords(query);
    results.replaceChildren(make('p', {}, describeCount(hits)));
    if (instead.length > 0) results.append(make('p', {}, site.offer));
    for (const hit of [...hits, ...instead]) {
      const href = base + addressOf(hit.url, hits.length === 0 ? [] : words);
      const block = make(
        'section',
        { className: 'result' },
        make('h2', {}, make('a', { href }, ...marked(headingOf(hit)))),
        make('p', { className: 'hit-trail' }, trailOf(hit)),
        make('p', {}, ...marked(snippet(hit.content, hit.terms, site.pageSnippetCharacters))),
      );
      block.dataset['kind'] = hit.kind;
      results.append(block);
    }
  };
  input.addEventListener('input', () => void update());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void update();
  });
  // The reader may have typed while this script was loading.
  if (input.value !== input.defaultValue) void update();
}
