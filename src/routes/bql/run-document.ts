/** `POST /chromium/bql`, `/chrome/bql`, `/stealth/bql`: a document on a fresh page. Contract browserql.md 4.1. */
import { answerQuery, readDocument, runDocument } from '../../bql/execute.ts';
import { BqlSession } from '../../bql/run/session.ts';
import type { AttachableSession } from '../../sessions/session.ts';
import { publicUrl } from '../http/public-url.ts';
import { adTest } from '../../injected/ad-test.ts';
import { hideAds } from '../../page/ads/hide-ads.ts';
import { preparePage } from '../../page/load/prepare.ts';
import type { Clock } from '../../runtime/deadline.ts';
import type { Answer, EarlyCall, Mount, PageRoute } from '../pipeline/route.ts';
import { pageRoute } from '../pipeline/route.ts';
import { startSession } from '../sessions/start-session.ts';
import { type BqlBody, bqlBody } from './bql-body.ts';
import { bqlAnswers, hostFor, optionsFor, refusal, subscriptionOverHttp, toAnswer } from './bql-environment.ts';
import { runAttached } from './run-attached.ts';

const description =
  'Runs a BrowserQL document on a fresh page and answers `{data, errors}`. A step that fails is null with an entry in `errors`; a document that cannot run is a 400. The browser ends with the answer, unless the document calls `reconnect`.';

/** The prefixes with their browsers; stealth runs a full browser. */
export const bqlMounts: readonly (Mount & { fullBrowser: boolean })[] = [
  { prefix: '/chromium', browser: 'chromium', fullBrowser: false },
  { prefix: '/chrome', browser: 'chrome', fullBrowser: false },
  { prefix: '/stealth', browser: 'chromium', fullBrowser: true },
];

function freshRoute({ fullBrowser, ...mount }: (typeof bqlMounts)[number]): PageRoute {
  return pageRoute({
    name: 'bql',
    mounts: [mount],
    fullBrowser,
    summary: 'A BrowserQL document',
    description,
    body: bqlBody,
    answers: bqlAnswers,
    example: { query: 'mutation { goto(url: "https://example.com/") { status } title { title } }' },
    early,
    async handle({ body, page, query, launch, services, wayOut, credential, log }) {
      const ready = await readDocument(body);
      const host = hostFor(services, log, { wayOut, credential, insecure: launch.acceptInsecureCerts });
      await preparePage(page, {
        url: undefined,
        authenticate: undefined,
        cookies: [],
        emulateMediaType: undefined,
        rejectRequestPattern: [],
        rejectResourceTypes: [],
        requestInterceptors: [],
        setExtraHTTPHeaders: undefined,
        setJavaScriptEnabled: true,
        userAgent: undefined,
        viewport: launch.defaultViewport ?? undefined,
        acceptInsecureCerts: launch.acceptInsecureCerts ?? false,
        allowsUrl: (text) => host.allowsUrl(text),
      });
      const ads = query.blockAds ? await services.ads.blocker() : undefined;
      const options = optionsFor(ready, query, launch);
      using session = new BqlSession(page, host, { ...options, hideAds: ads && ((current) => hideAds(current, ads)) });
      if (options.consent) await session.tab.answerConsent();
      if (ads) await session.tab.rules.refuseAds(adTest(ads, page.mainFrameId));
      return toAnswer(await runDocument(ready, session, page.signal));
    },
  });
}

export const freshRoutes: readonly PageRoute[] = bqlMounts.map(freshRoute);

/** Steps that need a browser of their own: one that stays, or that may open windows. */
const ownBrowserSteps = ['reconnect', 'switchToWindow'];

/** Documents that cannot run, queries, and documents that need a browser of their own. */
async function early(call: EarlyCall<BqlBody>): Promise<Answer | undefined> {
  const { body, services, query, launch } = call;
  let ready;
  try {
    ready = await readDocument(body);
  } catch (error) {
    return refusal(error);
  }
  if (ready.kind === 'query') {
    return toAnswer(await answerQuery(ready, hostFor(services, services.log)));
  }
  if (ready.kind === 'subscription') return toAnswer(subscriptionOverHttp, 400);
  if (!ownBrowserSteps.some((name) => ready.steps.has(name))) return undefined;
  return toAnswer(await runAttached(call, ready, optionsFor(ready, query, launch), startOwn(call)));
}

type OwnCall = Pick<
  EarlyCall<unknown>,
  'launch' | 'proxy' | 'query' | 'url' | 'routePath' | 'limitMs' | 'services' | 'progress' | 'browser'
>;

/** A browser of the call's own. */
export function startOwn(call: OwnCall): (clock: Clock) => Promise<AttachableSession> {
  const { launch, proxy, query, url, routePath, limitMs, services, progress, browser } = call;
  return (clock) =>
    startSession(
      {
        browser,
        launch,
        proxy,
        trackingId: query.trackingId,
        initialConnectURL: publicUrl(services.externalUrl(), url, launch),
        routePath,
        limitMs,
        blockAds: query.blockAds ?? false,
      },
      clock,
      services,
      progress,
    );
}
