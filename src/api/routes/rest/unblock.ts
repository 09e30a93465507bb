/** POST /unblock: gets past a site's bot checks and returns the page behind them. */
import { json } from '../../../base/schema/response/responses.ts';
import { unblockResponse } from '../../../base/schema/response/rest.ts';
import { unblockBody } from '../../../base/schema/request/address-bodies.ts';
import { sessionRoute } from '../pipeline/route.ts';

export const unblockRoute = sessionRoute('rest', 'unblock', {
  subject: undefined,
  mounts: [
    { prefix: '', browser: 'chromium' },
    { prefix: '/chromium', browser: 'chromium' },
    { prefix: '/chrome', browser: 'chrome' },
  ],
  placed: true,
  stealth: true,
  summary: 'A page behind a bot check',
  description:
    'Opens the page in a stealth browser, waits for challenges to finish, clicks their checkboxes, and solves a captcha that blocks the page, if the server can. Returns the resulting page; X-Unblock reports what was seen and tried. With `browserWSEndpoint`, the browser waits for a client.',
  body: unblockBody,
  answers: [json(unblockResponse)],
  errors: ['navigation-failed', 'wait-timeout', 'browser-missing'],
  example: { url: 'https://example.com/', content: true, cookies: true, screenshot: false },
  handle: async (job) => (await import('./unblock-page.ts')).unblockPage(job),
});
