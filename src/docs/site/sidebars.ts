/** Lists every page that the site may have, in sidebar order. Sidebars omit entries whose page does not exist. */
import type { Sidebar, SidebarItem } from './model.ts';

const page = (path: string, label: string): SidebarItem => ({ path, label });
const group = (label: string, items: readonly SidebarItem[]): SidebarItem => ({ label, items });

const all: readonly Sidebar[] = [
  {
    id: 'overview',
    label: 'Overview',
    short: 'Overview',
    items: [
      page('/overview/comparison', 'API Comparison'),
      page('/overview/connection-urls', 'Connection URLs and Endpoints'),
      page('/overview/launch-parameters', 'Launch Parameters'),
      page('/overview/performance', 'Performance'),
      page('/overview/curves', 'What a Call Costs'),
      group('Contributing', [
        page('/contributing/architecture', 'Architecture'),
        page('/contributing/decisions', 'Decisions'),
        page('/contributing/compatibility', 'Compatibility'),
      ]),
    ],
  },
  {
    id: 'browserQL',
    label: 'BrowserQL',
    short: 'BrowserQL',
    items: [
      page('/browserql/start', 'BrowserQL'),
      page('/browserql/getting-started', 'Quick Start'),
      group('Writing BrowserQL', [
        page('/browserql/writing-bql/language-basics', 'Language Basics'),
        page('/browserql/writing-bql/conditional-logic', 'Conditional Logic'),
        page('/browserql/writing-bql/waiting-for-things', 'Waiting for Things'),
        page('/browserql/writing-bql/exporting-variables', 'Exporting Variables'),
      ]),
      group('Using the IDE', [
        page('/browserql/using-the-ide/ide-features', 'IDE Features'),
        page('/browserql/using-the-ide/session-settings', 'Session Settings'),
        page('/browserql/using-the-ide/using-api-calls', 'Calling the BrowserQL API'),
      ]),
      page('/browserql/launch-parameters', 'Launch Parameters and Options'),
      group('Session Management', [
        page('/browserql/session-management/reconnect-to-browserless', 'Maintaining Sessions with Reconnects'),
        page('/browserql/session-management/puppeteer', 'Puppeteer & Playwright'),
        page('/browserql/session-management/persisting-state', 'Persisting State'),
        page('/browserql/session-management/session-replay', 'Session Replay with BQL'),
        page('/browserql/session-management/injecting-cookies', 'Injecting Cookies'),
      ]),
      group('Bot Detection', [
        page('/browserql/bot-detection/overview', 'Overview'),
        page('/browserql/bot-detection/stealth', 'Stealth Route'),
        page('/browserql/bot-detection/solving-captchas', 'Solving CAPTCHAs'),
        page('/browserql/bot-detection/proxies', 'Proxies'),
      ]),
      group('Advanced Configurations', [
        page('/browserql/advanced-config/scraping-structured-data', 'Scraping Structured Data'),
        page('/browserql/advanced-config/multi-line-javascript', 'Multi-line JavaScript Evaluation'),
        page('/browserql/advanced-config/parsing-libraries', 'Parsing Libraries'),
      ]),
      group('Use Cases', [
        page('/browserql/use-cases/scrape-and-extract-data', 'Scrape and Extract Data'),
        page('/browserql/use-cases/performing-searches', 'Performing Searches'),
        page('/browserql/use-cases/submitting-forms', 'Submitting Forms'),
        page('/browserql/use-cases/screenshots', 'Screenshots'),
        page('/browserql/use-cases/pdfs', 'PDFs'),
      ]),
      page('/browserql/hybrid-bql', 'Hybrid with BQL'),
      page('/browserql/best-practices', 'Best Practices'),
    ],
  },
  {
    id: 'baasV2',
    label: 'BaaS V2',
    short: 'BaaS V2',
    items: [
      page('/baas/start', 'Browsers as a Service'),
      page('/baas/connect-puppeteer', 'Connecting Puppeteer'),
      page('/baas/connect-playwright', 'Connecting Playwright'),
      page('/baas/launch-options', 'Launch Options'),
      page('/baas/versions', 'Browser Versions'),
      page('/baas/migrate', 'Migration Guide'),
      group('Features', [
        page('/baas/features/supported-browsers', 'Supported Browsers'),
        page('/baas/features/proxies', 'Proxies'),
        page('/baas/features/files', 'Files'),
        page('/baas/features/browser-extensions', 'Browser Extensions'),
        page('/baas/features/live-debugger', 'Live Debugger'),
        page('/baas/features/user-agent-control', 'User Agent Control'),
        page('/baas/features/load-balancers', 'Load Balancers'),
      ]),
      group('Interactive Browser Sessions', [
        page('/baas/interactive-browser-sessions/hybrid-automation', 'Hybrid Automation'),
        page('/baas/interactive-browser-sessions/recording-liveurl', 'Recording with LiveURL'),
        page('/baas/interactive-browser-sessions/screencasting', 'Screencasting'),
        page('/baas/interactive-browser-sessions/session-replay', 'Session Replay'),
      ]),
      group('Session Management', [
        page('/baas/session-management/virtual-browsers', 'Virtual Browsers'),
        page('/baas/session-management/standard-sessions', 'Standard Sessions'),
        page('/baas/session-management/persisting-state', 'Persisting State'),
      ]),
      group('Bot Detection', [
        page('/baas/bot-detection/overview', 'Overview'),
        page('/baas/bot-detection/stealth', 'Stealth Routes'),
        page('/baas/bot-detection/captchas', 'Solving CAPTCHAs'),
        page('/baas/bot-detection/unblocking', 'Unblocking'),
        page('/baas/bot-detection/responsible-use', 'What Cannot Be Promised'),
      ]),
      group('Advanced Configurations', [
        page('/baas/advanced-configurations/connection-url-patterns', 'Connection URL Patterns'),
        page('/baas/advanced-configurations/puppeteer-customizations', 'Puppeteer Configurations'),
        page('/baas/advanced-configurations/playwright-customizations', 'Playwright Configurations'),
        page('/baas/advanced-configurations/hybrid-automation-configurations', 'Hybrid Configurations'),
      ]),
      group('Libraries', [
        page('/baas/libraries/beautifulsoup', 'Beautiful Soup'),
        page('/baas/libraries/scrapy', 'Scrapy'),
        page('/baas/libraries/chromedp', 'Go (chromedp)'),
        page('/baas/libraries/php', 'PHP'),
        page('/baas/libraries/pyppeteer', 'Pyppeteer'),
      ]),
      group('Recipes', [
        page('/baas/recipes/downloading-files', 'Downloading Files'),
        page('/baas/recipes/uploading-files', 'Uploading Files'),
        page('/baas/recipes/response-caching', 'Response Caching'),
      ]),
      group('Troubleshooting', [
        page('/baas/troubleshooting/best-practices', 'Best Practices'),
        page('/baas/troubleshooting/http-error-codes', 'HTTP Error Codes'),
        page('/baas/troubleshooting/timeouts', 'Timeouts'),
        page('/baas/troubleshooting/whitelisting-ips', 'Whitelisting IPs'),
      ]),
    ],
  },
  {
    id: 'restApis',
    label: 'REST APIs',
    short: 'REST APIs',
    items: [
      page('/rest-apis/intro', 'REST APIs'),
      page('/rest-apis/content', '/content'),
      page('/rest-apis/markdown', '/markdown'),
      page('/rest-apis/screenshot-api', '/screenshot'),
      page('/rest-apis/pdf-api', '/pdf'),
      page('/rest-apis/scrape', '/scrape'),
      page('/rest-apis/unblock', '/unblock'),
      page('/rest-apis/function', '/function'),
      page('/rest-apis/download', '/download'),
      page('/rest-apis/export', '/export'),
      page('/rest-apis/performance', '/performance'),
      page('/rest-apis/timeouts', 'Timeout Configuration'),
      page('/rest-apis/launch-parameters', 'Launch Parameters'),
    ],
  },
  {
    id: 'enterprise',
    label: 'Enterprise',
    short: 'Enterprise',
    items: [
      page('/enterprise/quick-start', 'Enterprise Quick Start'),
      page('/enterprise/getting-started', 'Getting Started'),
      group('Docker', [
        page('/enterprise/docker/quickstart', 'Quick Start'),
        page('/enterprise/docker/config', 'Configuration'),
        page('/enterprise/docker/extending', 'Extending'),
        page('/enterprise/docker/webhooks', 'Webhooks'),
        page('/enterprise/docker/overview', 'Overview'),
        page('/enterprise/docker/enterprise-image', 'Enterprise Image'),
      ]),
      page('/enterprise/security', 'Security'),
      page('/enterprise/web-bot-auth', 'Web Bot Auth'),
      page('/enterprise/nginx-docker', 'NGINX with Docker'),
      page('/enterprise/long-queues', 'Built-in Queueing System'),
      page('/enterprise/watching-sessions', 'Watching Sessions'),
      page('/enterprise/live-debugger', 'Live Debugger'),
      page('/enterprise/user-data-directory', 'User Data Directory'),
      page('/enterprise/terminology', 'Terminology'),
      group('Utility Functions', [
        page('/enterprise/utility-functions/intro', 'Overview'),
        page('/enterprise/utility-functions/sessions', '/sessions'),
        page('/enterprise/utility-functions/config', '/config'),
        page('/enterprise/utility-functions/metrics', '/metrics'),
      ]),
      {
        label: 'Private Deployment',
        path: '/category/private-deployment',
        items: [
          page('/enterprise/private-deployment/graphql-api', 'GraphQL API'),
          page('/enterprise/private-deployment/load-balancing', 'Load Balancing'),
          page('/enterprise/private-deployment/worker-settings', 'Worker Settings'),
        ],
      },
    ],
  },
  {
    id: 'aiIntegrations',
    label: 'AI Integrations',
    short: 'AI Integrations',
    items: [
      page('/ai-integrations/start', 'AI Integrations'),
      page('/ai-integrations/browser-use/python', 'Browser Use'),
      page('/ai-integrations/langchain', 'LangChain'),
      page('/ai-integrations/vercel-ai-sdk', 'Vercel AI SDK'),
      page('/ai-integrations/n8n', 'n8n'),
      page('/ai-integrations/make', 'Make'),
      page('/ai-integrations/zapier', 'Zapier'),
    ],
  },
];

