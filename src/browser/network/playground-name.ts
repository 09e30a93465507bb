/** The name of the playground, which no resolver knows: the egress answers it inside of this process. */
import { unbracketed } from '../../base/schema/request/addresses.ts';

const playgroundName = 'playground.localhost';
export const playgroundPort = 80;

/** Why the playground does not answer at another port. */
export const playgroundRefusal = `${playgroundName} answers http://${playgroundName}/ alone`;

/** True for the name of the playground as browsers and clients write it. */
export function isPlayground(host: string): boolean {
  return unbracketed(host).toLowerCase().replace(/\.$/, '') === playgroundName;
}
