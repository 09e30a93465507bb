/** Defines the text that a credential adds to a sample, and inserts it. */
import { sampleToken } from '../site/site.ts';
import type { CredentialForm, Quote } from './quote.ts';

/** Text that a sample contains only when it is shown with a credential. */
export interface Insertion {
  /** Offset in the sample without a credential. */
  at: number;
  /** Contains `sampleToken` in place of the token. */
  text: string;
  /** The credential forms that need it. */
  forms: readonly CredentialForm[];
  quote: Quote;
}

/** A sample without a credential, and the insertions for one. */
export interface Sample {
  code: string;
  /** Sorted by offset. */
  insertions: readonly Insertion[];
  /** The sample is about the token itself, and makes no sense without one. */
  isAboutToken: boolean;
}

export const bothForms = ['header', 'query'] as const;

/** A part of a sample. */
export interface Segment {
  text: string;
  /** Undefined for text that is always present. */
  insertion?: Insertion;
}

/** Splits a sample into its parts, in order. */
export function segmentsOf({ code, insertions }: Sample): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const insertion of insertions) {
    if (insertion.at > from) segments.push({ text: code.slice(from, insertion.at) });
    segments.push({ text: insertion.text, insertion });
    from = insertion.at;
  }
  if (from < code.length) segments.push({ text: code.slice(from) });
  return segments;
}

/**
 * Returns the text of a sample for one form of the credential.
 * @param write returns the token, quoted for its position; by default the placeholder that samples use
 */
export function textWith(
  sample: Sample,
  form: CredentialForm | undefined,
  write: (quote: Quote) => string = () => sampleToken,
): string {
  return segmentsOf(sample)
    .filter(({ insertion }) => insertion === undefined || (form !== undefined && insertion.forms.includes(form)))
    .map(({ text, insertion }) =>
      insertion === undefined ? text : text.replaceAll(sampleToken, () => write(insertion.quote)),
    )
    .join('');
}
