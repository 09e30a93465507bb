/** Tells the files that every page needs from those that hold the text of the documentation. */
import { assetFolder } from '../site/site.ts';

/** Modules of pages, the menus at their side, the index of the search. */
const texts = new RegExp(`^${assetFolder}/(?:page/|page\\.|sidebar/|search\\.\\w+\\.json$)`);

/** True for scripts, styles, fonts, pictures and the demo site, which anybody may have. */
export const isAsset = (path: string): boolean =>
  path === '/favicon.svg' || (path.startsWith(`${assetFolder}/`) && !texts.test(path));
