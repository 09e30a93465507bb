/**
 * What makes a browser of the server look like one that a person started: the switches and the environment of its
 * process. Nothing here is untrue of the machine, and no script runs in pages: what contradicts itself is what detectors
 * find.
 */
import type { Identity } from './identity.ts';

/** What a call asks of a stealth browser. */
export interface StealthProfile {
  /** IANA name of the time zone, such as `Europe/Berlin`; that of the machine when left out. */
  readonly timezone?: string | undefined;
}

/** The display of windows, in pixels, of which a panel covers the lowest rows, as on most desktops. */
export const screen = { width: 1920, height: 1080, panelHeight: 40 } as const;

/** Size of a new window in pixels, its frame included: smaller than the screen, and no size that automation is known by. */
const windowSize = '1536,864';

/** Default switches of the server that no browser of a person has. */
export const revealing: readonly string[] = ['--hide-scrollbars'];

/** Features of Blink that are switched off: `navigator.webdriver` is false, as it is without automation. */
export const blinkFeaturesOff: readonly string[] = ['AutomationControlled'];

const switches = [
  `--window-size=${windowSize}`,
  // Without it a bar under the address tells of unusual switches and takes height from the page.
  '--test-type',
  // Without a graphics card, pages have WebGL in software, which says so, or none at all.
  '--enable-unsafe-swiftshader',
  // A microphone and a camera, virtual ones: hardly any computer of a person has none.
  '--use-fake-device-for-media-stream',
];

/** A browser without a window has no screen and no mouse unless it is told of them (Chromium's headless/README). */
const switchesWithoutWindow = [
  `--screen-info={${screen.width}x${screen.height} workAreaBottom=${screen.panelHeight}}`,
  // The numbers of PointerType and HoverType in Blink: fine, hover.
  '--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2',
];

/** @param identity of a browser that has no window; undefined for one that has */
export function stealthSwitches(identity: Identity | undefined): string[] {
  if (!identity) return switches;
  // The workers that no session of the server reaches have at least the right user agent.
  return [...switches, ...switchesWithoutWindow, `--user-agent=${identity.userAgent}`];
}

/** Variables of the environment of the browser. */
export function stealthEnvironment({ timezone }: StealthProfile): Record<string, string> {
  return timezone === undefined ? {} : { TZ: timezone };
}
