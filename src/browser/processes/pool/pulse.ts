/**
 * Checks that a browser in use still responds: one that is paused, or whose main thread hangs, does not report this
 * itself. Counts time in timer ticks (beats), so that a pause of the server does not look like silence of the browser.
 */
import type { CdpConnection } from '../../cdp/process-connection.ts';

const beatMs = 1_000;
/**
 * Silence in beats after which the browser no longer receives jobs. Browser.getVersion goes out after the first silent
 * beat.
 */
const lostBeats = 5;
/** Silence in beats after which we give up on the browser. */
const deadBeats = 15;

export class Pulse implements Disposable {
  readonly #connection: CdpConnection;
  readonly #inUse: () => boolean;
  readonly #lost: () => void;
  readonly #dead: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #received = 0;
  #silentBeats = 0;

  /**
   * @param inUse silence counts only while this returns true
   * @param lost called when the browser has not responded for 5 s
   * @param dead called when the browser has not responded for 15 s
   */
  constructor(connection: CdpConnection, inUse: () => boolean, lost: () => void, dead: () => void) {
    this.#connection = connection;
    this.#inUse = inUse;
    this.#lost = lost;
    this.#dead = dead;
    this.#timer = setInterval(() => this.#beat(), beatMs);
    // This timer alone must not keep the process alive (Deno and Node return a timer object here).
    if (typeof this.#timer === 'object') this.#timer.unref();
    connection.closed.addEventListener('abort', () => this[Symbol.dispose](), { once: true });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const { received, root } = this.#connection;
    if (!this.#inUse() || received !== this.#received) {
      this.#received = received;
      this.#silentBeats = 0;
      return;
    }
    this.#silentBeats++;
    // A page that waits is silent too: ask its browser.
    if (this.#silentBeats === 1) root.send('Browser.getVersion').catch(() => {});
    if (this.#silentBeats === lostBeats) this.#lost();
    if (this.#silentBeats === deadBeats) this.#dead();
  }
}
