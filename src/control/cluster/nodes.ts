/**
 * Declares how the servers in a cluster are found, the paths at which they ask each other, and the errors for lost
 * servers.
 */
import { ServiceError } from '../../base/errors.ts';

/** Finds the servers in a cluster. */
export interface Nodes {
  /**
   * Where the server with this name listens for the others; undefined when it is not in the cluster now.
   * @throws ServiceError `node-unreachable` while that cannot be determined; the signal's abort reason
   */
  addressOf(node: string, signal: AbortSignal): Promise<URL | undefined>;
  /** Where the other servers listen. @throws ServiceError `registry-down` while that cannot be determined */
  others(): Promise<readonly URL[]>;
  /** True when a server that is not responding is known to have left the cluster. */
  hasLeft(node: string): Promise<boolean>;
}

/**
 * Resources that one server in a cluster holds. The others look them up, since their ids do not identify that server:
 * page ids come from Chromium, recordings outlive their server, and users choose the other names. `session` looks up
 * whether a token grants access to it.
 */
export const resourceKinds = ['page', 'recording', 'tracking-id', 'profile', 'secret', 'session'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export interface ResourceRef {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** Path that returns the name of a server. */
export const namePath = '/cluster/node';
/** Path that returns whether a server holds a session, a profile or a recording. */
export const holdsPath = '/cluster/holds';

export const nodeGone = (): ServiceError =>
  new ServiceError(
    'node-gone',
    'The server that had this session has left the cluster, and its sessions have ended. Start a new session.',
  );

export const nodeUnreachable = (): ServiceError =>
  new ServiceError('node-unreachable', 'The server that has this session is not responding. Try again in a moment.');
