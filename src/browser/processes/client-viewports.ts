/**
 * Remembers the viewport that clients have set for each page, so that it can be restored after a live view has changed
 * it: when several sessions set a page's size, Chromium uses the last one and does not automatically return to an
 * earlier one (Emulation.setDeviceMetricsOverride).
 */
import type { CommandParams } from '../cdp/connection.ts';

export type DeviceMetrics = CommandParams<'Emulation.setDeviceMetricsOverride'>;

/** Fields that are stored; the others, which clients do not set for a page's size, could have any length. */
const storedMembers = [
  'width',
  'height',
  'deviceScaleFactor',
  'mobile',
  'scale',
  'screenWidth',
  'screenHeight',
  'positionX',
  'positionY',
  'dontSetVisibleSize',
] as const;

/**
 * Returns the parameters from a client's command that are resent later. The browser rejects invalid values both times.
 */
export function metricsOf(params: Readonly<Record<string, unknown>>): DeviceMetrics {
  const known = Object.fromEntries(
    storedMembers.flatMap((name) =>
      ['number', 'boolean'].includes(typeof params[name]) ? [[name, params[name]]] : [],
    ),
  );
  return { width: 0, height: 0, deviceScaleFactor: 0, mobile: false, ...known, ...orientationOf(params) };
}

const orientations = ['portraitPrimary', 'portraitSecondary', 'landscapePrimary', 'landscapeSecondary'] as const;

/** Libraries send the orientation along with the size of a phone. */
function orientationOf({ screenOrientation: given }: Readonly<Record<string, unknown>>) {
  if (typeof given !== 'object' || given === null || !('type' in given) || !('angle' in given)) return {};
  const type = orientations.find((known) => known === given.type);
  const { angle } = given;
  return type === undefined || typeof angle !== 'number' ? {} : { screenOrientation: { type, angle } };
}

export class ClientViewports {
  /** The initial viewport of every page; undefined for the size of its window. */
  defaultMetrics: DeviceMetrics | undefined;
  readonly #byPage = new Map<string, DeviceMetrics | undefined>();

  /** @param page the page's target id @param metrics undefined when the client has cleared them */
  record(page: string, metrics: DeviceMetrics | undefined): void {
    this.#byPage.set(page, metrics);
  }

  /** The viewport of a page without live views; undefined for the size of its window. */
  of(page: string): DeviceMetrics | undefined {
    return this.#byPage.has(page) ? this.#byPage.get(page) : this.defaultMetrics;
  }

  /** Forgets a page that was closed. */
  forget(page: string): void {
    this.#byPage.delete(page);
  }
}
