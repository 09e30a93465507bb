/**
 * Renders the text of a sample: highlighted, with marks on what the page replaces (origins, the token, the page that is
 * opened) and on what is there only with a credential. The attribute `data-credential` of the root element shows one of
 * the forms, so that the server and the first script choose before anything is painted.
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

/** Marks what the page replaces in a text. `quote` tells how a token is written there. */
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

/** A part of a line in one colour. */
interface Piece extends CodeToken {
  insertion: Insertion | undefined;
}

/** A line of the sample as it is shown. */
export interface SampleLine {
  pieces: Piece[];
  /** Number of the line in the sample without credential. */
  number: number;
}

/** The lines of a sample in their colours, those of every form of the credential. */
export function linesOf(sample: Sample, language: string, highlight: Highlight): SampleLine[] {
  const segments = segmentsOf(sample);
  const isInHeader = ({ insertion }: Segment) => insertion === undefined || insertion.forms.includes('header');
  const colours = new Colours(
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
    // What only the other form has was not highlighted: it takes the colour of what it stands in.
    const tokens = isInHeader(segment) ? colours.take(text.length) : [{ text, kind: colours.last }];
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

/** Reads highlighted lines as one text, of which it gives parts. */
class Colours {
  readonly #tokens: CodeToken[];
  /** Colour of what was taken last. */
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

/** A part of a line, in its colour. */
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
