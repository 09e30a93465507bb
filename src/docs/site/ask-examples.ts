/** Questions that the Ask AI dialog offers. */
export const askExamples = [
  'How do I get started?',
  'What is BrowserQL?',
  'Which API endpoints are there?',
  'How does authentication with a token work?',
  'How do I use a proxy?',
  'What are the rate limits and queues?',
] as const;
