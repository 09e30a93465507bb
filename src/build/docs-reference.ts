/** Pages that are generated from the service's own descriptions: the OpenAPI document and the BrowserQL schema. */
import { join } from 'node:path';
import type { PageMeta, RouteFact, SampleCount, Sidebar } from '../docs/model.ts';
import type { ReferenceContent } from '../docs/reference.ts';
import { schemaReference } from './docs-schema.ts';

export interface ReferencePage {
  path: string;
  meta: PageMeta & { samples: SampleCount };
  content: ReferenceContent;
}

export interface Reference {
  pages: ReferencePage[];
  sidebars: Sidebar[];
  redirects: Record<string, string>;
}

const noSamples: SampleCount = { executed: 0, checked: 0, never: 0 };

/** @param root the checkout */
export async function referencePages(root: string, routes: readonly RouteFact[]): Promise<Reference> {
  const openApi: ReferencePage = {
    path: '/open-api',
    meta: {
      path: '/open-api',
      title: 'API reference',
      description: 'Every route of this server with its parameters, errors and samples that you can run from the page.',
      keywords: 'swagger, openapi, endpoint, reference',
      hideToc: false,
      noSample: '',
      samples: noSamples,
    },
    content: { kind: 'open-api', routes },
  };
  const schema = await schemaReference(join(root, 'src/bql/schema.graphql'));
  return { ...schema, pages: [openApi, ...schema.pages] };
}
