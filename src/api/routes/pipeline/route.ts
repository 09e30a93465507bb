/**
 * Defines the types of routes. Each route is a value; routing, checks, the OpenAPI document, and the docs are derived
 * from the table of routes.
 */
import type { GenericSchema, InferOutput } from 'valibot';
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import type { BrowserProcess } from '../../../browser/processes/process.ts';
import type { ErrorCode, ServiceError } from '../../../base/errors.ts';
import type { Outcomes } from '../../../browser/network/egress.ts';
import type { Page } from '../../../browser/page/page.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { JsonOf, RouteResponse } from '../../../base/schema/response/responses.ts';
import type { CallKind } from '../../../base/schema/request/effects.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { ResourceKind } from '../../../control/cluster/nodes.ts';
import type { RouteGroup } from '../../../web/docs/site/route-groups.ts';
import type { JsonResponse } from '../http/json-response.ts';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import type { Account } from '../../../control/accounts/account.ts';
import type { SignIns } from '../../../control/dashboard/sign-ins.ts';
import type { Call } from './call.ts';
import type { ProxyOrder } from '../../../browser/network/order.ts';
import type { Services } from './services.ts';

/**
 * Who may use a route: `token`, clients with one of the server's tokens; `operator`, clients with a token from TOKEN;
 * `open`, everybody; or a custom check, which throws a ServiceError.
 */
export type Auth = 'token' | 'operator' | 'open' | ((call: Call) => void);

/**
 * What the path of a route names: the first parameter of its pattern or, in a pattern without one, the parameter `i` of
 * the query. In a cluster, the server that has it answers. The id of a `session` and the key of a `link` (to a live view
 * or a recording) identify that server; it is looked up for the others.
 */
export type Subject = ResourceKind | 'link';

/** What a path names, which routes with a parameter must declare. */
type Named<Path extends string> = string extends Path
  ? { subject: Subject | undefined }
  : Path extends `${string}:${string}`
    ? { subject: Subject }
    : { subject?: Subject };

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** A group of pages that people sign in to. */
export interface SignInTarget {
  cookie: string;
  /** The path prefix that the cookie is valid for, without the base path. */
  path: string;
  /** Name as used in a sentence: "the dashboard". */
  name: string;
  /** Path that the form is sent to, without the base path. */
  action: string;
  store(services: Services): SignIns;
  /** @throws ServiceError `not-in-plan` for an account whose token does not give access to the pages */
  requireAccount(account: Account): void;
}

/** The result of a job; the pipeline builds the Response from it, so that a stream keeps its browser until its end. */
export interface RouteResult {
  /** Default: 200. */
  status?: number;
  body: string | Uint8Array | ReadableStream<Uint8Array>;
  contentType: string;
  headers?: Record<string, string>;
  /** The error of a request whose response reports it in a route-specific format; recorded in log and metrics. */
  failure?: ServiceError;
}

/** The browser options from the query of a request, already validated. */
export interface BrowserRequest {
  call: Call;
  services: Services;
  query: BrowserQuery;
  launch: LaunchOptions;
  /** The proxy of a browser that this request starts, not opened yet; a running browser keeps its own proxy. */
  proxy: ProxyOrder | undefined;
  /** The stored profile that `profile` specifies, which a browser of this request starts with. */
  profile: BrowserProfile | undefined;
  /** Time limit of the request in milliseconds, 0 for none. */
  limitMs: number;
}

/** A request with a JSON body that has no slot yet. */
export interface Job<Body> extends BrowserRequest {
  body: Body;
  browser: BrowserName;
}

/** A job that has a slot and a blank page. */
export interface PageJob<Body> extends Job<Body> {
  page: Page;
  process: BrowserProcess;
  /** The proxy that carries the traffic of the page. */
  egress: Outcomes;
  log: Log;
}

/** A job that has a slot and an exclusive browser. */
interface BrowserJob<Body> extends Job<Body> {
  process: BrowserProcess;
  log: Log;
}

interface Described {
  summary: string;
  description: string;
  /** Default: `token`. */
  auth?: Auth;
  /** Errors that the route can return besides those of every route of its kind; for the OpenAPI document. */
  errors?: readonly ErrorCode[];
}

