/** Declares the hostname of the demo site, which no resolver knows: the egress serves it inside this process. */
import { unbracketed } from '../../base/schema/request/addresses.ts';

const demoSiteHost = 'playground.localhost';
export const demoSitePort = 80;

/** Why the demo site is refused at another port. */
export const demoSiteRefusal = `${demoSiteHost} is available only at http://${demoSiteHost}/`;

/** True for the hostname of the demo site as browsers and clients write it. */
export function isDemoSite(host: string): boolean {
  return unbracketed(host).toLowerCase().replace(/\.$/, '') === demoSiteHost;
}
