/** Pages that are generated from the service's own descriptions: the OpenAPI document and the BrowserQL schema. */
import type { PageMeta, RouteFact, SampleCount, Sidebar } from '../docs/model.ts';
import type { ReferenceContent } from '../docs/reference.ts';

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

export async function referencePages(routes: readonly RouteFact[]): Promise<Reference> {
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
  return { pages: [openApi], sidebars: [], redirects: {} };
}
