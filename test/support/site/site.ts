// Starts the web site that the tests browse: a real HTTP and HTTPS server on loopback, on ports that the system
// chooses, which records every request. The other files of this folder contain tables of its pages.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { loopbackAddress } from '../listeners.ts';
import { echoSocket } from './socket.ts';
import { adPages } from './ads.ts';
import { codePages } from './code.ts';
import { livePages } from './live.ts';
import { behavior } from './behavior.ts';
import { examplePages } from './examples.ts';
import { exportPages } from './export.ts';
import { filePages } from '../../pages/page-file.ts';
import { bqlPages } from './bql.ts';
import { pages } from './pages.ts';
import { reachingPages } from './reaches.ts';
import { replayPages } from './replay.ts';
import { walkPages } from './walk.ts';

/** One request as the site saw it. */
export interface SiteRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** Path segments that the route names with a colon. */
  params: Record<string, string>;
  secure: boolean;
}

/** Handles one request. Returned text is sent as HTML with status 200; otherwise the handler writes the response. */
export type SiteHandler = (request: SiteRequest, response: ServerResponse, site: SiteAddresses) => string | void;

interface SiteAddresses {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  url: string;
  /** The same server under another host name, and so a different origin and site: `http://localhost:<port>`. */
  otherUrl: string;
  /** The same pages over HTTPS, with an untrusted certificate: `https://127.0.0.1:<port>`. */
  secureUrl: string;
}

export interface Site extends SiteAddresses, AsyncDisposable {
  port: number;
  /** A loopback URL on which no process listens. */
  refusingUrl: string;
  requests: SiteRequest[];
  /** Forgets the requests seen so far. */
  clear(): void;
  /** The latest request for this path; waits for one if there is none, and rejects after 25 s. */
  waitForRequest(path: string): Promise<SiteRequest>;
  /** Number of open sockets. */
  connections(): number;
  /** Resolves when exactly this many sockets are open (0 by default); rejects after 25 s. */
  waitForConnections(count?: number): Promise<void>;
  close(): Promise<void>;
}

const waitLimitMs = 25_000;

function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(text);
    else if (part !== text) return undefined;
  }
  return params;
}

/** Finds the handler of a path. Pages of one host (`shop.test/pay`) come first; other pages exist on every host. */
function findHandler(host: string, path: string): { handler: SiteHandler; params: Record<string, string> } | undefined {
  for (const [pattern, handler] of Object.entries({
    ...examplePages,
    ...pages,
    ...behavior,
    ...adPages,
    ...exportPages,
    ...filePages,
    ...bqlPages,
    ...codePages,
    ...livePages,
    ...replayPages,
    ...reachingPages,
    ...walkPages,
  })) {
    const params = match(pattern, pattern.startsWith('/') ? path : `${host}${path}`);
    if (params !== undefined) return { handler, params };
  }
  return undefined;
}

function flatten(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Starts a site. It listens on 127.0.0.1 only. */
export async function startSite(): Promise<Site> {
  const requests: SiteRequest[] = [];
  const sockets = new Set<Socket>();
  const watchers = new Set<() => void>();
  const notify = () => watchers.forEach((watcher) => watcher());
  const addresses: SiteAddresses = { url: '', otherUrl: '', secureUrl: '' };

  const until = async <T>(what: () => string, look: () => T | undefined): Promise<T> => {
    const now = look();
    if (now !== undefined) return now;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(
      () => reject(new Error(`the test site waited ${waitLimitMs} ms for ${what()}`)),
      waitLimitMs,
    );
    const watcher = () => {
      const value = look();
      if (value !== undefined) resolve(value);
    };
    watchers.add(watcher);
    return promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(watcher);
    });
  };

  const note = (incoming: IncomingMessage, secure: boolean): SiteRequest => {
    const url = new URL(incoming.url ?? '/', addresses.url);
    const found = findHandler(incoming.headers.host ?? '', url.pathname);
    const request: SiteRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: flatten(incoming.headers),
      params: found?.params ?? {},
      secure,
    };
    requests.push(request);
    notify();
    return request;
  };
  const answer = (secure: boolean) => (incoming: IncomingMessage, response: ServerResponse) => {
    const request = note(incoming, secure);
    const found = findHandler(request.headers['host'] ?? '', request.path);
    if (found === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page\n');
      return;
    }
    const html = found.handler(request, response, addresses);
    if (html === undefined) return;
    if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(html);
  };

  const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name));
  const plain = createServer(answer(false));
  const secure = createSecureServer(
    { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') },
    answer(true),
  );
  const ports: number[] = [];
  for (const server of [plain, secure]) {
    server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        notify();
      });
      notify();
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
      note(incoming, server === secure);
      echoSocket(incoming, socket);
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
    await promise;
    ports.push((server.address() as AddressInfo).port); // A listening TCP server's address is never text or null.
  }
  const [port = 0, securePort = 0] = ports;
  addresses.url = `http://127.0.0.1:${port}`;
  addresses.otherUrl = `http://localhost:${port}`;
  addresses.secureUrl = `https://127.0.0.1:${securePort}`;

  return {
    ...addresses,
    port,
    // Another test could take a port of 127.0.0.1 that was closed.
    refusingUrl: `http://${loopbackAddress()}:${port}/`,
    requests,
    clear: () => void requests.splice(0),
    waitForRequest: (path) =>
      until(
        () => `${path}; it saw ${requests.map((request) => request.path).join(' ') || 'nothing'}`,
        () => requests.findLast((request) => request.path === path),
      ),
    connections: () => sockets.size,
    waitForConnections: (count = 0) =>
      until(
        () => `${count} open connections; there are ${sockets.size}`,
        () => (sockets.size === count ? true : undefined),
      ).then(() => undefined),
    async close() {
      for (const socket of sockets) socket.destroy();
      for (const server of [plain, secure]) {
        const { promise, resolve } = Promise.withResolvers<void>();
        server.close(() => resolve());
        await promise;
      }
    },
    [Symbol.asyncDispose](this: Site) {
      return this.close();
    },
  };
}
