/** Writes the text of a search result, with the search terms highlighted. */
import type { SnippetPart } from '../../search/snippet.ts';

export function appendParts(element: HTMLElement, parts: readonly SnippetPart[]): void {
  for (const { text, marked } of parts) {
    if (!marked) element.append(text);
    else {
      const mark = document.createElement('mark');
      mark.textContent = text;
      element.append(mark);
    }
  }
}
