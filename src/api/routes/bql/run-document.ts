/**
 * `POST /chromium/bql`, `/chrome/bql`, `/stealth/bql`: runs a document on a fresh page
 * (compatibility.mdx#browserql-transport).
 */
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import {
  type RouteResult,
  type BrowserRequest,
  type Job,
  type Mount,
  pageRoute,
  type PageRoute,
} from '../pipeline/route.ts';
import { sessionStart, startSession } from '../sessions/start-session.ts';
import type { BqlBody } from './bql-body.ts';
import { exposureOf } from '../pipeline/proxied-call.ts';
import { documentRoute, environmentFor, optionsFor, toEndAnswer } from './bql-environment.ts';
import { readMutation } from './read-mutation.ts';
import { type OpenBrowser, runOnSession } from './run-on-session.ts';

const description =
  'Runs a BrowserQL document on a fresh page and returns `{data, errors}`. A failed step is null with an entry in `errors`; a document that cannot run gets a 400. A request that reaches its time limit gets a 408 in the same format, with the results so far. The browser closes after the response, unless the document calls `reconnect` or `liveURL`.';

/** The path prefixes and their browsers. */
export const bqlMounts: readonly (Mount & { stealth: boolean })[] = [
  { prefix: '/chromium', browser: 'chromium', stealth: false },
  { prefix: '/chrome', browser: 'chrome', stealth: false },
  { prefix: '/stealth', browser: 'chromium', stealth: true },
];

function freshRoute({ stealth, ...mount }: (typeof bqlMounts)[number]): PageRoute {
  return pageRoute('browserql', 'bql', {
    mounts: [mount],
    stealth,
    callKind: 'bql',
    summary: 'A BrowserQL document',
    description,
    ...documentRoute,
    example: { query: 'mutation { goto(url: "https://example.com/") { status } title { title } }' },
    early,
    async handle({ call, body, page, process, proxy, query, launch, services, egress, log }) {
      const [{ readDocument, runDocument }, { BqlSession }, { preparePage, unchanged }, { adTest }, { hideAds }] =
        await Promise.all([
          import('../../bql/execute.ts'),
          import('../../bql/run/session.ts'),
          import('../../../browser/page/load/prepare.ts'),
          import('../../../browser/page/ads/ad-test.ts'),
          import('../../../browser/page/ads/hide-ads.ts'),
        ]);
      const ready = await readDocument(body);
      const { acceptInsecureCerts: insecure } = launch;
      const owner = () => call.owner();
      const environment = environmentFor(services, log, {
        egress,
        call,
        owner,
        exposure: exposureOf(launch, proxy),
        insecure,
        process,
        domains: proxy?.domains,
      });
      await preparePage(page, {
        ...unchanged,
        viewport: launch.defaultViewport ?? undefined,
        acceptInsecureCerts: insecure ?? false,
        allowsUrl: (text) => environment.allowsUrl(text),
      });
      const loading = query.blockAds ? page.until(services.browsers.ads.blocker()) : undefined;
      const ads = loading && (await page.waiting.for('the blockAds filter lists', loading));
      const options = optionsFor(ready, query, launch);
      using session = new BqlSession(page, environment, {
        ...options,
        hideAds: ads && ((current) => hideAds(current, ads)),
      });
      if (options.consent) await session.tab.answerConsent();
      if (ads) await page.until(session.tab.rules.refuseAds(adTest(ads, page.mainFrameId)));
      return toEndAnswer(await runDocument(ready, session, page.signal));
    },
  });
}

export const freshRoutes: readonly PageRoute[] = bqlMounts.map(freshRoute);

/** Steps that need an exclusive browser: one that is kept, or that may open windows. */
const ownBrowserSteps = ['reconnect', 'liveURL', 'switchToWindow'];

/** Answers documents that cannot run, queries, and documents that need an exclusive browser. */
async function early(job: Job<BqlBody>): Promise<RouteResult | undefined> {
  const read = await readMutation(job);
  if ('answer' in read) return read.answer;
  const { ready } = read;
  // A replay always covers a whole browser.
  if (job.query.replay !== true && !ownBrowserSteps.some((name) => ready.steps.has(name))) return undefined;
  return toEndAnswer(await runOnSession(job, { ready, open: startOwn(job, job.browser), life: 'once' }));
}

/** Starts a new browser for the request. */
export function startOwn(request: BrowserRequest, browser: BrowserName): OpenBrowser {
  return (clock) => startSession(sessionStart(request, browser), request.call, clock);
}