interface JobDescription<Schema extends GenericSchema> extends Described {
  group: RouteGroup;
  /** The last path segment; mounted at the root and under each browser's prefix, unless `mounts` overrides that. */
  name: string;
  mounts?: readonly Mount[];
  /** Determines which parameters have an effect. Default: `page`. */
  callKind?: CallKind;
  /** True if its jobs, which take a long time, run on the cluster node with the most free capacity. */
  placed?: boolean;
  /** True if jobs run in a stealth browser. */
  stealth?: boolean;
  body: Schema;
  /** True if the body may also be application/javascript, which becomes the `code` field. */
  readsCode?: boolean;
  /** The responses of the route, the most common one first. */
  answers: readonly RouteResponse[];
  /** A valid body, for the OpenAPI document. */
  example: unknown;
  /** A queue that its requests wait in before the common queue. */
  queue?: 'audits';
  /** Builds a route-specific response for a job that reached its time limit. */
  answerTimeout?(job: Job<InferOutput<Schema>>, failure: ServiceError): Promise<RouteResult>;
}

/** POST with a JSON body: a job on a blank page. */
export interface PageRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'page';
  /** Handles jobs that need no page, or no page from the pool; undefined for all other jobs. */
  early?(job: Job<InferOutput<Schema>>): Promise<RouteResult | undefined>;
  handle(job: PageJob<InferOutput<Schema>>): Promise<RouteResult>;
}

/** POST with a JSON body: a job on a whole browser that no other request uses. */
export interface BrowserRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'browser';
  handle(job: BrowserJob<InferOutput<Schema>>): Promise<RouteResult>;
}

/** POST with a JSON body: a job on the browser of a session, which already has a slot. */
export interface SessionRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'session';
  subject: Subject | undefined;
  handle(job: Job<InferOutput<Schema>>): Promise<RouteResult>;
}

export type JobRoute = PageRoute | BrowserRoute | SessionRoute;

export interface Mount {
  prefix: string;
  browser: BrowserName;
}

/** The default mounts of a job. */
export const mounts: readonly Mount[] = [
  { prefix: '', browser: 'chromium' },
  { prefix: '/chromium', browser: 'chromium' },
  { prefix: '/chrome', browser: 'chrome' },
  { prefix: '/edge', browser: 'edge' },
];

/** A WebSocket route. */
export interface SocketRoute extends Described {
  kind: 'socket';
  group: RouteGroup;
  /** Hono's path pattern. */
  path: string;
  subject: Subject | undefined;
  /** Determines which parameters have an effect. */
  callKind: CallKind;
  /** True when it starts a stealth browser. */
  stealth?: boolean;
  /** The `callKind` of an individual request, if one path serves several kinds. */
  callKindOf?(call: Call): CallKind;
  /** Connects the client to its browser; an error thrown before that becomes an ordinary HTTP response. */
  open(request: SocketRequest): Promise<Connection>;
}

/** A client that opens a socket. The clock of the request runs until the socket is open. */
export interface SocketRequest extends BrowserRequest {
  upgrade: ClientUpgrade;
}

/**
 * A WebSocket for a page that the server shows to people. It requires no token: the id in its path is the key. Only
 * pages of the server itself may open it.
 */
export interface UiSocketRoute {
  /** Hono's path pattern. */
  path: string;
  subject: Subject;
  /** Accepts the upgrade. @throws ServiceError before the upgrade */
  open(call: Call, upgrade: ClientUpgrade): Connection;
}

export interface Connection {
  /** Id of the session, for the log. */
  session: string;
  /** Resolves when the connection has ended: with an error unless the client or its browser ended it normally. */
  ended: Promise<ServiceError | undefined>;
}

