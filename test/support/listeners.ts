// Finds where processes listen and what they have not read, from /proc (TCP ports and Unix sockets; empty on systems
// other than Linux), and an address where no process listens.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

const listening = '0A';

/** Inode numbers of the sockets that a process has open. */
function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    // The process has exited.
    return [];
  }
}

function rows(path: string): string[][] {
  try {
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}

const tcpRows = () => ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(rows);

const portIn = (address = ''): number => parseInt(address.split(':')[1] ?? '', 16);

/** The TCP ports, IPv4 and IPv6, on which these processes listen. */
export function portsOf(pids: readonly number[]): number[] {
  const own = new Set(pids.flatMap(socketsOf));
  return tcpRows().flatMap(([, local, , state, , , , , , socket = '']) =>
    state === listening && own.has(socket) ? [portIn(local)] : [],
  );
}

/** Bytes sent on this connection to a server on this machine that the server has not read. */
export function unreadTcpBytes({ localPort, remotePort }: Socket): number {
  return tcpRows()
    .map(([, local, remote, , queues = '']) => {
      const [sent = 0, received = 0] = queues.split(':').map((bytes) => parseInt(bytes, 16));
      if (portIn(local) === localPort && portIn(remote) === remotePort) return sent;
      return portIn(local) === remotePort && portIn(remote) === localPort ? received : 0;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Paths of the Unix sockets on which these processes listen. */
export function socketPathsOf(pids: readonly number[]): string[] {
  const own = new Set(pids.flatMap(socketsOf));
  // The kernel's __SO_ACCEPTCON flag: the socket is listening.
  const accepts = '00010000';
  return rows('/proc/net/unix').flatMap(([, , , flags, , , socket = '', path]) =>
    flags === accepts && path !== undefined && own.has(socket) ? [path] : [],
  );
}

/** An address of this machine that no other process listens on: ports that are free there stay free. */
export function loopbackAddress(): string {
  const part = () => 1 + Math.floor(Math.random() * 254);
  return `127.${part()}.${part()}.${part()}`;
}
