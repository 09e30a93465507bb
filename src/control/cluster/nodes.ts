/** The servers of a cluster: how they are found, the paths at which they ask each other, the errors for lost ones. */
import { ServiceError } from '../../base/errors.ts';

/** Finds the servers of a cluster. */
export interface Nodes {
  /**
   * Where a server listens for the others, by its name; undefined for one that is not in the cluster now.
   * @throws ServiceError `node-unreachable` while that cannot be known; the reason of the signal
   */
  addressOf(node: string, signal: AbortSignal): Promise<URL | undefined>;
  /** Where the other servers listen. @throws ServiceError `registry-down` while that cannot be known */
  others(): Promise<readonly URL[]>;
  /** True when it is known that a server that does not answer has left the cluster. */
  hasLeft(node: string): Promise<boolean>;
}

/** Path that returns the name of a server. */
export const namePath = '/cluster/node';
/** Path that returns whether a server holds a session, a profile or a recording. */
export const holdsPath = '/cluster/holds';

export const nodeGone = (): ServiceError =>
  new ServiceError(
    'node-gone',
    'The server that had this session has left the cluster, and its sessions have ended. Begin a new one.',
  );

export const nodeUnreachable = (): ServiceError =>
  new ServiceError('node-unreachable', 'The server that has this session does not answer. Try again in a moment.');
