/** Sets up every page of a browser that a client drives over CDP, by sessions of the server. */
import { attachToChildren, type ChildSetup } from '../cdp/auto-attach.ts';
import type { CdpSession } from '../cdp/connection.ts';

/**
 * Attaches to every present and future page of a browser until the connection ends (Target.setAutoAttach). New pages
 * start running only when all setups are in force.
 * @param root the browser session of one of the server's connections
 */
export async function onEveryPage(root: CdpSession, setups: readonly ChildSetup[]): Promise<void> {
  await attachToChildren(root, (child) => setups.flatMap((setup) => setup(child))).ready;
}
