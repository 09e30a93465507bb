/** What a WebSocket endpoint is: a value, like every other endpoint. */
import type { ServiceError } from '../../errors.ts';
import type { ClientUpgrade } from '../../runtime/http/upgrade.ts';
import type { Clock } from '../../runtime/deadline.ts';
import type { LaunchOptions } from '../../schema/request/launch.ts';
import type { BrowserQuery } from '../../schema/request/query.ts';
import type { Progress } from './admission.ts';
import type { ProxyRequest } from './proxied-call.ts';
import type { Services } from './services.ts';

export interface SocketRoute {
  /** Hono's path pattern. */
  path: string;
  summary: string;
  description: string;
  /** `token`: the server's token is asked for before anything else; `own`: the route checks by itself. */
  auth: 'token' | 'own';
  /** Joins the client with its browser; whatever it throws before that is an ordinary HTTP answer. */
  open(call: SocketCall): Promise<Connection>;
}

/** A client that asks for a socket; everything about its request is checked. */
export interface SocketCall {
  request: Request;
  url: URL;
  query: BrowserQuery;
  launch: LaunchOptions;
  /** The token that came with the request. */
  credential: string | undefined;
  /** The proxy that a browser started for this call uses; one that runs already keeps its own. */
  proxy: ProxyRequest | undefined;
  /** Limit of the call in milliseconds, 0 for none. */
  limitMs: number;
  routePath: string;
  /** Path parameters of the pattern. */
  parameter(name: string): string;
  upgrade: ClientUpgrade;
  /** Runs while the socket is not open yet; its signal also ends with the client and the server. */
  clock: Clock;
  progress: Progress;
  services: Services;
}

export interface Connection {
  /** Id of the session, for the log. */
  session: string;
  /** Resolves when the connection has ended: with an error unless the client or its browser ended it in good order. */
  ended: Promise<ServiceError | undefined>;
}
