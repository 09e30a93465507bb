/** Distinguishes files that every page needs from files that contain the documentation text. */

/** Folder of all files except pages: scripts, styles, page modules, the search index. */
export const assetFolder = '/_docs';

/** Page modules, sidebars, and the search index. */
const texts = new RegExp(`^${assetFolder}/(?:page/|page\\.|sidebar/|search\\.\\w+\\.json$)`);

/** True for scripts, styles, fonts, images and the demo site, which are public. */
export const isAsset = (path: string): boolean =>
  path === '/favicon.svg' || (path.startsWith(`${assetFolder}/`) && !texts.test(path));
