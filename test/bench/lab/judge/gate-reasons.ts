// Decides, as a vendor's interstitial would, whether a browser may pass.
import type { GateReport } from '../page/report.ts';

/** Reasons why the gate stays closed; empty when it opens. @param headers headers of the request for the page */
export function gateReasons(report: GateReport, headers: Readonly<Record<string, string>>): string[] {
  const { bot, webdriver, probes, inner, outer, screen } = report;
  const reasons: Record<string, boolean> = {
    [`BotD: ${bot.kind}`]: bot.bot,
    'navigator.webdriver': webdriver !== 'false',
    'Runtime.enable': probes.name > 1 || probes.prototype > 3 || probes.prepare > 0 || probes.uncaught > 0,
    'User-Agent': /Headless/.test(headers['user-agent'] ?? 'Headless'),
    'no Accept-Language': !headers['accept-language'],
    geometry: outer.height < inner.height || outer.width < inner.width || screen.width < outer.width,
  };
  return Object.keys(reasons).filter((reason) => reasons[reason] === true);
}
