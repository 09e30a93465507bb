/** Generates the reference pages from the OpenAPI document and the BrowserQL schema. */
import { join } from 'node:path';
import type { PageMeta, RouteFact, SampleCount } from '../../web/docs/site/model.ts';
import { groupRoutes } from '../../web/docs/site/route-groups.ts';
import type { Reference, ReferencePage } from '../../web/docs/site/reference.ts';
import { schemaReference } from './schema.ts';

const noSamples: SampleCount = { executed: 0, checked: 0, never: 0 };

/** @param root the root directory of the repository */
export async function referencePages(root: string, routes: readonly RouteFact[]): Promise<Reference> {
  const page = (
    path: string,
    meta: Pick<PageMeta, 'title' | 'question' | 'description' | 'keywords'>,
    group?: string,
  ) => ({
    path,
    // The page has a list of its operations.
    meta: { path, ...meta, hideToc: true, noSample: '', samples: noSamples },
    content: { kind: 'open-api' as const, routes, group },
  });
  const all: ReferencePage = page('/open-api', {
    title: 'API reference',
    question: 'Which routes does this server have?',
    description: 'Every route of this server, and the fields that many of them share.',
    keywords: 'swagger, openapi, endpoint, reference',
  });
  const groups = groupRoutes(routes).map(({ group: { id, title, text } }) =>
    page(
      `${all.path}/${id}`,
      {
        title: `${title} reference`,
        question: `Which routes are under "${title}"?`,
        description: `${text} Fields, errors and samples of each route.`,
        keywords: '',
      },
      id,
    ),
  );
  const schema = await schemaReference(join(root, 'src/api/bql/language/schema.graphql'));
  return {
    ...schema,
    pages: [all, ...groups, ...schema.pages],
    redirects: { ...schema.redirects, '/docs': all.path },
  };
}
