/** Bounds the connections of a server, so that clients that only connect leave descriptors for those that call. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readSystemFile } from '../machine.ts';

/** Browsers, files and sockets to other servers need the other half of the descriptors. */
const shareOfDescriptors = 0.5;

/** How many descriptors this process may have open; undefined where the system does not say. */
function descriptorLimit(): number | undefined {
  const limits = readSystemFile('/proc/self/limits') ?? '';
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Closes the connection that has been without a request for the longest time whenever there are too many. */
export function boundConnections(server: Server): void {
  const limit = descriptorLimit();
  if (limit === undefined) return;
  const most = Math.floor(limit * shareOfDescriptors);
  const open = new Set<Socket>();
  /** In the order in which they have become idle. */
  const idle = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (open.size > most) oldest?.destroy();
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => idle.delete(socket));
}
