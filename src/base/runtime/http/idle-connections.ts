/**
 * Limits the connections of a server, so that clients that only connect, or do not read their response, leave
 * descriptors for clients that send requests.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readSystemFile } from '../machine.ts';

/** Browsers, files and sockets to other servers need the other half of the descriptors. */
const shareOfDescriptors = 0.5;

/** How many descriptors this process may open; undefined if the system does not report it. */
function descriptorLimit(): number | undefined {
  const limits = readSystemFile('/proc/self/limits') ?? '';
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

interface Connection {
  /** Marks the connection as idle. */
  rest(): void;
  /** True while a response on the connection is incomplete. */
  isAnswering(): boolean;
}

const connections = new WeakMap<Socket, Connection>();

/** Marks a connection as idle, such as one whose upgrade was refused. */
export function countAsIdle(socket: Socket): void {
  connections.get(socket)?.rest();
}

/** True while a response on the connection is incomplete. */
export function isAnswering(socket: Socket): boolean {
  return connections.get(socket)?.isAnswering() ?? false;
}

/**
 * Whenever there are too many connections, closes the one that has been idle longest. If none is idle, closes the one
 * whose request is the oldest among those that are incomplete or whose response is not being read.
 */
export function limitConnections(server: Server): void {
  const most = Math.floor((descriptorLimit() ?? Infinity) * shareOfDescriptors);
  const open = new Set<Socket>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  /**
   * Connections with requests in progress, with the number of requests and the last one; ordered by the start of the
   * first request.
   */
  const busy = new Map<Socket, { count: number; last: IncomingMessage }>();
  const slow = () => [...busy].find(([socket, { last }]) => socket.writableLength > 0 || !last.complete)?.[0];
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    idle.add(socket);
    connections.set(socket, {
      rest() {
        busy.delete(socket);
        if (open.has(socket)) idle.add(socket);
      },
      isAnswering: () => busy.has(socket),
    });
    socket.once('close', () => {
      open.delete(socket);
      idle.delete(socket);
      busy.delete(socket);
    });
    if (open.size <= most) return;
    const [oldest] = idle;
    (oldest === socket ? (slow() ?? oldest) : oldest)?.destroy();
  });
  server.prependListener('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming;
    idle.delete(socket);
    const requests = busy.get(socket) ?? { count: 0, last: incoming };
    busy.set(socket, requests);
    requests.count++;
    requests.last = incoming;
    response.once('close', () => {
      if (--requests.count === 0 && busy.get(socket) === requests) countAsIdle(socket);
    });
  });
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => idle.delete(socket));
}
