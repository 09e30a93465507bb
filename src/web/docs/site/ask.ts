/** Questions that Ask AI offers, and the lines of JSON in which an answer of it comes. */

export const askExamples = [
  'How do I get started?',
  'What is BrowserQL?',
  'Which API endpoints are there?',
  'How does authentication with a token work?',
  'How do I use a proxy?',
  'What are the rate limits and queues?',
] as const;

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
