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

/**
 * Starts the check, which ends with the connection.
 * @param inUse silence counts only while this returns true
 * @param lost called when the browser has not responded for 5 s
 * @param dead called when the browser has not responded for 15 s
 */
export function watchPulse(connection: CdpConnection, inUse: () => boolean, lost: () => void, dead: () => void): void {
  let received = 0;
  let silentBeats = 0;
  const beat = () => {
    if (!inUse() || connection.received !== received) {
      ({ received } = connection);
      silentBeats = 0;
      return;
    }
    silentBeats++;
    // A page that waits is silent too: ask its browser.
    if (silentBeats === 1) connection.root.send('Browser.getVersion').catch(() => {});
    if (silentBeats === lostBeats) lost();
    if (silentBeats === deadBeats) dead();
  };
  const timer = setInterval(beat, beatMs);
  // This timer alone must not keep the process alive (Deno and Node return a timer object here).
  if (typeof timer === 'object') timer.unref();
  connection.closed.addEventListener('abort', () => clearInterval(timer), { once: true });
}
