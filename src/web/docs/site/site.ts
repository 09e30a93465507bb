/** Constants of the site. */

export const site = {
  name: 'browserd',
  tagline: 'Headless browsers as a service, on your own machine',
  summary:
    'Pages to HTML, PDF, images and data over REST, real browsers over WebSocket, scripted ones over GraphQL: one process, your own machine.',
  /** Shown beside the repository link, unless DOCS_STARS says otherwise. */
  stars: '12K',
  /** Where the repository link leads unless DOCS_REPOSITORY_URL says otherwise. */
  projectPage: '/contributing/architecture',
  /** What the panel of the home page begins with. */
  panelAddress: 'http://playground.localhost/shop',
  locale: 'en',
  /** The page that the docs root leads to. */
  docsRoot: '/enterprise/quick-start',
  suggestions: 8,
  snippetCharacters: 50,
  pageSnippetCharacters: 100,
  resultLimit: 100,
  /** Stands over the pages that are offered when there are no results. */
  offer: 'These pages may help:',
} as const;

/** The origin that samples use in the source; pages replace it with the reader's own. */
export const sampleOrigin = 'http://localhost:3000';
export const sampleSocketOrigin = 'ws://localhost:3000';
/** The token that samples use in the source; pages replace it with the reader's own. */
export const sampleToken = 'YOUR_TOKEN';

/** Folder of all files that are not pages: scripts, styles, page modules, the search index. */
export const assetFolder = '/_docs';

/** Whether a page is a Markdown file too; that of a missing page is not. */
export const hasMarkdown = (path: string): boolean => path !== '/404';

/** Whether the sitemap omits a path. */
export const unlisted = (path: string): boolean =>
  path === '/search' || path === '/status' || path.startsWith('/baas/v1/') || path.startsWith('/components/');
