// Serves the pages with widgets, the vendor substitutes and the innocent pages on one local HTTPS server, under all
// their hostnames: browsers use a proxy that maps every hostname to it.
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { innocentPages } from './innocent.ts';
import { captchaPages, furtherPages } from './pages.ts';
import { vendorResponse } from './vendors.ts';

export interface CaptchaSite {
  /** Origin of the pages: `https://site.test`. */
  url: string;
  /** The proxy through which browsers reach the site: `http://127.0.0.1:<port>`. */
  proxy: string;
  close(): Promise<void>;
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><text y="30">x7k2</text></svg>`;

/** The page for a path of site.test: a named page, or /innocent/<number>. */
function pageOf(path: string): string | undefined {
  const innocent = /^\/innocent\/(\d+)$/.exec(path)?.[1];
  if (innocent !== undefined) return innocentPages[Number(innocent)];
  return path === '/plain' ? '<p>plain</p>' : (captchaPages[path]?.html ?? furtherPages[path]);
}

export async function startCaptchaSite(): Promise<CaptchaSite> {
  const certificate = (name: string) => readFileSync(join(import.meta.dirname, '../../../support/fixtures', name));
  const site = createSecureServer(
    { key: certificate('localhost-key.pem'), cert: certificate('localhost-cert.pem') },
    (request, response) => {
      const url = new URL(request.url ?? '/', `https://${request.headers.host}`);
      const send = (type: string, text: string, status = 200) =>
        response.writeHead(status, { 'content-type': type }).end(text);
      const vendor = vendorResponse(url);
      if (vendor) return send(vendor.type, vendor.text);
      if (url.pathname.endsWith('.png')) return send('image/svg+xml', picture);
      if (url.pathname.startsWith('/cdn-cgi/')) return send('text/javascript', '0');
      const page = pageOf(url.pathname);
      const status = Number(url.searchParams.get('status') ?? 200);
      return page === undefined ? send('text/plain', 'no such page', 404) : send('text/html', page, status);
    },
  );
  const sitePort = await listen(site);
  const proxy = createHttpServer((_request, response) => response.writeHead(404).end());
  const open = new Set<Socket>();
  proxy.on('connect', (_request, client: Socket) => {
    const onward = connect(sitePort, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  const proxyPort = await listen(proxy);
  return {
    url: 'https://site.test',
    proxy: `http://127.0.0.1:${proxyPort}`,
    async close() {
      for (const socket of open) socket.destroy();
      site.closeAllConnections();
      proxy.closeAllConnections();
      await Promise.all([site, proxy].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // A listening TCP server's address is never a string or null.
}