/** The sidebars without missing pages, empty groups and empty sidebars. */
export function sidebarsOf(exists: (path: string) => boolean, generated: readonly Sidebar[]): Sidebar[] {
  const keep = (item: SidebarItem): SidebarItem[] => {
    const items = item.items?.flatMap(keep) ?? [];
    const path = item.path !== undefined && exists(item.path) ? item.path : undefined;
    if (path === undefined && items.length === 0) return [];
    return [{ label: item.label, ...(path === undefined ? {} : { path }), ...(items.length === 0 ? {} : { items }) }];
  };
  return [...all, ...generated]
    .map((sidebar) => ({ ...sidebar, items: sidebar.items.flatMap(keep) }))
    .filter(({ items }) => items.length > 0);
}

/** All pages of a sidebar in reading order, landing pages of groups included. */
export function pagesOf(items: readonly SidebarItem[]): { path: string; label: string }[] {
  return items.flatMap((item) => [
    ...(item.path === undefined ? [] : [{ path: item.path, label: item.label }]),
    ...pagesOf(item.items ?? []),
  ]);
}

/** The groups above a page, with the page's own item last; empty when the page is not in this list. */
export function trailOf(items: readonly SidebarItem[], path: string): SidebarItem[] {
  for (const item of items) {
    if (item.path === path) return [item];
    const below = trailOf(item.items ?? [], path);
    if (below.length > 0) return [item, ...below];
  }
  return [];
}

/** Every path that the sidebar tables name, whether its page exists or not. */
export const inventory: readonly string[] = all.flatMap(({ items }) => pagesOf(items).map(({ path }) => path));
