/** Renders the parts of the suggestions: rows, the passage of the selected row, and the key hints at the bottom. */
import type { Hit } from '../../search/engine.ts';
import { headingOf, snippet, type SnippetPart, trailOf } from '../../search/snippet.ts';
import { site } from '../../site/site.ts';
import { make } from '../shell/page-context.ts';
import { iconElement } from './search-icons.ts';

/** Length of the passage next to the rows, in characters. */
const passageCharacters = 420;

/** The nodes of a text, with the search terms highlighted. @param properties those of the highlights */
export const marked = (parts: readonly SnippetPart[], properties: Partial<HTMLElement> = {}): (Node | string)[] =>
  parts.map((part) => (part.marked ? make('mark', properties, part.text) : part.text));

const line = (className: string, ...content: (Node | string)[]): HTMLElement => make('span', { className }, ...content);

/** @param isChild whether the row above belongs to the same page */
export function fillRow(row: HTMLElement, hit: Hit, isChild: boolean): void {
  row.className = isChild ? 'hit child' : 'hit';
  row.dataset['kind'] = hit.kind;
  row.append(
    iconElement(hit.kind),
    line('hit-title', ...marked(headingOf(hit))),
    line('hit-text', ...marked(snippet(hit.content, hit.terms, site.snippetCharacters))),
    line('hit-trail', trailOf(hit)),
  );
}

/** Shows the page's text around the match, so that many readers need not open the page. */
export function fillPassage(box: HTMLElement, hit: Hit | undefined): void {
  box.replaceChildren();
  if (hit === undefined) return;
  box.append(
    line('hit-trail', trailOf(hit)),
    line('passage-title', ...marked(headingOf(hit))),
    line('passage-text', ...marked(snippet(hit.content, hit.terms, passageCharacters))),
  );
}

/** Returns the visible key hints for the list; screen readers know the keys from its roles. */
export function keysLine(): HTMLElement {
  const key = (name: string) => make('kbd', {}, name);
  const keys = [key('↑'), key('↓'), 'move', key('↵'), 'open', key('Esc'), 'close'];
  return make('span', { className: 'keys', ariaHidden: 'true' }, ...keys);
}
