/** The answer to calls for what a server had that has left its cluster. */
import { ServiceError } from '../errors.ts';

export const nodeGone = (): ServiceError =>
  new ServiceError(
    'node-gone',
    'The server that had this session has left the cluster, and its sessions have ended. Begin a new one.',
  );
