/** Describes what a credential adds to a sample, and puts it in. */
import { sampleToken } from '../site/site.ts';
import type { CredentialForm, Quote } from './quote.ts';

/** Text that a sample has only with a credential. */
export interface Insertion {
  /** Offset in the sample without credential. */
  at: number;
  /** Holds `sampleToken` in place of the token. */
  text: string;
  /** The forms of the credential with which it is there. */
  forms: readonly CredentialForm[];
  quote: Quote;
}

/** A sample without credential, and what one adds. */
export interface Sample {
  code: string;
  /** In the order of their offsets. */
  insertions: readonly Insertion[];
  /** The sample is about the token itself, and has no sense without one. */
  isAboutToken: boolean;
}

export const bothForms = ['header', 'query'] as const;

/** A part of a sample. */
export interface Segment {
  text: string;
  /** Undefined for text that is always there. */
  insertion?: Insertion;
}

/** The sample in parts, in their order. */
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
 * The text of a sample for one form of the credential.
 * @param write the token in its place; by default the name that samples use
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
