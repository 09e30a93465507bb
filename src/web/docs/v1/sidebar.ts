/** Groups the pages about version 1 for their sidebar. */

const groups: readonly (readonly [label: string, folder: string, names: string])[] = [
  [
    'APIs',
    'apis',
    'overview content screenshot pdf scrape function download stats screencast workspace config kill metrics pressure sessions',
  ],
  ['Docker', 'docker', 'quickstart config extending-docker webhooks'],
  [
    'Hosted Service',
    'hosted-service',
    'how-it-works token terminology worker-settings best-practices load-balancers proxying graphql-api versions whitelist',
  ],
  [
    'Libraries',
    'libraries',
    'puppeteer playwright playwright-python pyppeteer scrapy php go-cdp selenium selenium-python selenium-dotnet java capybara',
  ],
  ['Options', 'options', 'chrome-flags api-get'],
  ['Recipes', 'recipes', 'bot-detection downloading-files setting-a-user-agent using-a-proxy watch-sessions'],
];

/** Label of each group, with the paths of its pages. */
export const oldGroups = groups.map(([label, folder, names]) => ({
  label,
  paths: names.split(' ').map((name) => `/baas/v1/${folder}/${name}`),
}));
