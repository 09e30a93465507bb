/** Renders the parts of the suggestions: rows, the passage of the selected row, and the key hints at the bottom. */
import type { Hit } from '../../search/engine.ts';
import { markTerms, snippet, type SnippetPart } from '../../search/snippet.ts';
import { site } from '../../site/site.ts';
import { appendParts } from './marked-text.ts';
import { iconElement } from './search-icons.ts';

/** Length of the passage next to the rows, in characters. */
const passageCharacters = 420;

const trailOf = ({ trail, title }: Hit): string => [trail, title].filter((part) => part !== '').join(' › ');

function line(className: string, parts: readonly SnippetPart[]): HTMLElement {
  const element = document.createElement('span');
  element.className = className;
  appendParts(element, parts);
  return element;
}

const plain = (text: string): SnippetPart[] => [{ text, marked: false }];
const headingOf = ({ heading, title, terms }: Hit): SnippetPart[] => markTerms(heading === '' ? title : heading, terms);

/** @param isChild whether the row above belongs to the same page */
export function fillRow(row: HTMLElement, hit: Hit, isChild: boolean): void {
  row.className = isChild ? 'hit child' : 'hit';
  row.dataset['kind'] = hit.kind;
  row.append(
    iconElement(hit.kind),
    line('hit-title', headingOf(hit)),
    line('hit-text', snippet(hit.content, hit.terms, site.snippetCharacters)),
    line('hit-trail', plain(trailOf(hit))),
  );
}

/** Shows the page's text around the match, so that many readers need not open the page. */
export function fillPassage(box: HTMLElement, hit: Hit | undefined): void {
  box.replaceChildren();
  if (hit === undefined) return;
  box.append(
    line('hit-trail', plain(trailOf(hit))),
    line('passage-title', headingOf(hit)),
    line('passage-text', snippet(hit.content, hit.terms, passageCharacters)),
  );
}

/** Returns the visible key hints for the list; screen readers know the keys from its roles. */
export function keysLine(): HTMLElement {
  const keys = document.createElement('span');
  keys.className = 'keys';
  keys.setAttribute('aria-hidden', 'true');
  for (const [names, does] of [
    ['↑ ↓', 'move'],
    ['↵', 'open'],
    ['Esc', 'close'],
  ] as const) {
    for (const name of names.split(' ')) {
      const key = document.createElement('kbd');
      key.textContent = name;
      keys.append(key);
    }
    keys.append(does);
  }
  return keys;
}
