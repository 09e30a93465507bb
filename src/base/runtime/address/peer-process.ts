/**
 * Finds out whether a loopback connection comes from this server or one of its descendant processes. Chromium cannot
 * send a password to a SOCKS proxy, so the kernel has to identify the peer:
 *
 *   port of the peer ──/proc/net/tcp──▶ inode of its socket ──/proc/<pid>/fd──▶ process ──/proc/<pid>/stat──▶ ancestors
 *
 * A lookup walks the kernel's connection table, which takes about 1 ms for each 10,000 slots of that table, off the
 * main thread: use it for ports that protect a secret, not for every page load.
 *
 * Works on Linux only. Elsewhere, and where /proc does not show sockets, every connection is accepted.
 */
import { close, open, read, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { listen } from './listen-address.ts';

interface PeerSocket {
  inode: string;
  uid: number;
}

/** Number of processes whose sockets are remembered. */
const rememberedProcesses = 64;
/** Longest chain of ancestors between a process and the server. */
const maxAncestors = 32;

/** Inodes of the sockets that the server's processes held when last checked, most recent match last. */
const socketsOf = new Map<number, ReadonlySet<string>>();
let supported: Promise<boolean> | undefined;

const answers = new WeakMap<Socket, Promise<boolean>>();

/** Whether the other end of a loopback connection belongs to this process or to one of its descendants. */
export function isOwnPeer(socket: Socket): Promise<boolean> {
  let answer = answers.get(socket);
  if (answer === undefined) {
    supported ??= process.platform === 'linux' ? probe().catch(() => false) : Promise.resolve(false);
    answer = supported.then((checks) => !checks || belongsToServer(socket)).catch(() => false);
    answers.set(socket, answer);
  }
  return answer;
}

/**
 * Closes connections from other programs and users before the server sees them. Call this after the last `connection`
 * listener has been added. Deno's HTTP servers do not emit `connection`: check each request with `isOwnPeer` as well.
 */
export function hideFromOthers(server: Server): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const ignore = () => {};
    socket.on('error', ignore);
    void isOwnPeer(socket).then((own) => {
      if (!own || !server.listening) return socket.destroy();
      socket.off('error', ignore);
      if (!socket.destroyed) for (const listener of listeners) listener.call(server, socket);
      return undefined;
    });
  });
}

async function belongsToServer(socket: Socket): Promise<boolean> {
  const peer = await peerOf(socket);
  // Most refusals end here, which keeps them cheap: all descendants of the server run as its user.
  if (peer === undefined || peer.uid !== process.getuid?.()) return false;
  for (const inodes of socketsOf.values()) if (inodes.has(peer.inode)) return true;
  const looked = new Set<number>();
  for (const pid of [...socketsOf.keys()].toReversed()) {
    looked.add(pid);
    if (isDescendant(pid) && holds(pid, peer.inode) === true) return true;
  }
  let hidden = false;
  const others: number[] = [];
  // Newest first: a browser that has just started makes most of the connections of unknown processes.
  for (const pid of (await processIds()).toReversed()) {
    if (looked.has(pid)) continue;
    if (!isDescendant(pid)) {
      others.push(pid);
      continue;
    }
    const held = holds(pid, peer.inode);
    if (held === true) return true;
    hidden ||= held === undefined;
    await nextTurn();
  }
  // A sandboxed process may hide its sockets even from its own user. In that case, refuse only sockets that other
  // processes visibly hold.
  if (!hidden) return false;
  for (const pid of others) {
    if (socketsIn(pid)?.has(peer.inode) === true) return false;
    await nextTurn();
  }
  return true;
}

/** Whether one of the server's processes holds a socket; undefined when its sockets cannot be read. */
function holds(pid: number, inode: string): boolean | undefined {
  const inodes = socketsIn(pid);
  if (inodes?.has(inode) !== true) return inodes && false;
  socketsOf.delete(pid);
  socketsOf.set(pid, inodes);
  const [oldest] = socketsOf.keys();
  if (socketsOf.size > rememberedProcesses && oldest !== undefined) socketsOf.delete(oldest);
  return true;
}

/** The inodes of a process's sockets, empty once it has exited; undefined when they cannot be read. */
function socketsIn(pid: number): ReadonlySet<string> | undefined {
  const inodes = new Set<string>();
  let names: string[];
  try {
    names = readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    socketsOf.delete(pid);
    const ended = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
    return ended ? inodes : undefined;
  }
  for (const name of names) {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      if (target.startsWith('socket:[')) inodes.add(target.slice('socket:['.length, -1));
    } catch {
      // Closed since the directory was read.
    }
  }
  return inodes;
}

