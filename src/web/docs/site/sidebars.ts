// Lists every page that the site may have, in sidebar order. Sidebars omit entries whose page does not exist. The file
// is long because it is one list.

import { oldGroups } from '../v1/sidebar.ts';
import type { Sidebar, SidebarItem } from './model.ts';

/** A sidebar item before the page titles are known. */
interface Entry {
  /** Absent for a page, whose title is its label. */
  label?: string;
  path?: string;
  items?: readonly Entry[];
}

interface SidebarTable extends Omit<Sidebar, 'items'> {
  items: readonly Entry[];
}

const page = (path: string): Entry => ({ path });
const group = (label: string, items: readonly Entry[]): Entry => ({ label, items });

const all: readonly SidebarTable[] = [
  {
    id: 'overview',
    label: 'Overview',
    short: 'Overview',
    items: [
      page('/playground'),
      page('/overview/comparison'),
      page('/overview/other-products'),
      page('/overview/connection-urls'),
      page('/overview/launch-parameters'),
      page('/overview/performance'),
      page('/overview/curves'),
      page('/overview/faq'),
      page('/overview/glossary'),
      page('/overview/changelog'),
      group('Contributing', [
        page('/contributing/architecture'),
        page('/contributing/decisions'),
        page('/contributing/compatibility'),
      ]),
    ],
  },
  {
    id: 'browserQL',
    label: 'BrowserQL',
    short: 'BrowserQL',
    items: [
      page('/browserql/start'),
      page('/browserql/getting-started'),
      group('Writing BrowserQL', [
        page('/browserql/writing-bql/language-basics'),
        page('/browserql/writing-bql/conditional-logic'),
        page('/browserql/writing-bql/waiting-for-things'),
        page('/browserql/writing-bql/exporting-variables'),
      ]),
      group('Using the IDE', [
        page('/browserql/using-the-ide/ide-features'),
        page('/browserql/using-the-ide/session-settings'),
        page('/browserql/using-the-ide/using-api-calls'),
      ]),
      page('/browserql/launch-parameters'),
      group('Session Management', [
        page('/browserql/session-management/reconnect-to-browserless'),
        page('/browserql/session-management/puppeteer'),
        page('/browserql/session-management/persisting-state'),
        page('/browserql/session-management/secrets'),
        page('/browserql/session-management/session-replay'),
        page('/browserql/session-management/injecting-cookies'),
      ]),
      group('Bot Detection', [
        page('/browserql/bot-detection/overview'),
        page('/browserql/bot-detection/stealth'),
        page('/browserql/bot-detection/solving-captchas'),
        page('/browserql/bot-detection/proxies'),
      ]),
      group('Advanced Configurations', [
        page('/browserql/advanced-config/scraping-structured-data'),
        page('/browserql/advanced-config/multi-line-javascript'),
        page('/browserql/advanced-config/parsing-libraries'),
      ]),
      group('Use Cases', [
        page('/browserql/use-cases/scrape-and-extract-data'),
        page('/browserql/use-cases/performing-searches'),
        page('/browserql/use-cases/submitting-forms'),
        page('/browserql/use-cases/screenshots'),
        page('/browserql/use-cases/pdfs'),
      ]),
      page('/browserql/hybrid-bql'),
      page('/browserql/best-practices'),
    ],
  },
  {
    id: 'baasV2',
    label: 'BaaS V2',
    short: 'BaaS V2',
    items: [
      page('/baas/start'),
      page('/baas/connect-puppeteer'),
      page('/baas/connect-playwright'),
      page('/baas/launch-options'),
      page('/baas/versions'),
      page('/baas/migrate'),
      group('Features', [
        page('/baas/features/supported-browsers'),
        page('/baas/features/proxies'),
        page('/baas/features/allowed-domains'),
        page('/baas/features/files'),
        page('/baas/features/browser-extensions'),
        page('/baas/features/live-debugger'),
        page('/baas/features/user-agent-control'),
        page('/baas/features/load-balancers'),
      ]),
      group('Interactive Browser Sessions', [
        page('/baas/interactive-browser-sessions/hybrid-automation'),
        page('/baas/interactive-browser-sessions/recording-liveurl'),
        page('/baas/interactive-browser-sessions/screencasting'),
        page('/baas/interactive-browser-sessions/session-replay'),
      ]),
      group('Session Management', [
        page('/baas/session-management/virtual-browsers'),
        page('/baas/session-management/standard-sessions'),
        page('/baas/session-management/persisting-state'),
        page('/baas/session-management/profiles'),
      ]),
      group('Bot Detection', [
        page('/baas/bot-detection/overview'),
        page('/baas/bot-detection/stealth'),
        page('/baas/bot-detection/captchas'),
        page('/baas/bot-detection/unblocking'),
        page('/baas/bot-detection/responsible-use'),
      ]),
      group('Advanced Configurations', [
        page('/baas/advanced-configurations/connection-url-patterns'),
        page('/baas/advanced-configurations/puppeteer-customizations'),
        page('/baas/advanced-configurations/playwright-customizations'),
        page('/baas/advanced-configurations/hybrid-automation-configurations'),
      ]),
      group('Libraries', [
        page('/baas/libraries/beautifulsoup'),
        page('/baas/libraries/scrapy'),
        page('/baas/libraries/chromedp'),
        page('/baas/libraries/php'),
        page('/baas/libraries/pyppeteer'),
      ]),
      group('Recipes', [
        page('/baas/recipes/downloading-files'),
        page('/baas/recipes/uploading-files'),
        page('/baas/recipes/response-caching'),
        page('/baas/recipes/pdf-fonts-and-headers'),
        page('/baas/recipes/invoices'),
        page('/baas/recipes/tables-to-csv'),
        page('/baas/recipes/infinite-scroll'),
        page('/baas/recipes/log-in-once'),
        page('/baas/recipes/cookies'),
        page('/baas/recipes/proxy-per-country'),
        page('/baas/recipes/retries'),
        page('/baas/recipes/github-actions'),
        page('/baas/recipes/serverless'),
      ]),
      group('Troubleshooting', [
        page('/baas/troubleshooting/best-practices'),
        page('/baas/troubleshooting/http-error-codes'),
        page('/baas/troubleshooting/blank-pages'),
        page('/baas/troubleshooting/timeouts'),
        page('/baas/troubleshooting/whitelisting-ips'),
      ]),
      group('Version 1', [page('/baas/v1/start')]),
    ],
  },
  {
    id: 'restApis',
    label: 'REST APIs',
    short: 'REST APIs',
    items: [
      page('/rest-apis/intro'),
      page('/rest-apis/content'),
      page('/rest-apis/markdown'),
      page('/rest-apis/screenshot-api'),
      page('/rest-apis/pdf-api'),
      page('/rest-apis/scrape'),
      page('/rest-apis/unblock'),
      page('/rest-apis/function'),
      page('/rest-apis/download'),
      page('/rest-apis/export'),
      page('/rest-apis/performance'),
      page('/rest-apis/timeouts'),
      page('/rest-apis/launch-parameters'),
    ],
  },
  {
    id: 'enterprise',
    label: 'Enterprise',
    short: 'Enterprise',
    items: [
      page('/enterprise/quick-start'),
      page('/enterprise/getting-started'),
      group('Docker', [
        page('/enterprise/docker/overview'),
        page('/enterprise/docker/quickstart'),
        page('/enterprise/docker/config'),
        page('/enterprise/docker/extending'),
        page('/enterprise/docker/webhooks'),
        page('/enterprise/docker/enterprise-image'),
      ]),
      page('/enterprise/single-binary'),
      page('/enterprise/sizing'),
      page('/enterprise/checks'),
      page('/enterprise/security'),
      page('/enterprise/tokens-and-plans'),
      page('/enterprise/units'),
      page('/enterprise/software-key'),
      page('/enterprise/web-bot-auth'),
      page('/enterprise/nginx-docker'),
      page('/enterprise/cluster'),
      page('/enterprise/cluster-sizing'),
      page('/enterprise/long-queues'),
      page('/enterprise/watching-sessions'),
      page('/enterprise/traces-and-metrics'),
      page('/enterprise/live-debugger'),
      page('/enterprise/user-data-directory'),
      page('/enterprise/terminology'),
      group('Utility Functions', [
        page('/enterprise/utility-functions/intro'),
        page('/enterprise/utility-functions/sessions'),
        page('/enterprise/utility-functions/config'),
        page('/enterprise/utility-functions/metrics'),
      ]),
      {
        label: 'Private Deployment',
        path: '/category/private-deployment',
        items: [
          page('/enterprise/private-deployment/graphql-api'),
          page('/enterprise/private-deployment/load-balancing'),
          page('/enterprise/private-deployment/worker-settings'),
          page('/enterprise/private-deployment/kubernetes'),
        ],
      },
    ],
  },
  {
    id: 'aiIntegrations',
    label: 'AI Integrations',
    short: 'AI Integrations',
    items: [
      page('/ai-integrations/start'),
      page('/ai-integrations/browser-use/python'),
      page('/ai-integrations/langchain'),
      page('/ai-integrations/vercel-ai-sdk'),
      page('/ai-integrations/n8n'),
      page('/ai-integrations/make'),
      page('/ai-integrations/zapier'),
    ],
  },
  {
    id: 'baasV1',
    label: 'BaaS V1 (Deprecated)',
    short: 'BaaS V1',
    items: [page('/baas/v1/start'), ...oldGroups.map(({ label, paths }) => group(label, paths.map(page)))],
  },
];

