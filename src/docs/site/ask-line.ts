/** Defines the lines of JSON in which an answer of Ask AI comes. */

export interface AskSource {
  url: string;
  title: string;
  heading: string;
}

/** The pages that the model was given, a piece of its text, why the answer ends without more of it, or its end. */
export type AskLine =
  | { kind: 'sources'; sources: AskSource[] }
  | { kind: 'text'; text: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'end' };
