// Doors for sockets and sessions.
import { type Query, socketUrl } from '../../support/clients/clients.ts';
import {
  loadPuppeteer,
  visitAfterReconnect,
  visitOverCdp,
  visitWithPlaywright,
  visitWithPuppeteer,
} from './clients.ts';
import { type Door, requireSuccess } from './door.ts';

type Row = Pick<Door, 'name' | 'title' | 'stealth'>;

/** Puppeteer from the given package; a stealth door uses the window's own size, as its documentation says. */
export function puppeteerDoor(row: Row, path: string, packageName = 'puppeteer-core'): Door {
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

export function overCdpDoor(row: Row, path: string, minor: string): Door {
  return { ...row, types: true, visit: (service, visit) => visitOverCdp(service, path, minor, visit) };
}

export function playwrightDoor(row: Row, minor: string, query: Query = {}): Door {
  return { ...row, types: true, visit: (service, visit) => visitWithPlaywright(service, minor, query, visit) };
}

/** A kept browser to which the client reconnects. */
export function reconnectDoor(row: Row, path: string): Door {
  return { ...row, types: true, visit: (service, visit) => visitAfterReconnect(service, path, visit) };
}

/** A new session for each visit, driven with Puppeteer through the session's URL. */
export function sessionDoor(row: Row, body: Record<string, unknown>): Door {
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
