/** Generates the reference pages from the OpenAPI document and the BrowserQL schema. */
import { join } from 'node:path';
import type { RouteFact, SampleCount } from '../../web/docs/site/model.ts';
import type { Reference, ReferencePage } from '../../web/docs/site/reference.ts';
import { schemaReference } from './schema.ts';

const noSamples: SampleCount = { executed: 0, checked: 0, never: 0 };

/** @param root the root directory of the repository */
export async function referencePages(root: string, routes: readonly RouteFact[]): Promise<Reference> {
  const openApi: ReferencePage = {
    path: '/open-api',
    meta: {
      path: '/open-api',
      title: 'API reference',
      question: 'Which routes does this server have?',
      description: 'Every route of this server with its parameters, errors and samples that you can run from the page.',
      keywords: 'swagger, openapi, endpoint, reference',
      // The page has a list of its operations on the left.
      hideToc: true,
      noSample: '',
      samples: noSamples,
    },
    content: { kind: 'open-api', routes },
  };
  const schema = await schemaReference(join(root, 'src/api/bql/language/schema.graphql'));
  return { ...schema, pages: [openApi, ...schema.pages], redirects: { ...schema.redirects, '/docs': openApi.path } };
}
