/**
 * Keeps the viewport that clients have given each page, so that one which a live view has changed can be given back: of
 * several sessions that set a page's size, Chromium follows the last, and does not go back to another's by itself
 * (Emulation.setDeviceMetricsOverride).
 */
import type { CommandParams } from '../cdp/connection.ts';

export type DeviceMetrics = CommandParams<'Emulation.setDeviceMetricsOverride'>;

export class ClientViewports {
  /** What every page begins with; undefined for the size of its window. */
  usual: DeviceMetrics | undefined;
  readonly #byPage = new Map<string, DeviceMetrics | undefined>();

  /** @param page target id. @param metrics undefined when the client has cleared them */
  note(page: string, metrics: DeviceMetrics | undefined): void {
    this.#byPage.set(page, metrics);
  }

  /** What a page has without live views; undefined for the size of its window. */
  of(page: string): DeviceMetrics | undefined {
    return this.#byPage.has(page) ? this.#byPage.get(page) : this.usual;
  }

  /** Forgets a page that is gone. */
  forget(page: string): void {
    this.#byPage.delete(page);
  }
}
