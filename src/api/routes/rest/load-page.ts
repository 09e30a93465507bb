/**
 * Loads the page for /content, /pdf, /screenshot, /scrape, /markdown, and /export
 * (compatibility.mdx#order-of-a-page-request).
 */
import { adTest } from '../../../browser/page/ads/ad-test.ts';
import { hideAds } from '../../../browser/page/ads/hide-ads.ts';
import { startConsent } from '../../../browser/page/consent/consent.ts';
import { navigate, refuseLatePdf } from '../../../browser/page/load/navigate.ts';
import { preparePage, type PrepareOptions } from '../../../browser/page/load/prepare.ts';
import { setContent } from '../../../browser/page/load/set-content.ts';
import { addScriptTags, addStyleTags } from '../../../browser/page/load/tags.ts';
import { hasWaits, settle } from '../../../browser/page/load/waits.ts';
import type { CommonFields } from '../../../base/schema/request/fields.ts';
import { addressOf, explainProxyResponse, explainFailure } from '../../../browser/network/explain-failure.ts';
import { headerText } from '../http/header-text.ts';
import type { PageJob } from '../pipeline/route.ts';

/** Options that a route adds to the preparation of the page. */
type LoadRules = Partial<Pick<PrepareOptions, 'everyFrame' | 'takeAnswer'>>;

type LoadFields = CommonFields & { blockConsentModals?: boolean };

/**
 * Loads the `url` or `html` of the body and applies the body's waits.
 * @returns the X-Response headers; empty for `html` and when the navigation produced no response
 * @throws ServiceError for a bad or forbidden URL, and the errors of the navigation and the waits
 */
export async function loadPage(job: PageJob<LoadFields>, rules: LoadRules = {}): Promise<Record<string, string>> {
  const { body, page, launch, services, egress } = job;
  const url = body.url === undefined ? undefined : services.network.policy.checkUrl(body.url).href;
  const wantsAds = job.query.blockAds || body.blockAds;
  const ads = wantsAds
    ? await page.waiting.for('the blockAds filter lists', page.until(services.browsers.ads.blocker()))
    : undefined;
  const consent = job.query.blockConsentModals || body.blockConsentModals ? await startConsent(page) : undefined;
  const preparing = preparePage(page, {
    ...body,
    url,
    acceptInsecureCerts: launch.acceptInsecureCerts ?? false,
    viewport: body.viewport ?? launch.defaultViewport ?? undefined,
    everyFrame: [...(consent ? [consent.commands] : []), ...(rules.everyFrame ?? [])],
    takeAnswer: rules.takeAnswer,
    isAd: ads && adTest(ads, page.mainFrameId),
    allowsUrl: (text) => URL.canParse(text) && services.network.policy.allowsScheme(new URL(text)),
  });
  await page.waiting.for("the page to apply the request's settings", preparing);
  const bestAttempt = body.bestAttempt ?? false;
  const load = { ...body.gotoOptions, bestAttempt };
  const response = await services.telemetry.tracing.span('navigate', { 'url.full': url }, async (span) => {
    if (url === undefined) return setContent(page, body.html ?? '', load);
    const found = await navigate(page, url, { ...load, explain: (text) => explainFailure(text, egress) });
    span.set({ 'http.response.status_code': found?.status });
    return found;
  });
  // The egress remembers the connections of all tokens: report one only if this page opened it.
  const connected = response?.connected ?? !body.requestInterceptors?.length;
  // Chromium does not report the connection of a 407 to CONNECT.
  const fromProxy = connected || response?.status === 407;
  const failure = response && fromProxy && explainProxyResponse(response, egress);
  // Thrown even with bestAttempt: the response came from a proxy and is not a page of the site.
  if (failure) throw failure;
  if (consent) await page.waiting.for('the consent dialog to be rejected', consent.settled());
  if (ads) await hideAds(page, ads);
  await addStyleTags(page, body.addStyleTag ?? []);
  await addScriptTags(page, body.addScriptTag ?? []);
  await settle(page, body, bestAttempt);
  if (body.scrollPage) {
    const { scrollThrough } = await import('../../../browser/page/capture/scroll.ts');
    await page.waiting.for('the page to be scrolled', scrollThrough(page));
  }
  await refuseLatePdf(page, bestAttempt);
  if (ads && hasWaits(body)) await hideAds(page, ads);
  if (!response) return {};
  const address = connected ? addressOf(response.url, egress) : undefined;
  return {
    'X-Response-Code': String(response.status),
    'X-Response-Status': headerText(response.statusText),
    'X-Response-URL': headerText(response.url),
    ...(address ? { 'X-Response-IP': address.ip, 'X-Response-Port': String(address.port) } : {}),
  };
}
