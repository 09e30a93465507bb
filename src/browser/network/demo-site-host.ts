/** The name of the demo site, which no resolver knows: the egress answers it inside of this process. */
import { unbracketed } from '../../base/schema/request/addresses.ts';

const demoSiteHost = 'playground.localhost';
export const demoSitePort = 80;

/** Why the demo site does not answer at another port. */
export const demoSiteRefusal = `${demoSiteHost} answers http://${demoSiteHost}/ alone`;

/** True for the name of the demo site as browsers and clients write it. */
export function isDemoSite(host: string): boolean {
  return unbracketed(host).toLowerCase().replace(/\.$/, '') === demoSiteHost;
}
