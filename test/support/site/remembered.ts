// Serves a site whose responses browsers remember: HTTP logins, caches, HSTS, TLS sessions, connections. One port
// serves both HTTP and HTTPS, as HSTS requires, on two loopback addresses, for tests in which a host name changes its
// address.
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

/** One request as the site saw it. */
export interface RememberedRequest {
  host: string;
  path: string;
  secure: boolean;
  authorization: string | undefined;
  /** The client's port, which differs for each connection. */
  connection: number;
  /** Whether the connection resumed an earlier TLS session. */
  resumed: boolean;
  /** The address at which the site was reached. */
  address: string;
}

export interface RememberedSite {
  port: number;
  requests: RememberedRequest[];
  /** The switch that makes Chromium trust the site's certificate. */
  trustingSwitch: string;
  close(): Promise<void>;
}

/** First byte of a TLS connection: a handshake record (RFC 8446 section 5.1). */
const handshakeRecord = 0x16;
export const addresses = ['127.0.0.1', '127.0.0.2'] as const;

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name));

/** @returns status, headers and body of a page */
function pageAt(path: string, authorization: string | undefined): [number, Record<string, string>, string] {
  const html = { 'content-type': 'text/html', 'cache-control': 'no-store' };
  const script = { 'content-type': 'text/javascript' };
  if (path === '/strict') return [200, { ...html, 'strict-transport-security': 'max-age=1000' }, 'strict'];
  if (path === '/login' && authorization === undefined) {
    return [401, { ...html, 'www-authenticate': 'Basic realm="site"' }, 'log in'];
  }
  if (path === '/once') return [200, { ...html, connection: 'close' }, 'once'];
  if (path === '/kept.js') return [200, { ...script, 'cache-control': 'max-age=1000' }, ''];
  if (path.startsWith('/with-script/')) return [200, html, '<script src="/kept.js"></script>'];
  if (path === '/counter.js') return [200, script, 'let n = 0; onconnect = ({ ports: [p] }) => p.postMessage(++n);'];
  return [200, html, 'page'];
}

export async function startRememberedSite(): Promise<RememberedSite> {
  const requests: RememberedRequest[] = [];
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket, headers, url: path = '/' } = incoming;
    const secure = socket instanceof TLSSocket;
    requests.push({
      host: (headers.host ?? '').replace(/:.*/, ''),
      path,
      secure,
      authorization: headers.authorization,
      connection: socket.remotePort ?? 0,
      resumed: secure && socket.isSessionReused(),
      address: socket.localAddress ?? '',
    });
    const [status, more, body] = pageAt(path, headers.authorization);
    response.writeHead(status, more).end(body);
  };
  const certificate = fixture('localhost-cert.pem');
  const plain = createHttpServer(answer);
  const secure = createHttpsServer({ key: fixture('localhost-key.pem'), cert: certificate }, answer);
  for (const server of [plain, secure]) server.keepAliveTimeout = 0;
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1);
      if (first === null) return;
      socket.unshift(first);
      (first[0] === handshakeRecord ? secure : plain).emit('connection', socket);
    });
  };
  let port = 0;
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer(accept);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject).listen(port, address, resolve);
    await promise;
    ({ port } = server.address() as AddressInfo); // A listening TCP server's address is never text or null.
    servers.push(server);
  }
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return {
    port,
    requests,
    trustingSwitch: `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    },
  };
}
