/**
 * Records the data that `debugOpts` of /scrape requests: console, requests, cookies, HTML and a screenshot of the page.
 */
import type { DebugOpts } from '../../../base/schema/request/fields.ts';
import { captureBase64 } from './capture.ts';
import { type ShownCookie, toShownCookie } from '../load/cookies.ts';
import { readContent } from './content.ts';
import type { Page } from '../page.ts';
import { linesOf } from '../../../base/schema/request/primitives.ts';

interface DebugReport {
  console: string[];
  network: {
    inbound: { url: string; status: number; headers: Record<string, string> }[];
    outbound: { url: string; method: string; headers: Record<string, string> }[];
  };
  cookies?: ShownCookie[];
  html?: string;
  /** Base64 JPEG of the full page, quality 20. */
  screenshot?: string;
}

export interface DebugRecorder {
  /** Reads the requested parts from the current page. */
  collect(): Promise<DebugReport>;
}

/**
 * Limits on the entries per list and on the total number of characters, for a page that never stops logging or sending
 * requests.
 */
const maxEntries = 10_000;
const maxCharacters = 16 * 2 ** 20;

/** Starts recording; call it before the page loads. Enables only the CDP domains that the options need. */
export async function startDebug(page: Page, options: DebugOpts): Promise<DebugRecorder> {
  const report: DebugReport = { console: [], network: { inbound: [], outbound: [] } };
  let characters = 0;
  const keep = <T>(list: T[], entry: T): void => {
    if (list.length >= maxEntries || characters >= maxCharacters) return;
    characters += JSON.stringify(entry).length;
    list.push(entry);
  };
  if (options.network) {
    page.networkNeeded = true;
    page.on('Network.requestWillBeSent', ({ request, redirectResponse }) => {
      if (redirectResponse) keep(report.network.inbound, toInbound(redirectResponse));
      const { url, method, headers } = request;
      keep(report.network.outbound, { url, method, headers });
    });
    page.on('Network.responseReceived', ({ response }) => keep(report.network.inbound, toInbound(response)));
  }
  if (options.console) {
    page.on('Console.messageAdded', ({ message }) => {
      if (message.source === 'console-api') keep(report.console, message.text);
    });
    // Not Runtime.enable, which pages can detect. The Console domain reports all arguments as one string.
    await page.send('Console.enable');
  }
  return {
    async collect() {
      const [cookies, html] = await Promise.all([
        options.cookies ? page.send('Network.getCookies') : undefined,
        options.html ? readContent(page) : undefined,
      ]);
      const screenshot = options.screenshot ? await captureBase64(page, fullPageJpeg) : undefined;
      return {
        ...report,
        ...(cookies === undefined ? {} : { cookies: cookies.cookies.map(toShownCookie) }),
        ...(html === undefined ? {} : { html }),
        ...(screenshot === undefined ? {} : { screenshot }),
      };
    },
  };
}

const fullPageJpeg = {
  type: 'jpeg',
  quality: 20,
  fullPage: true,
  fromSurface: true,
  omitBackground: false,
  encoding: 'base64',
  optimizeForSpeed: false,
} as const;

/** Like client libraries, joins the values of several headers of one name with commas; cookies remain lines. */
function toInbound({ url, status, headers }: { url: string; status: number; headers: Record<string, string> }) {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    linesOf(value).join(name.toLowerCase() === 'set-cookie' ? '\n' : ', '),
  ]);
  return { url, status, headers: Object.fromEntries(joined) };
}
