/**
 * Declares routes: each is a value. The routing, the checks, the OpenAPI document and the docs are derived from their
 * table.
 */
import type { GenericSchema, InferOutput } from 'valibot';
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import type { BrowserProcess } from '../../../browser/processes/process.ts';
import type { ErrorCode, ServiceError } from '../../../base/errors.ts';
import type { Outcomes } from '../../../browser/network/egress.ts';
import type { Page } from '../../../browser/page/page.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { JsonOf, RouteAnswer } from '../../../base/schema/answer/answers.ts';
import type { CallKind } from '../../../base/schema/request/effects.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { JsonResponse } from '../http/json-response.ts';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import type { Call } from './call.ts';
import type { ProxyOrder } from '../../../browser/network/order.ts';
import type { Services } from './services.ts';

/**
 * Who may call a route: `token`, clients that send one of the server's tokens; `operator`, those of them that send one
 * of TOKEN; `open`, everybody; or a check of the route's own, which throws a ServiceError.
 */
export type Auth = 'token' | 'operator' | 'open' | ((call: Call) => void);

/** The finished answer of a job; the pipeline makes the Response, so that streams keep their browser. */
export interface Answer {
  /** 200 when left out. */
  status?: number;
  body: string | Uint8Array | ReadableStream<Uint8Array>;
  contentType: string;
  headers?: Record<string, string>;
  /** What the call failed with, when the answer tells it in a form of the route's own: log and metrics record it. */
  failure?: ServiceError;
}

/** What the query of a call asks of its browser, already validated. */
export interface BrowserRequest {
  call: Call;
  services: Services;
  query: BrowserQuery;
  launch: LaunchOptions;
  /** The proxy of a browser that this call starts, not opened yet; a browser that runs already keeps its own. */
  proxy: ProxyOrder | undefined;
  /** What `profile` names, with which a browser of this call begins. */
  profile: BrowserProfile | undefined;
  /** Limit of the call in milliseconds, 0 for none. */
  limitMs: number;
}

/** A call with a JSON body that has no slot yet. */
export interface Job<Body> extends BrowserRequest {
  body: Body;
  browser: BrowserName;
}

/** A job that has its slot and a blank page. */
export interface PageJob<Body> extends Job<Body> {
  page: Page;
  process: BrowserProcess;
  /** The proxy that carries the traffic of the page. */
  egress: Outcomes;
  log: Log;
}

/** A job that has its slot and a browser to itself. */
interface BrowserJob<Body> extends Job<Body> {
  process: BrowserProcess;
  log: Log;
}

interface Described {
  summary: string;
  description: string;
  /** `token` when left out. */
  auth?: Auth;
  /** Errors that it can answer with besides those of every route of its kind; for the OpenAPI document. */
  errors?: readonly ErrorCode[];
}

interface JobDescription<Schema extends GenericSchema> extends Described {
  /** The last path segment; mounted bare and below each browser's prefix, unless `mounts` says where. */
  name: string;
  mounts?: readonly Mount[];
  /** Which parameters its calls act on; `page` when left out. */
  callKind?: CallKind;
  /** True when its jobs, which take long, go to the server of a cluster that has most room. */
  placed?: boolean;
  /** True when jobs get a stealth browser. */
  stealth?: boolean;
  body: Schema;
  /** True when the body may also be application/javascript, which becomes the member `code`. */
  readsCode?: boolean;
  /** What it answers with, the usual answer first. */
  answers: readonly RouteAnswer[];
  /** A body that works, for the OpenAPI document. */
  example: unknown;
  /** A queue that its calls pass before the common one. */
  queue?: 'audits';
  /** Answers a job that its time limit ended, in a form of the route's own. */
  answerLate?(job: Job<InferOutput<Schema>>, failure: ServiceError): Promise<Answer>;
}

/** POST with a JSON body: a job on a blank page. */
export interface PageRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'page';
  /** Answers jobs that need no page, or not one of the pool; undefined for all other jobs. */
  early?(job: Job<InferOutput<Schema>>): Promise<Answer | undefined>;
  handle(job: PageJob<InferOutput<Schema>>): Promise<Answer>;
}

/** POST with a JSON body: a job on a whole browser that no other call uses. */
export interface BrowserRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'browser';
  handle(job: BrowserJob<InferOutput<Schema>>): Promise<Answer>;
}

