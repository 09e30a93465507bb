/**
 * Creates virtual browsers for clients, in processes of their account that contain nothing else. Starts the first
 * process for the first such client, and closes a process some time after its last virtual browser.
 */
import { orReleased } from '../../../base/runtime/deadline.ts';
import type { Mode } from '../catalog.ts';
import type { Executable } from '../executable.ts';
import type { BrowserHost, BrowserProcess } from '../process.ts';
import type { VirtualBrowser } from '../virtual/browser.ts';
import { type SharedKind, SharedBrowsers } from './shared-browsers.ts';
import { SpareBrowsers } from './spare-browsers.ts';
import { VirtualProcess, type VirtualProcessOptions } from './virtual-process.ts';

/**
 * Time in milliseconds after the arrival of a client at which the next spare is created: a small page has loaded by
 * then.
 */
const spareAfterMs = 100;

export interface VirtualBrowsersOptions extends Pick<VirtualProcessOptions, 'wear' | 'inBackground' | 'busy'> {
  startProcess(kind: SharedKind): Promise<BrowserProcess>;
  /** How many spares may wait for clients now; undefined when each virtual browser is created for its client. */
  spares: (() => number) | undefined;
  /** Time in milliseconds after which a process without a virtual browser exits. */
  idleMs: number;
  host: BrowserHost;
}

export class VirtualBrowsers {
  readonly #options: VirtualBrowsersOptions;
  readonly #processes: SharedBrowsers<VirtualProcess>;
  readonly #spares: SpareBrowsers<VirtualBrowser>;
  readonly #stopping = new AbortController();

  constructor(options: VirtualBrowsersOptions) {
    const { inBackground, host } = options;
    this.#options = options;
    this.#processes = new SharedBrowsers({
      make: async (kind) => VirtualProcess.open(await options.startProcess(kind), { ...options, ids: host.ids }),
      idleMs: options.idleMs,
      inBackground,
      host,
    });
    this.#spares = new SpareBrowsers({
      start: (executable, mode, signal) => this.#make({ executable, mode, group: '' }, undefined, signal),
      end: (browser) => inBackground(browser.close()),
      max: options.spares ?? (() => 0),
      min: 0,
      pauseMs: spareAfterMs,
    });
  }

  /** @throws LaunchFailed; any error that the browser reports; the signal's abort reason */
  take(kind: SharedKind, proxyServer: string | undefined, signal: AbortSignal): Promise<VirtualBrowser> {
    const taking =
      proxyServer === undefined && this.#options.spares
        ? this.#takeSpare(kind.executable, kind.mode, signal)
        : this.#make(kind, proxyServer, signal);
    return orReleased(taking, signal, (late) => this.#options.inBackground(late.close()));
  }

  async #takeSpare(executable: Executable, mode: Mode, signal: AbortSignal): Promise<VirtualBrowser> {
    for (;;) {
      const browser = await this.#spares.take(executable, mode, signal);
      if (!browser.unfit.aborted) return browser;
      this.#options.inBackground(browser.close());
      signal.throwIfAborted();
    }
  }

  /** Closes all virtual browsers. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the pool has stopped'));
    await Promise.allSettled(this.#spares.waiting());
    const processes = await Promise.allSettled(this.#processes.starting());
    await Promise.all(processes.map((each) => (each.status === 'fulfilled' ? each.value.stop() : undefined)));
  }

  /** @param signal the signal of the one request that needs it; omitted for a spare */
  async #make(
    kind: SharedKind,
    proxyServer: string | undefined,
    signal = this.#stopping.signal,
  ): Promise<VirtualBrowser> {
    const taking = {
      take: (process: VirtualProcess) => process.make(proxyServer),
      release: (_: VirtualProcess, late: VirtualBrowser) => this.#options.inBackground(late.close()),
    };
    return (await this.#processes.take(kind, taking, signal)).taken;
  }
}