/** An endpoint that responds immediately: it needs no slot and no browser. */
export interface DirectRoute {
  /** Default: `token`. */
  auth?: Auth;
  method: Method;
  /** Additional methods with the same effect. */
  otherMethods?: readonly ('POST' | 'DELETE')[];
  /** Hono's path pattern. */
  path: string;
  subject: Subject | undefined;
  /** Where people sign in to it; in a cluster, the server where they did answers. */
  signIn?: SignInTarget;
  /** True for a GET with side effects: pages on other sites must not send it. */
  hasSideEffects?: boolean;
  /** Query schema; without one any parameter is accepted. */
  query?: GenericSchema;
  /** True if the query may contain unknown parameters; the response lists them as ignored. */
  ignoresUnknown?: boolean;
  /** @param query the parsed query */
  handle(call: Call, query: unknown): Promise<Response> | Response;
  /** For a probe: its response, sent before all checks and without a log line. */
  probe?(services: Services): Response | Promise<Response>;
}

/** A direct route that is part of the API; the others are for the pages of the server. */
export interface ApiRoute extends DirectRoute, Described {
  group: RouteGroup;
  /** Schema of the JSON body, for the OpenAPI document. */
  body?: GenericSchema;
  /** A valid body, for the OpenAPI document. */
  example?: unknown;
  /** True if the body is a file of any type. */
  readsFile?: boolean;
  answers: readonly RouteResponse[];
}

type DirectInput<
  Path extends string,
  Answers extends readonly RouteResponse[],
  Query extends GenericSchema,
> = Named<Path> &
  Omit<ApiRoute, 'group' | 'method' | 'path' | 'subject' | 'answers' | 'handle' | 'query'> & {
    answers: Answers;
    query?: Query;
    handle: (
      call: Call,
      query: InferOutput<Query>,
    ) => Promise<JsonResponse<JsonOf<Answers>>> | JsonResponse<JsonOf<Answers>>;
  };

/** Splits a method and Hono's path pattern, such as `GET /profile/:name`. */
function splitTarget(target: `${Method} ${string}`): Pick<DirectRoute, 'method' | 'path'> {
  const [method, path = ''] = target.split(' ', 2);
  return { method: method as Method, path }; // The type of the parameter allows no other methods.
}

/**
 * Declares a direct route of the API; types the query that its handler receives by the schema, and the JSON that it
 * returns by the `answers` of the route.
 * @param target method and Hono's path pattern
 */
export function directRoute<
  const Path extends string,
  const Answers extends readonly RouteResponse[],
  Query extends GenericSchema,
>(group: RouteGroup, target: `${Method} ${Path}`, route: DirectInput<Path, Answers, Query>): ApiRoute {
  return { group, ...splitTarget(target), subject: undefined, ...route };
}

/** Declares a direct route for the pages of the server, which is not described. */
export function uiRoute<const Path extends string>(
  target: `${Method} ${Path}`,
  route: Omit<DirectRoute, 'method' | 'path' | 'subject'> & Named<Path>,
): DirectRoute {
  return { ...splitTarget(target), subject: undefined, ...route };
}

/** Declares a WebSocket route. */
export function socketRoute<const Path extends string>(
  group: RouteGroup,
  path: Path,
  route: Omit<SocketRoute, 'kind' | 'group' | 'path' | 'subject'> & Named<Path>,
): SocketRoute {
  return { kind: 'socket', group, path, subject: undefined, ...route };
}

/**
 * Declares a page route; types the body that its handler receives by the schema. The table holds routes of all schemas.
 */
export function pageRoute<Schema extends GenericSchema>(
  group: RouteGroup,
  name: string,
  route: Omit<PageRoute<Schema>, 'kind' | 'group' | 'name'>,
): PageRoute<Schema> {
  return { kind: 'page', group, name, ...route };
}

/** Like `pageRoute`; for jobs with an exclusive browser. */
export function browserRoute<Schema extends GenericSchema>(
  group: RouteGroup,
  name: string,
  route: Omit<BrowserRoute<Schema>, 'kind' | 'group' | 'name'>,
): BrowserRoute<Schema> {
  return { kind: 'browser', group, name, ...route };
}

/** Like `pageRoute`; for jobs on the browser of a session. */
export function sessionRoute<Schema extends GenericSchema>(
  group: RouteGroup,
  name: string,
  route: Omit<SessionRoute<Schema>, 'kind' | 'group' | 'name'>,
): SessionRoute<Schema> {
  return { kind: 'session', group, name, ...route };
}
