/** Builds the services of the web layer: the pages for people, and how responses reach clients. */
import type { Config } from '../base/config/config.ts';
import { UnreadBytes } from '../base/runtime/http/unread-bytes.ts';
import type { Ids } from '../base/runtime/ids.ts';
import type { Log } from '../base/telemetry/log.ts';
import { Dashboard } from '../control/dashboard/dashboard.ts';
import { SignIns } from '../control/dashboard/sign-ins.ts';
import type { ControlServices } from '../control/services.ts';
import type { SessionServices } from '../sessions/services.ts';
import { createPublicBase, type PublicBase } from './public-base.ts';

export interface WebServices {
  /** The base of the URLs in a response. */
  publicBase: PublicBase;
  /** Bytes in memory that clients have not read yet. */
  unread: UnreadBytes;
  /** Sign-ins to the documentation (DOCS=token). */
  readers: SignIns;
  /** The page at /dashboard. */
  dashboard: Dashboard;
}

/** Dependencies of this layer on the rest of the server. */
export interface WebParts {
  sessions: SessionServices;
  control: ControlServices;
  ids: Ids;
  log: Log;
  /** Returns the base URL that the server listens on. */
  listensAt: () => string;
}

export function buildWeb(config: Config, { sessions, control, ids, log, listensAt }: WebParts): WebServices {
  const { limiter, monitor, history } = control;
  return {
    publicBase: createPublicBase(config, listensAt),
    unread: new UnreadBytes(config.MAX_UNREAD_MB * 2 ** 20),
    readers: new SignIns(ids),
    dashboard: new Dashboard({
      ids,
      sessions: sessions.registry,
      limiter,
      monitor,
      history,
      live: sessions.live,
      recordings: sessions.recordings,
      keeps: { maxBytes: config.RECORDINGS_BYTES, days: config.RECORDINGS_DAYS },
      log,
    }),
  };
}
