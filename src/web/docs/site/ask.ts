/** Defines the example questions of Ask AI, and the JSON lines of its streamed answers. */

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

/** A line of an answer: the pages that the model received, a chunk of its text, why the answer failed, or its end. */
export type AskLine =
  | { kind: 'sources'; sources: AskSource[] }
  | { kind: 'text'; text: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'end' };
