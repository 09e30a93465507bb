/** The script of every page. What needs React or the search index is fetched on use. */
import { startCode } from './code.ts';
import { startMenus } from './menus.ts';
import { startNavigation, tellPageView } from './navigate.ts';
import { startOperationFilter } from './operations.ts';
import { showCurrentEntry } from './page-parts.ts';
import { startAnnouncement, startReading } from './reading.ts';
import { startSearchOpener } from './search-opener.ts';
import { startPage } from './start-page.ts';
import { startTabs } from './tabs.ts';
import { startTheme } from './theme.ts';
import { startToken } from './token.ts';
import { startVisitor } from './visitor.ts';

// What scripts that come later use of this one.
export * from '../site.ts';
export * from './code.ts';
export * from './found-terms.ts';
export * from './islands.ts';
export * from './navigate.ts';
export * from './page-context.ts';
export * from './page-parts.ts';
export * from './token.ts';

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
startNavigation();
startVisitor();
startPage();
showCurrentEntry();
tellPageView();
