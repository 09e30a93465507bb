/** The answers to calls for what a server has that has left its cluster, or is not reached. */
import { ServiceError } from '../../base/errors.ts';

export const nodeGone = (): ServiceError =>
  new ServiceError(
    'node-gone',
    'The server that had this session has left the cluster, and its sessions have ended. Begin a new one.',
  );

export const nodeUnreachable = (): ServiceError =>
  new ServiceError('node-unreachable', 'The server that has this session does not answer. Try again in a moment.');
