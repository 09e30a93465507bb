/** The script of every page. What needs React or the search index is fetched on use. */
import { startCode } from './run/code.ts';
import { startMenus } from './shell/menus.ts';
import { startNavigation, tellPageView } from './shell/navigate.ts';
import { startOperationFilter } from './run/operations.ts';
import { showCurrentEntry } from './shell/page-parts.ts';
import { startAnnouncement, startReading } from './reading/reading.ts';
import { startSearchOpener } from './search/search-opener.ts';
import { startPage } from './start-page.ts';
import { startTabs } from './shell/tabs.ts';
import { startTheme } from './shell/theme.ts';
import { startToken } from './run/token.ts';
import { startVisitor } from './reading/visitor.ts';

// What scripts that come later use of this one.
export * from '../site/site.ts';
export * from './run/code.ts';
export * from './search/highlight.ts';
export * from './shell/islands.ts';
export * from './shell/navigate.ts';
export * from './shell/page-context.ts';
export * from './shell/page-parts.ts';
export * from './run/token.ts';

document.documentElement.dataset['ready'] = '';
startTheme();
startToken();
startTabs();
startMenus();
startCode();
startReading();
startAnnouncement();
startSearchOpener();
startOperationFilter();
startNavigation(startPage);
startVisitor();
startPage();
showCurrentEntry();
tellPageView();