/**
 * Returns the sidebars without missing pages, empty groups and empty sidebars.
 * @param titleOf returns the title of a page; undefined if it does not exist
 */
export function sidebarsOf(
  titleOf: (path: string) => string | undefined,
  generated: readonly Sidebar[],
): readonly Sidebar[] {
  const keep = (entry: Entry): SidebarItem[] => {
    const items = entry.items?.flatMap(keep) ?? [];
    const title = entry.path === undefined ? undefined : titleOf(entry.path);
    if (title === undefined && items.length === 0) return [];
    return [
      {
        label: entry.label ?? title ?? '',
        ...(title === undefined || entry.path === undefined ? {} : { path: entry.path }),
        ...(items.length === 0 ? {} : { items }),
      },
    ];
  };
  return [...all, ...generated]
    .map((sidebar) => ({ ...sidebar, items: sidebar.items.flatMap(keep) }))
    .filter(({ items }) => items.length > 0);
}

/** Returns all pages of a sidebar in reading order, including landing pages of groups. */
export function pagesOf(items: readonly SidebarItem[]): { path: string; label: string }[] {
  return items.flatMap((item) => [
    ...(item.path === undefined ? [] : [{ path: item.path, label: item.label }]),
    ...pagesOf(item.items ?? []),
  ]);
}

/** Returns the groups above a page, with the page's own item last; empty if the page is not in this list. */
export function trailOf(items: readonly SidebarItem[], path: string): SidebarItem[] {
  for (const item of items) {
    if (item.path === path) return [item];
    const below = trailOf(item.items ?? [], path);
    if (below.length > 0) return [item, ...below];
  }
  return [];
}

/** Returns the sidebar of a page: the last one that contains it, because the first page about version 1 is in two. */
export function sidebarOf(sidebars: readonly Sidebar[], path: string): Sidebar | undefined {
  return sidebars.findLast(({ items }) => trailOf(items, path).length > 0);
}

const pathsOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ path, items }) => [...(path === undefined ? [] : [path]), ...pathsOf(items ?? [])]);

/** Every path in the sidebar tables, whether its page exists or not. */
export const inventory: readonly string[] = all.flatMap(({ items }) => pathsOf(items));
