/** Initializes what every page needs. Code that needs React or the search index is loaded lazily. */
import { startCode } from './run/code.ts';
import { startMenus } from './shell/menus.ts';
import { startNavigation, reportPageView } from './shell/navigate.ts';
import { startFilters } from './run/filters.ts';
import { showCurrentEntry } from './shell/page-parts.ts';
import { startAnalytics } from './reading/analytics.ts';
import { startAnnouncement, startReading } from './reading/reading.ts';
import { startSupportChat } from './reading/support-chat.ts';
import { startAsk } from './search/ask.ts';
import { highlightWords } from './search/highlight.ts';
import { startSearchOpener } from './search/search-opener.ts';
import { startPage } from './start-page.ts';
import { startTabs } from './shell/tabs.ts';
import { startTheme } from './shell/theme.ts';
import { startToken } from './run/token.ts';

// Lazy scripts import these modules from this script, so that each module has one copy and one state.
export * from '../samples/quote.ts';
export * from '../samples/target.ts';
export * from '../site/site.ts';
export * from './run/code.ts';
export * from './run/copy.ts';
export * from './search/highlight.ts';
export * from './shell/islands.ts';
export * from './shell/navigate.ts';
export * from './shell/page-context.ts';
export * from './shell/page-parts.ts';
export * from './shell/store.ts';
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
startFilters();
startNavigation(startPage, highlightWords);
startSupportChat();
startAnalytics();
startAsk();
startPage();
showCurrentEntry();
reportPageView();