/** Whether a process is this one or descends from it. */
function isDescendant(pid: number): boolean {
  let current = pid;
  for (let step = 0; step < maxAncestors && current > 0; step++) {
    if (current === process.pid) return true;
    const { parent, group } = relativesOf(current);
    // An orphaned process still belongs to the group of the browser that started it.
    current = parent === 1 && process.pid !== 1 && group !== current ? group : parent;
  }
  return false;
}

function relativesOf(pid: number): { parent: number; group: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Fields 4 and 5 of proc_pid_stat(5); the second, the command, may contain spaces.
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), group: Number(group) };
  } catch {
    return { parent: 0, group: 0 };
  }
}

async function processIds(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : [])).toSorted((a, b) => a - b);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The socket at the other end; undefined once it has closed. Firefox uses IPv6 sockets for IPv4 too. */
async function peerOf(socket: Socket): Promise<PeerSocket | undefined> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (remoteAddress === undefined || localAddress === undefined) return undefined;
  const [from, to] = [endpoint(remoteAddress, remotePort), endpoint(localAddress, localPort)];
  const look = async () =>
    (await ipv4Sockets.find(` ${from} ${to} `)) ?? ipv6Sockets.find(` ${mappedPrefix}${from} ${mappedPrefix}${to} `);
  // A pass can miss a row while other rows are added and removed.
  return (await look()) ?? (socket.destroyed ? undefined : look());
}

const mappedPrefix = '0000000000000000FFFF0000';

/** An IPv4 address and port as in /proc/net/tcp: the address is a number in the byte order of the machine. */
function endpoint(address: string, port = 0): string {
  const bytes = address.replace('::ffff:', '').split('.').map(Number).toReversed();
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(port, 4)}`;
}

/** The kernel returns one memory page of the table at a time. */
const pieceBytes = 4096;
const openForReading = promisify(open);

interface Search {
  ends: string;
  resolve(found: PeerSocket | undefined): void;
}

/**
 * Finds sockets in a kernel table, with one pass for all waiting searches. A pass costs milliseconds on a machine with
 * many connections: it runs off the main thread and stops as soon as all are found.
 */
class SocketTable {
  readonly #path: string;
  #waiting: Search[] = [];
  #running = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param ends local and remote address of the socket, as in the table */
  find(ends: string): Promise<PeerSocket | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ ends, resolve });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const searches = this.#waiting;
      this.#waiting = [];
      const left = await this.#pass(searches).catch(() => searches);
      for (const { resolve } of left) resolve(undefined);
    }
    this.#running = false;
  }

  /** Resolves the searches that succeed. @returns the others */
  async #pass(searches: Search[]): Promise<Search[]> {
    const file = await openForReading(this.#path, 'r');
    return new Promise((resolve) => {
      const piece = new Uint8Array(pieceBytes);
      const decoder = new TextDecoder('latin1');
      let text = '';
      let left = searches;
      const next = () =>
        read(file, piece, 0, pieceBytes, null, (error, count) => {
          if (error || count === 0) return done();
          text += decoder.decode(piece.subarray(0, count));
          const end = text.lastIndexOf('\n') + 1;
          const lines = text.slice(0, end);
          text = text.slice(end);
          left = left.filter((search) => {
            const at = lines.indexOf(search.ends);
            if (at >= 0) search.resolve(socketAt(lines, at + search.ends.length));
            return at < 0;
          });
          return left.length > 0 ? next() : done();
        });
      const done = () => close(file, () => resolve(left));
      next();
    });
  }
}

const ipv4Sockets = new SocketTable('/proc/self/net/tcp');
const ipv6Sockets = new SocketTable('/proc/self/net/tcp6');

/** Parses the columns after the addresses: state, queues, timer, retransmissions, uid, timeout, inode. */
function socketAt(lines: string, at: number): PeerSocket | undefined {
  const [, , , , uid, , inode = '0'] = lines.slice(at, lines.indexOf('\n', at)).split(/ +/);
  // The socket no longer belongs to a process.
  return inode === '0' ? undefined : { uid: Number(uid), inode };
}

/** Whether /proc shows that a connection of this process to itself is its own. */
async function probe(): Promise<boolean> {
  const server = createServer();
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = connect(await listen(server, '127.0.0.1', 0), '127.0.0.1');
  client.on('error', () => {});
  const socket = await accepted;
  const own = await belongsToServer(socket);
  client.destroy();
  socket.destroy();
  server.close();
  return own;
}
