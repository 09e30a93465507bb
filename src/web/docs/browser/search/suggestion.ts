/** Draws what the suggestions consist of: rows, the passage of the selected row, the keys at the foot. */
import type { Hit } from '../../search/engine.ts';
import { markTerms, snippet, type SnippetPart } from '../../search/snippet.ts';
import { site } from '../../site/site.ts';
import { appendParts } from './marked-text.ts';
import { iconElement } from './search-icons.ts';

/** Length of the passage beside the rows, in characters. */
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

/** @param isChild whether the row above is of the same page */
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

/** What the page says where the words were found, so that many readers need not open it. */
export function fillPassage(box: HTMLElement, hit: Hit | undefined): void {
  box.replaceChildren();
  if (hit === undefined) return;
  box.append(
    line('hit-trail', plain(trailOf(hit))),
    line('passage-title', headingOf(hit)),
    line('passage-text', snippet(hit.content, hit.terms, passageCharacters)),
  );
}

/** The keys that work in the list, for the eye: its roles tell them to those who hear the page. */
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
