// The table of endpoints. Each row is one way to open pages; the lab opens its pages through each of them.
import { bqlEndpoint } from './bql.ts';
import type { Endpoint } from './endpoint.ts';
import { contentEndpoint, functionEndpoint, unblockEndpoint } from './rest.ts';
import {
  overCdpEndpoint,
  playwrightEndpoint,
  puppeteerEndpoint,
  reconnectEndpoint,
  sessionEndpoint,
} from './sockets.ts';

/** Stealth endpoints in the short form, which `npm test` runs: one of each kind. */
export const shortForm = ['rest', 'function', 'pptr25', 'cdp165', 'pw', 'bql', 'session', 'unblock'];

const stealth = true;
const plain = { stealth: false };

const puppeteer24 = 'puppeteer-core-24';
const asStealth = { launch: JSON.stringify({ stealth: true }) };

export const endpoints: readonly Endpoint[] = [
  contentEndpoint({ name: 'shell', title: 'REST /content', ...plain }),
  contentEndpoint({ name: 'new', title: 'REST /content, launch.headless=true', ...plain }, { headless: true }),
  contentEndpoint({ name: 'window', title: 'REST /content, launch.headless=false', ...plain }, { headless: false }),
  contentEndpoint({ name: 'rest', title: 'REST /content, launch.stealth', stealth }, { stealth: true }),
  functionEndpoint({ name: 'function-plain', title: '/function', ...plain }),
  functionEndpoint({ name: 'function', title: '/function, launch.stealth', stealth }, { stealth: true }),
  puppeteerEndpoint({ name: 'pptr25-plain', title: 'Puppeteer 25 on /', ...plain }, '/'),
  puppeteerEndpoint({ name: 'pptr24-plain', title: 'Puppeteer 24 on /', ...plain }, '/', puppeteer24),
  puppeteerEndpoint({ name: 'pptr25', title: 'Puppeteer 25 on /stealth', stealth }, '/stealth'),
  puppeteerEndpoint({ name: 'pptr24', title: 'Puppeteer 24 on /stealth', stealth }, '/stealth', puppeteer24),
  overCdpEndpoint({ name: 'cdp150', title: 'Playwright 1.50 over CDP on /stealth', stealth }, '/stealth', '1.50'),
  overCdpEndpoint({ name: 'cdp157', title: 'Playwright 1.57 over CDP on /stealth', stealth }, '/stealth', '1.57'),
  overCdpEndpoint({ name: 'cdp165', title: 'Playwright 1.65 over CDP on /stealth', stealth }, '/stealth', '1.65'),
  playwrightEndpoint({ name: 'pw-plain', title: 'Playwright 1.65, its own protocol', ...plain }, '1.65'),
  playwrightEndpoint(
    { name: 'pw', title: 'Playwright 1.63, its own protocol, launch.stealth', stealth },
    '1.63',
    asStealth,
  ),
  bqlEndpoint({ name: 'bql-plain', title: '/chromium/bql', ...plain }, '/chromium/bql'),
  bqlEndpoint({ name: 'bql', title: '/stealth/bql, humanlike', stealth }, '/stealth/bql', { humanlike: true }),
  sessionEndpoint(
    { name: 'session', title: 'POST /session {"stealth":true}, Puppeteer 25', stealth },
    { stealth: true },
  ),
  reconnectEndpoint({ name: 'reconnect', title: 'reconnect to /stealth, Puppeteer 25', stealth }, '/stealth'),
  unblockEndpoint({ name: 'unblock', title: '/unblock', stealth }),
];

/** The endpoints with these names, in table order. @throws when no endpoint has one of the names */
export function endpointsNamed(names: readonly string[]): Endpoint[] {
  const unknown = names.find((name) => !endpoints.some((endpoint) => endpoint.name === name));
  if (unknown !== undefined)
    throw new Error(`unknown endpoint ${unknown}; the endpoints are ${endpoints.map(({ name }) => name).join(', ')}`);
  return endpoints.filter(({ name }) => names.includes(name));
}
