// Reads samples from the built pages as the Copy button does for a reader of a given server.
// test/docs/credentials.test.ts compares the two in a browser.
import type { Element, ElementContent } from 'hast';
import { formOf, isQuote, quoteToken } from '../../../src/web/docs/samples/quote.ts';
import { sampleToken } from '../../../src/web/docs/site/site.ts';
import type { DocsManifest } from '../../../src/web/docs/serve/manifest.ts';
import { builtText, parsePage } from '../built-docs.ts';

/** The reader that a page is shown to. */
export interface Reader {
  /** Origin of the server, such as `http://127.0.0.1:3000`. */
  origin: string;
  /** The token that the reader has saved; undefined on a server that requires none. */
  token: string | undefined;
}

/** The code blocks of a page. */
export function figuresOf(docs: DocsManifest, path: string): Element[] {
  return parsePage(builtText(docs, path))
    .elements('figure')
    .filter(({ properties }) => properties['dataLanguage'] !== undefined);
}

/** The text that the Copy button copies. */
export function copiedText(figure: Element, reader: Reader): string {
  return elementsIn(figure, 'code')
    .map((code) => textOf(code, reader))
    .join('');
}

export function elementsIn(element: Element, name: string): Element[] {
  return element.children.flatMap((child) =>
    child.type === 'element' ? [...(child.tagName === name ? [child] : []), ...elementsIn(child, name)] : [],
  );
}

function textOf(node: ElementContent, reader: Reader): string {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return '';
  const { dataCred, dataSub, dataQuote } = node.properties;
  const { origin, token } = reader;
  if (typeof dataCred === 'string' && (token === undefined || !dataCred.split(' ').includes(formOf(token)))) return '';
  if (dataSub === 'origin') return origin;
  if (dataSub === 'socket') return origin.replace(/^http/, 'ws');
  if (dataSub === 'token' && typeof dataQuote === 'string' && isQuote(dataQuote))
    return quoteToken(token ?? sampleToken, dataQuote);
  return node.children.map((child) => textOf(child, reader)).join('');
}
