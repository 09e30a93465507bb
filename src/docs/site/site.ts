/** Constants of the site. */

export const site = {
  name: 'browserd',
  tagline: 'Headless browsers as a service, on your own machine',
  summary:
    'Pages to HTML, PDF, images and data over REST, real browsers over WebSocket, scripted ones over GraphQL: one process, your own machine.',
  /** Shown beside the repository link. */
  stars: '12K',
  locale: 'en',
  /** The page that the docs root leads to. */
  docsRoot: '/enterprise/quick-start',
  suggestions: 8,
  snippetCharacters: 50,
  pageSnippetCharacters: 100,
  resultLimit: 100,
} as const;

/** The origin that samples use in the source; pages replace it with the reader's own. */
export const sampleOrigin = 'http://localhost:3000';
export const sampleSocketOrigin = 'ws://localhost:3000';
/** The token that samples use in the source; pages replace it with the reader's own. */
export const sampleToken = 'YOUR_TOKEN';

/** Folder of all files that are not pages: scripts, styles, page modules, the search index. */
export const assetFolder = '/_docs';

/** Whether the sitemap omits a path. */
export const unlisted = (path: string): boolean =>
  path === '/search' || path.startsWith('/baas/v1/') || path.startsWith('/components/');
