// Starts real proxies on loopback that require a user name and password and record their targets: HTTP (RFC 9110, 9112:
// forwarding and CONNECT) and SOCKS5 (RFC 1928, 1929). They resolve names under .test and .localhost to this machine.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

interface SeenConnection {
  /** `GET http://host:port/path` or `CONNECT host:port`. */
  target: string;
  /** User name and password from the client, joined by a colon; undefined without them. */
  credentials: string | undefined;
}

export interface TestProxy extends AsyncDisposable {
  port: number;
  seen: SeenConnection[];
  /** The proxy's URL with the given credentials, by default its own. */
  url(user?: string, password?: string): string;
  /** Targets that the proxy connected to. */
  targets(): string[];
  /** Open sockets of clients. */
  connections(): number;
  close(): Promise<void>;
}

export const proxyUser = 'canary-user';
export const proxyPassword = 'canary-proxy-p@ss';

export interface TestProxyOptions {
  /** Whether the proxy accepts the credentials. Default: only the two above. */
  accepts?: (user: string, password: string) => boolean;
  /** Speaks TLS with the certificate of the test site. */
  secure?: boolean;
  /** Ports of this machine that replace the default ports of names under .test (`{ 443: site.securePort }`). */
  ports?: Record<number, number>;
}

const ownCredentials = (user: string, password: string) => user === proxyUser && password === proxyPassword;
const realHost = (host: string) => (/\.(test|localhost)$/.test(host) ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''));

async function listen(server: Server, scheme: string, host: string, seen: SeenConnection[]): Promise<TestProxy> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => resolve());
  await promise;
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never text or null.
  const proxy: TestProxy = {
    port,
    seen,
    url: (user = proxyUser, password = proxyPassword) =>
      `${scheme}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}`,
    targets: () => seen.map(({ target }) => target),
    connections: () => open.size,
    async close() {
      for (const socket of open) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
  return proxy;
}

/** User name template of a residential proxy provider: clients choose the parts in brackets. */
const providerUser = 'customer[-cc-{country}][-st-{state}][-city-{city}][-sid-{session}]';

/** Starts a residential proxy provider, which accepts every user name with the password of `providerUrl`. */
export function startProvider(): Promise<TestProxy> {
  return startHttpProxy({ accepts: (_user, password) => password === proxyPassword });
}

/** RESIDENTIAL_PROXY_URL of a server that has this provider. */
export function providerUrl({ port }: TestProxy, user = providerUser): string {
  return `http://${user}:${encodeURIComponent(proxyPassword)}@127.0.0.1:${port}`;
}

export async function startHttpProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const accepts = options.accepts ?? ownCredentials;
  const seen: SeenConnection[] = [];
  const admit = (incoming: IncomingMessage): boolean => {
    const header = incoming.headers['proxy-authorization'];
    const credentials = header && Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
    const [user = '', ...password] = (credentials ?? '').split(':');
    const admitted = accepts(user, password.join(':'));
    if (admitted) seen.push({ target: `${incoming.method} ${incoming.url}`, credentials });
    return admitted;
  };
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name));
  const server =
    options.secure === true
      ? createHttpsServer({ key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') })
      : createHttpServer();
  server.on('request', (incoming, response) => {
    if (!admit(incoming)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="test proxy"' }).end('credentials, please\n');
      return;
    }
    const url = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = incoming.headers;
    const onward = httpRequest(
      {
        host: realHost(url.hostname),
        port: options.ports?.[Number(url.port) || 80] ?? url.port,
        path: `${url.pathname}${url.search}`,
        method: incoming.method,
        headers,
        agent: false,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, via: '1.1 test-proxy' });
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Uint8Array) => {
    client.on('error', () => undefined);
    if (!admit(incoming)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="test proxy"\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const wanted = Number(port) || 80;
    const site = connect(options.ports?.[wanted] ?? wanted, realHost(hostname), () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      site.write(head);
      joined(client, site);
    });
    site.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  const scheme = options.secure === true ? 'https' : 'http';
  return listen(server, scheme, options.secure === true ? 'localhost' : '127.0.0.1', seen);
}

export function startSocksProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const accepts = options.accepts ?? ownCredentials;
  const seen: SeenConnection[] = [];
  const server = createServer((client) => {
    void serveSocks(client, accepts, seen).catch(() => client.destroy());
  });
  return listen(server, 'socks5', '127.0.0.1', seen);
}

async function serveSocks(
  client: Socket,
  accepts: (user: string, password: string) => boolean,
  seen: SeenConnection[],
): Promise<void> {
  const take = reader(client);
  const [, methodCount = 0] = await take(2);
  const methods = await take(methodCount);
  if (!methods.includes(2)) return void client.end(Uint8Array.of(5, 0xff));
  client.write(Uint8Array.of(5, 2));
  const [, userLength = 0] = await take(2);
  const user = new TextDecoder().decode(await take(userLength));
  const [passwordLength = 0] = await take(1);
  const password = new TextDecoder().decode(await take(passwordLength));
  if (!accepts(user, password)) return void client.end(Uint8Array.of(1, 1));
  client.write(Uint8Array.of(1, 0));
  const [, , , type] = await take(4);
  const host =
    type === 1 ? [...(await take(4))].join('.') : new TextDecoder().decode(await take((await take(1))[0] ?? 0));
  const [high = 0, low = 0] = await take(2);
  const port = high * 256 + low;
  seen.push({ target: `CONNECT ${host}:${port}`, credentials: `${user}:${password}` });
  const site = connect(port, realHost(host), () => {
    client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    take.release();
    joined(client, site);
  });
  site.on('error', () => client.end(Uint8Array.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)));
}

/** Reads exact numbers of bytes; `release` stops reading, so that the socket can be piped. */
function reader(socket: Socket): ((count: number) => Promise<Uint8Array>) & { release(): void } {
  let bytes = Buffer.alloc(0);
  let wake = () => {};
  const onData = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  };
  socket.on('data', onData);
  socket.on('close', () => wake());
  const take = async (count: number) => {
    while (bytes.length < count) {
      if (socket.destroyed) throw new Error('closed');
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    const taken = bytes.subarray(0, count);
    bytes = bytes.subarray(count);
    return taken;
  };
  return Object.assign(take, {
    release: () => {
      socket.pause();
      socket.off('data', onData);
      if (bytes.length > 0) socket.unshift(bytes);
    },
  });
}

function joined(left: Socket, right: Socket): void {
  left.pipe(right).pipe(left);
  // A client that ends its half of the connection has disconnected: close the connection to the site too.
  left.on('end', () => right.destroy());
  left.on('close', () => right.destroy());
  right.on('close', () => left.destroy());
}
