/** Defines constants of the site. */

export const site = {
  name: 'browserd',
  tagline: 'Headless browsers as a service, on your own machine',
  summary:
    'Turns pages into HTML, PDFs, images and data over REST, and provides browsers over WebSocket and GraphQL, in one process on your own machine.',
  /** Star count next to the repository link, unless DOCS_STARS is set. */
  stars: '12K',
  /** Target of the repository link, unless DOCS_REPOSITORY_URL is set. */
  projectPage: '/contributing/architecture',
  /** Initial URL in the panel of the home page. */
  panelAddress: 'http://playground.localhost/shop',
  locale: 'en',
  /** The page that the docs root leads to. */
  docsRoot: '/enterprise/quick-start',
  suggestions: 8,
  snippetCharacters: 50,
  pageSnippetCharacters: 100,
  resultLimit: 100,
  /** Heading above the pages that are suggested when there are no results. */
  offer: 'These pages may help:',
} as const;

/** The origin that samples use in the source; pages replace it with the reader's own. */
export const sampleOrigin = 'http://localhost:3000';
export const sampleSocketOrigin = 'ws://localhost:3000';
/** The token that samples use in the source; pages replace it with the reader's own. */
export const sampleToken = 'YOUR_TOKEN';

/** Whether a page also exists as a Markdown file; the 404 page does not. */
export const hasMarkdown = (path: string): boolean => path !== '/404';

/** Whether the sitemap omits a path. */
export const unlisted = (path: string): boolean =>
  path === '/search' || path === '/status' || path.startsWith('/baas/v1/') || path.startsWith('/components/');
