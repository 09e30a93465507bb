/** Sockets of Playwright clients: `/<browser>/playwright` and `/playwright/<browser>` (compatibility.mdx#sockets). */
import type { PlaywrightBrowserName } from '../../../sessions/playwright/plan.ts';
import type { CallKind } from '../../../base/schema/request/effects.ts';
import { type SocketRequest, type SocketRoute, socketRoute } from '../pipeline/route.ts';

const titles: Record<PlaywrightBrowserName, string> = {
  chromium: 'Chromium',
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  webkit: 'WebKit',
};

/** Both orders of the path segments for every browser. */
export const playwrightSockets: readonly SocketRoute[] = (
  ['chromium', 'chrome', 'edge', 'firefox', 'webkit'] as const
).flatMap((browser) =>
  [`/${browser}/playwright`, `/playwright/${browser}`].map((path) =>
    socketRoute('sockets', path, {
      callKind: callKindOf(browser),
      subject: undefined,
      summary: `${titles[browser]} for Playwright clients`,
      description:
        "Starts a new browser and a Playwright server with the client's minor version; the browser closes when the client disconnects. Other versions are refused with a list of those installed.",
      open: async (request: SocketRequest) =>
        (await import('./open-playwright.ts')).openPlaywright(request, browser, titles[browser]),
    }),
  ),
);

function callKindOf(browser: PlaywrightBrowserName): CallKind {
  return browser === 'firefox' || browser === 'webkit' ? `playwright-${browser}` : 'playwright';
}
