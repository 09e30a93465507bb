/** Redirects paths of other documentation to our pages if the target page exists. */

const bot = ['overview', 'stealth', 'captchas', 'unblocking'].map(
  (name) => [`/baas/avoid-bot-detection/${name}`, `/baas/bot-detection/${name}`] as const,
);

const table: readonly (readonly [from: string, to: string])[] = [
  ['/docs', '/open-api'],
  ['/bql-schema', '/bql-schema/schema'],
  ['/bql-schema/operations/mutations', '/bql-schema/schema'],
  ['/ui-automation', '/browserql/use-cases/submitting-forms'],
  ['/scraping/bot-detectors', '/browserql/bot-detection/overview'],
  ['/scraping/extracting-data', '/browserql/use-cases/scrape-and-extract-data'],
  ['/scraping/performing-searches', '/browserql/use-cases/performing-searches'],
  ['/scraping/scraping-responses', '/browserql/use-cases/scrape-and-extract-data'],
  ['/pdf/html-content', '/rest-apis/pdf-api'],
  ['/pdf/navigation-options', '/rest-apis/pdf-api'],
  ['/pdf/rejects', '/rest-apis/pdf-api'],
  ['/pdf/waiting', '/rest-apis/pdf-api'],
  ['/browserql/connecting-libraries/puppeteer', '/browserql/session-management/puppeteer'],
  ['/browserql/connecting-libraries/playwright', '/browserql/session-management/puppeteer'],
  ['/browserql/session-management/playwright', '/browserql/session-management/puppeteer'],
  ['/browserql/session-management/session-api-integration', '/browserql/session-management/persisting-state'],
  ['/browserql/avoid-bot-detection/bypass-tough-bot-detection', '/browserql/bot-detection/overview'],
  ['/browserql/bot-detection/bypass-tough-bot-detection', '/browserql/bot-detection/overview'],
  ['/browserql/bot-detection/accessing-pages', '/browserql/bot-detection/overview'],
  ['/browserql/bot-detection/submitting-forms', '/browserql/use-cases/submitting-forms'],
  ['/browserql/bot-detection/ui-automation', '/browserql/use-cases/submitting-forms'],
  ['/browserql/writing-bql/reconnecting-bql', '/browserql/session-management/reconnect-to-browserless'],
  ['/baas/troubleshooting/versions', '/baas/versions'],
  ['/baas/chrome-flags', '/baas/launch-options'],
  ['/baas/connection-urls', '/baas/advanced-configurations/connection-url-patterns'],
  ['/baas/hybrid-automation', '/baas/interactive-browser-sessions/hybrid-automation'],
  ['/baas/proxies', '/baas/features/proxies'],
  ['/baas/load-balancers', '/baas/features/load-balancers'],
  ['/baas/session-management/reconnect', '/baas/session-management/standard-sessions'],
  ['/baas/v1', '/baas/v1/start'],
  ['/rest-apis/pdf', '/rest-apis/pdf-api'],
  ['/rest-apis/screenshot', '/rest-apis/screenshot-api'],
  ...bot,
];

/** Maps each old path to a page. No target is itself an old path. */
export function redirectsOf(exists: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(table.filter(([from, to]) => exists(to) && !exists(from)));
}
