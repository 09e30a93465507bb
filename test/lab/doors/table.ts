// The table of doors. Each row is one method of opening pages; the lab opens its pages through each.
import { bqlDoor } from './bql.ts';
import type { Door } from './door.ts';
import { contentDoor, functionDoor, unblockDoor } from './rest.ts';
import { overCdpDoor, playwrightDoor, puppeteerDoor, reconnectDoor, sessionDoor } from './sockets.ts';

/** Stealth doors of the short form, which `npm test` runs: one of each kind. */
export const shortForm = ['rest', 'function', 'pptr25', 'cdp165', 'pw', 'bql', 'session', 'unblock'];

const stealth = true;
const plain = { stealth: false };

const puppeteer24 = 'puppeteer-core-24';
const asStealth = { launch: JSON.stringify({ stealth: true }) };

export const doors: readonly Door[] = [
  contentDoor({ name: 'shell', title: 'REST /content', ...plain }),
  contentDoor({ name: 'new', title: 'REST /content, launch.headless=true', ...plain }, { headless: true }),
  contentDoor({ name: 'window', title: 'REST /content, launch.headless=false', ...plain }, { headless: false }),
  contentDoor({ name: 'rest', title: 'REST /content, launch.stealth', stealth }, { stealth: true }),
  functionDoor({ name: 'function-plain', title: '/function', ...plain }),
  functionDoor({ name: 'function', title: '/function, launch.stealth', stealth }, { stealth: true }),
  puppeteerDoor({ name: 'pptr25-plain', title: 'Puppeteer 25 on /', ...plain }, '/'),
  puppeteerDoor({ name: 'pptr24-plain', title: 'Puppeteer 24 on /', ...plain }, '/', puppeteer24),
  puppeteerDoor({ name: 'pptr25', title: 'Puppeteer 25 on /stealth', stealth }, '/stealth'),
  puppeteerDoor({ name: 'pptr24', title: 'Puppeteer 24 on /stealth', stealth }, '/stealth', puppeteer24),
  overCdpDoor({ name: 'cdp150', title: 'Playwright 1.50 over CDP on /stealth', stealth }, '/stealth', '1.50'),
  overCdpDoor({ name: 'cdp157', title: 'Playwright 1.57 over CDP on /stealth', stealth }, '/stealth', '1.57'),
  overCdpDoor({ name: 'cdp165', title: 'Playwright 1.65 over CDP on /stealth', stealth }, '/stealth', '1.65'),
  playwrightDoor({ name: 'pw-plain', title: 'Playwright 1.65, its own protocol', ...plain }, '1.65'),
  playwrightDoor(
    { name: 'pw', title: 'Playwright 1.63, its own protocol, launch.stealth', stealth },
    '1.63',
    asStealth,
  ),
  bqlDoor({ name: 'bql-plain', title: '/chromium/bql', ...plain }, '/chromium/bql'),
  bqlDoor({ name: 'bql', title: '/stealth/bql, humanlike', stealth }, '/stealth/bql', { humanlike: true }),
  sessionDoor({ name: 'session', title: 'POST /session {"stealth":true}, Puppeteer 25', stealth }, { stealth: true }),
  reconnectDoor({ name: 'reconnect', title: 'reconnect of /stealth, Puppeteer 25', stealth }, '/stealth'),
  unblockDoor({ name: 'unblock', title: '/unblock', stealth }),
];

/** The doors with these names, in table order. @throws when a name matches no door */
export function doorsNamed(names: readonly string[]): Door[] {
  const unknown = names.find((name) => !doors.some((door) => door.name === name));
  if (unknown !== undefined)
    throw new Error(`no door is named ${unknown}; there are ${doors.map(({ name }) => name).join(', ')}`);
  return doors.filter(({ name }) => names.includes(name));
}
