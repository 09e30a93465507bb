/**
 * Makes a browser on the server look like one that a person started, with switches and the environment of its process.
 * Nothing here misrepresents the machine, and no script runs in pages: detectors look for contradictions.
 */
import type { Identity } from './identity.ts';

/** Options of a request for a stealth browser. */
export interface StealthProfile {
  /** IANA name of the time zone, such as `Europe/Berlin`; that of the machine when omitted. */
  readonly timezone?: string | undefined;
}

/** Size of the display in pixels; a panel covers its lowest rows, as on most desktops. */
export const screen = { width: 1920, height: 1080, panelHeight: 40 } as const;

/**
 * Size of a new window in pixels, including its frame: smaller than the screen, and not a size typical of automation.
 */
const windowSize = '1536,864';

/** The server's default switches that a person's browser does not have. */
export const revealing: readonly string[] = ['--hide-scrollbars'];

/** Features of Blink that are switched off: `navigator.webdriver` is false, as it is without automation. */
export const blinkFeaturesOff: readonly string[] = ['AutomationControlled'];

const switches = [
  `--window-size=${windowSize}`,
  // Without it, a bar below the address bar warns of unusual switches and takes height from the page.
  '--test-type',
  // Without a graphics card, pages have WebGL in software, which identifies itself as such, or none at all.
  '--enable-unsafe-swiftshader',
  // A virtual microphone and camera: nearly every person's computer has them.
  '--use-fake-device-for-media-stream',
];

/** A browser without a window has no screen and no mouse unless switches define them (Chromium's headless/README). */
const switchesWithoutWindow = [
  `--screen-info={${screen.width}x${screen.height} workAreaBottom=${screen.panelHeight}}`,
  // The numbers of PointerType and HoverType in Blink: fine, hover.
  '--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2',
];

/** @param identity the identity of a browser without a window; undefined for one with a window */
export function stealthSwitches(identity: Identity | undefined): string[] {
  if (!identity) return switches;
  // Workers that no session of the server reaches then have at least the right user agent.
  return [...switches, ...switchesWithoutWindow, `--user-agent=${identity.userAgent}`];
}

/** Environment variables of the browser. */
export function stealthEnvironment({ timezone }: StealthProfile): Record<string, string> {
  return timezone === undefined ? {} : { TZ: timezone };
}
