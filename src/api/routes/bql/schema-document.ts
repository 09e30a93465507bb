/** `GET /bql/schema.graphql`: serves the BrowserQL schema document, for editors and client generators. */
import { directRoute } from '../pipeline/route.ts';

export const schemaDocument = directRoute('manage', 'GET /bql/schema.graphql', {
  summary: 'The BrowserQL schema',
  description:
    'The language as a GraphQL schema document (SDL), with a description of every field, argument, type, and value.',
  auth: 'open',
  answers: ['text/plain'],
  async handle() {
    const { loadLanguage } = await import('../../bql/language/schema.ts');
    const { text } = await loadLanguage();
    return new Response(text, { headers: { 'Content-Type': 'text/plain; charset=UTF-8' } });
  },
});