/** POST with a JSON body: a job on the browser of a session, which already has a slot. */
export interface SessionRoute<Schema extends GenericSchema = GenericSchema> extends JobDescription<Schema> {
  kind: 'session';
  handle(job: Job<InferOutput<Schema>>): Promise<Answer>;
}

export type JobRoute = PageRoute | BrowserRoute | SessionRoute;

export interface Mount {
  prefix: string;
  browser: BrowserName;
}

/** Where a job is mounted unless its route says otherwise. */
export const mounts: readonly Mount[] = [
  { prefix: '', browser: 'chromium' },
  { prefix: '/chromium', browser: 'chromium' },
  { prefix: '/chrome', browser: 'chrome' },
  { prefix: '/edge', browser: 'edge' },
];

/** A WebSocket. */
export interface SocketRoute extends Described {
  kind: 'socket';
  /** Hono's path pattern. */
  path: string;
  /** Which parameters its calls act on. */
  callKind: CallKind;
  /** True when it starts a stealth browser. */
  stealth?: boolean;
  /** The same for a single call, where the kinds of calls of one path differ. */
  callKindOf?(call: Call): CallKind;
  /** Joins the client with its browser; an error thrown before that becomes an ordinary HTTP answer. */
  open(request: SocketRequest): Promise<Connection>;
}

/** A client that asks for a socket. The call's clock runs while the socket is not open yet. */
export interface SocketRequest extends BrowserRequest {
  upgrade: ClientUpgrade;
}

/**
 * A WebSocket for a page of the server that people look at. It asks for no token: what its path names is the key. Only
 * pages of the server itself may open it.
 */
export interface UiSocketRoute {
  /** Hono's path pattern. */
  path: string;
  /** Accepts the upgrade. @throws ServiceError before that */
  open(call: Call, upgrade: ClientUpgrade): Connection;
}

export interface Connection {
  /** Id of the session, for the log. */
  session: string;
  /** Resolves when the connection has ended: with an error unless the client or its browser ended it normally. */
  ended: Promise<ServiceError | undefined>;
}

/** An endpoint that answers at once: it takes no slot and no browser. */
export interface DirectRoute extends Described {
  kind: 'direct';
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Further methods that do the same. */
  alsoBy?: readonly ('POST' | 'DELETE')[];
  /** Hono's path pattern. */
  path: string;
  /** True for a GET that changes something: pages of other sites may not send it. */
  changes?: boolean;
  /** Schema of the JSON body, for the OpenAPI document. */
  body?: GenericSchema;
  /** A body that works, for the OpenAPI document. */
  example?: unknown;
  /** True when the body is a file of any type. */
  readsFile?: boolean;
  /** Strict query schema; without one every parameter is accepted. */
  query?: GenericSchema;
  answers: readonly RouteAnswer[];
  handle(call: Call): Promise<Response> | Response;
  /** Of a probe: its answer, given before every check and without a line in the log. */
  probe?(services: Services): Response | Promise<Response>;
}

/** Lets the types of the JSON that a handler returns flow from the answers of its route. */
export function directRoute<const Answers extends readonly RouteAnswer[]>(
  route: Omit<DirectRoute, 'kind' | 'answers' | 'handle'> & {
    answers: Answers;
    handle: (call: Call) => Promise<JsonResponse<JsonOf<Answers>>> | JsonResponse<JsonOf<Answers>>;
  },
): DirectRoute {
  return { kind: 'direct', ...route };
}

/** Lets the type of the body flow from the schema into the handler; the table keeps routes of all schemas. */
export function pageRoute<Schema extends GenericSchema>(route: Omit<PageRoute<Schema>, 'kind'>): PageRoute<Schema> {
  return { kind: 'page', ...route };
}

/** The same for jobs with a browser of their own. */
export function browserRoute<Schema extends GenericSchema>(
  route: Omit<BrowserRoute<Schema>, 'kind'>,
): BrowserRoute<Schema> {
  return { kind: 'browser', ...route };
}

/** The same for jobs on the browser of a session. */
export function sessionRoute<Schema extends GenericSchema>(
  route: Omit<SessionRoute<Schema>, 'kind'>,
): SessionRoute<Schema> {
  return { kind: 'session', ...route };
}
