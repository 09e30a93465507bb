/**
 * Keeps the viewport that clients have given each page, so that one which a live view has changed can be given back: of
 * several sessions that set a page's size, Chromium follows the last, and does not go back to another's by itself
 * (Emulation.setDeviceMetricsOverride).
 */
import type { CommandParams } from '../cdp/connection.ts';

export type DeviceMetrics = CommandParams<'Emulation.setDeviceMetricsOverride'>;

export class ClientViewports {
  readonly #byPage = new Map<string, DeviceMetrics>();

  /** @param page target id. @param metrics undefined when the client has cleared them */
  note(page: string, metrics: DeviceMetrics | undefined): void {
    if (metrics) this.#byPage.set(page, metrics);
    else this.#byPage.delete(page);
  }

  /** What a client has set last for a page; undefined for nothing. */
  of(page: string): DeviceMetrics | undefined {
    return this.#byPage.get(page);
  }

  /** Forgets a page that is gone. */
  forget(page: string): void {
    this.#byPage.delete(page);
  }
}
