/**
 * Sets the work area of a display. This is a separate module, so that the X11 library is loaded only with the first
 * display.
 */
import { createClient } from 'x11';
import type { Socket } from '../../../base/runtime/tcp.ts';
import { toBinaryText } from '../../../base/runtime/bytes.ts';
import { screen } from '../stealth/profile.ts';
import { cookieName } from './cookie.ts';

/**
 * @param stream a stream connected to the display
 * @param number the number of the display
 * @param cookie the cookie that the display requires; empty for none
 * @throws Error when the display refuses the client
 */
export function layOut(stream: Socket, number: string, cookie: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const auth = cookie.length === 0 ? { name: '', data: '' } : { name: cookieName, data: toBinaryText(cookie) };
  const connection = createClient({ display: `:${number}`, stream, auth }, (error, display) => {
    if (!display) return reject(error ?? new Error(`display :${number} did not respond`));
    const { client, screen: screens } = display;
    const root = screens[0]?.root ?? 0;
    // The library keeps the atoms of all displays in one table, but each display has its own numbers.
    client.atoms = { ...client.atoms };
    client.InternAtom(false, '_NET_WORKAREA', (failed, atom) => {
      if (failed) return reject(failed);
      const area = [0, 0, screen.width, screen.height - screen.panelHeight];
      client.ChangeProperty(0, root, atom, client.atoms.CARDINAL, 32, area);
      // The display responds in order: once it responds to this, the property is set.
      client.GetProperty(0, root, atom, 0, 0, area.length, (refused) => (refused ? reject(refused) : resolve()));
    });
  });
  // Later errors occur when the display exits, and nothing waits by then.
  connection.on('error', reject);
  return promise;
}
