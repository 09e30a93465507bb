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
