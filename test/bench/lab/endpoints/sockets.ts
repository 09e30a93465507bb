// Endpoints for sockets and sessions.
import { type Query, socketUrl } from '../../../support/clients/clients.ts';
import {
  loadPuppeteer,
  visitAfterReconnect,
  visitOverCdp,
  visitWithPlaywright,
  visitWithPuppeteer,
} from './clients.ts';
import { type Endpoint, requireSuccess } from './endpoint.ts';

type Row = Pick<Endpoint, 'name' | 'title' | 'stealth'>;

/** Puppeteer from the given package; a stealth endpoint uses the window's own size, as documented. */
export function puppeteerEndpoint(row: Row, path: string, packageName = 'puppeteer-core'): Endpoint {
  return {
    ...row,
    types: true,
    visit: async (service, visit) =>
      visitWithPuppeteer(socketUrl(service, path), visit, {
        library: await loadPuppeteer(packageName),
        ownViewport: row.stealth,
      }),
  };
}

export function overCdpEndpoint(row: Row, path: string, minor: string): Endpoint {
  return { ...row, types: true, visit: (service, visit) => visitOverCdp(service, path, minor, visit) };
}

export function playwrightEndpoint(row: Row, minor: string, query: Query = {}): Endpoint {
  return { ...row, types: true, visit: (service, visit) => visitWithPlaywright(service, minor, query, visit) };
}

/** A browser kept alive for the client to reconnect to. */
export function reconnectEndpoint(row: Row, path: string): Endpoint {
  return { ...row, types: true, visit: (service, visit) => visitAfterReconnect(service, path, visit) };
}

/** A new session for each visit, driven with Puppeteer through the session's URL. */
export function sessionEndpoint(row: Row, body: Record<string, unknown>): Endpoint {
  return {
    ...row,
    types: true,
    async visit(service, visit) {
      const reply = await service.post('/session', { ttl: 120_000, ...body }, { signal: visit.signal });
      requireSuccess(reply);
      const session = reply.json<{ id: string; connect: string }>();
      try {
        await visitWithPuppeteer(session.connect, visit);
      } finally {
        await service.get(`/session/${session.id}`, { method: 'DELETE', query: { force: true } });
      }
    },
  };
}
