/**
 * Renders the text of a sample: highlighted, with markers on the parts that the page replaces (origins, the token, the
 * opened page) and on the parts that exist only with a credential. The attribute `data-credential` of the root element
 * selects the form to show, so that the server and the first script decide before anything is painted.
 */
import type { ReactNode } from 'react';
import { type Insertion, type Sample, type Segment, segmentsOf } from '../samples/insertions.ts';
import { quoteOf } from '../samples/quote.ts';
import { demoSiteUrl } from '../samples/target.ts';
import type { CodeToken, Highlight } from '../site/model.ts';
import { sampleOrigin, sampleSocketOrigin, sampleToken } from '../site/site.ts';

const kinds: Readonly<Record<string, string>> = {
  [sampleOrigin]: 'origin',
  [sampleSocketOrigin]: 'socket',
  [sampleToken]: 'token',
  [demoSiteUrl]: 'target',
};
const marked = new RegExp(`(${Object.keys(kinds).join('|')})`);

/** Marks the replaceable parts of the text. `quote` specifies how a token is quoted there. */
export function Substituted({ text, quote }: { text: string; quote?: string | undefined }): ReactNode {
  const parts = text.split(marked);
  if (parts.length === 1) return text;
  return parts.map((part, index) => {
    const kind = kinds[part];
    if (kind === undefined) return part;
    return (
      <span key={index} data-sub={kind} data-quote={kind === 'token' ? quote : undefined}>
        {part}
      </span>
    );
  });
}

/** A part of a line in one color. */
interface Piece extends CodeToken {
  insertion: Insertion | undefined;
}

/** A displayed line of the sample. */
export interface SampleLine {
  pieces: Piece[];
  /** Line number in the sample without a credential. */
  number: number;
}

/** Returns the highlighted lines of a sample, with those of every credential form. */
export function linesOf(sample: Sample, language: string, highlight: Highlight): SampleLine[] {
  const segments = segmentsOf(sample);
  const isInHeader = ({ insertion }: Segment) => insertion === undefined || insertion.forms.includes('header');
  const highlightReader = new HighlightReader(
    highlight(
      segments
        .filter(isInHeader)
        .map(({ text }) => text)
        .join(''),
      language,
    ),
  );
  const lines: SampleLine[] = [{ pieces: [], number: 1 }];
  for (const segment of segments) {
    const { text, insertion } = segment;
    // Text that only the other form contains was not highlighted: it gets the color of the text around it.
    const tokens = isInHeader(segment) ? highlightReader.take(text.length) : [{ text, kind: highlightReader.last }];
    for (const { text: run, kind } of tokens) {
      for (const part of run.split(/(?<=\n)/)) {
        const line = lines.at(-1);
        if (line === undefined) continue;
        line.pieces.push({ text: part, kind, insertion });
        if (part.endsWith('\n')) lines.push({ pieces: [], number: line.number + (insertion === undefined ? 1 : 0) });
      }
    }
  }
  return lines;
}

/** Reads highlighted lines as one string, token by token. */
class HighlightReader {
  readonly #tokens: CodeToken[];
  /** Color of the last token that was read. */
  last = '';

  constructor(lines: readonly CodeToken[][]) {
    this.#tokens = lines.flatMap((tokens, index) => [
      ...tokens.map((token) => ({ ...token })),
      ...(index < lines.length - 1 ? [{ text: '\n', kind: '' }] : []),
    ]);
  }

  take(length: number): CodeToken[] {
    const taken: CodeToken[] = [];
    let left = length;
    while (left > 0) {
      const [next] = this.#tokens;
      if (next === undefined) return taken;
      const text = next.text.slice(0, left);
      taken.push({ text, kind: next.kind });
      left -= text.length;
      next.text = next.text.slice(text.length);
      if (next.text === '') this.#tokens.shift();
      this.last = next.kind;
    }
    return taken;
  }
}

/** Renders a part of a line in its color. */
export function LinePiece({ piece, language }: { piece: Piece; language: string }): ReactNode {
  const { text, kind, insertion } = piece;
  const content = <Substituted text={text} quote={insertion?.quote ?? quoteOf(language)} />;
  if (kind === '' && insertion === undefined) return content;
  return (
    <span className={kind === '' ? undefined : `tk-${kind}`} data-cred={insertion?.forms.join(' ')}>
      {content}
    </span>
  );
}
