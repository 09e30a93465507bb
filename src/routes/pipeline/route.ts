/** What an endpoint is: a value. The table of them makes the routing, the checks, the OpenAPI document and the docs. */
import type { GenericSchema, InferOutput } from 'valibot';
import type { BrowserName } from '../../browsers/catalog.ts';
import type { Outcomes } from '../../network/egress.ts';
import type { BrowserProcess } from '../../browsers/process.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Page } from '../../page/page.ts';
import type { Clock } from '../../runtime/deadline.ts';
import type { LaunchOptions } from '../../schema/request/launch.ts';
import type { BrowserQuery } from '../../schema/request/query.ts';
import type { Progress } from './admission.ts';
import type { ProxyRequest } from './proxied-call.ts';
import type { Services } from './services.ts';

/** The finished answer of a handler; the pipeline makes the Response, so that streams keep their browser. */
export interface Answer {
  /** 200 when left out. */
  status?: number;
  body: string | Uint8Array | ReadableStream<Uint8Array>;
  contentType: string;
  headers?: Record<string, string>;
}

/** What a page route's handler gets: everything is checked, a blank page is open. */
export interface PageCall<Body> {
  body: Body;
  page: Page;
  query: BrowserQuery;
  launch: LaunchOptions;
  /** The caller's token. */
  credential: string | undefined;
  /** The request's Accept header. */
  accept: string | null;
  services: Services;
  /** What the page leaves the server through. */
  wayOut: Outcomes;
  log: Log;
}

/** A call whose request is checked and which has no slot yet. */
export interface EarlyCall<Body> {
  request: Request;
  url: URL;
  body: Body;
  query: BrowserQuery;
  launch: LaunchOptions;
  /** The caller's token. */
  credential: string | undefined;
  /** The proxy that the call asks for, not opened yet. */
  proxy: ProxyRequest | undefined;
  browser: BrowserName;
  routePath: string;
  /** Limit of the call in milliseconds, 0 for none. */
  limitMs: number;
  /** Runs already; its signal also ends with the client and the server. */
  clock: Clock;
  progress: Progress;
  services: Services;
}

/** What a route's handler gets that works on a browser of its own, which listens on a loopback port. */
export interface BrowserCall<Body> {
  body: Body;
  browser: BrowserProcess;
  services: Services;
  log: Log;
  /** The call's time limit in milliseconds; 0 for none. */
  limitMs: number;
  /** Its deadline. */
  signal: AbortSignal;
}

/** A REST endpoint that works with a browser: POST with a JSON body. */
export interface JobRoute<Schema extends GenericSchema = GenericSchema> {
  /** The last path segment; mounted bare and below each browser's prefix, unless `mounts` says where. */
  name: string;
  mounts?: readonly Mount[];
  /** True for full browsers unless the request says otherwise. */
  fullBrowser?: boolean;
  /**
   * Checks who asks, before a byte of the body is read. The server's token when left out.
   * @throws ServiceError `unauthorized`, `session-not-found`
   */
  authorize?(request: Request, url: URL, services: Services): void;
  summary: string;
  description: string;
  body: Schema;
  /** True when the body may also be application/javascript, which becomes the member `code`. */
  readsCode?: boolean;
  /** Content types that it can answer with, the usual one first. */
  answers: readonly string[];
  /** A body that works, for the OpenAPI document. */
  example: unknown;
  /** A queue that its calls pass before the common one. */
  queue?: 'audits';
  /** Answers calls that need no page, or not one of the pool; undefined for those that do. */
  early?(call: EarlyCall<InferOutput<Schema>>): Promise<Answer | undefined>;
}

/** A job on a blank page. */
export interface PageRoute<Schema extends GenericSchema = GenericSchema> extends JobRoute<Schema> {
  handle(call: PageCall<InferOutput<Schema>>): Promise<Answer>;
}

/** A job on a whole browser that nobody else uses. */
export interface BrowserRoute<Schema extends GenericSchema = GenericSchema> extends JobRoute<Schema> {
  handleBrowser(call: BrowserCall<InferOutput<Schema>>): Promise<Answer>;
}

export interface Mount {
  prefix: string;
  browser: BrowserName;
}

/** Where a page route is mounted. */
export const mounts: readonly Mount[] = [
  { prefix: '', browser: 'chromium' },
  { prefix: '/chromium', browser: 'chromium' },
  { prefix: '/chrome', browser: 'chrome' },
  { prefix: '/edge', browser: 'edge' },
];

/** A management endpoint: answers at once, takes no slot and no browser. */
export interface ManageRoute {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Methods that do the same; the OpenAPI document has the first. */
  alsoBy?: readonly ('POST' | 'DELETE')[];
  /** Hono's path pattern. */
  path: string;
  summary: string;
  description: string;
  /** False for what anybody may read. */
  protected: boolean;
  /** True for a GET that changes something: pages of other sites may not send it. */
  changes?: boolean;
  /** Schema of the JSON body, for the OpenAPI document. */
  body?: GenericSchema;
  /** A body that works, for the OpenAPI document. */
  example?: unknown;
  /** Strict query schema; without one every parameter is tolerated. */
  query?: GenericSchema;
  answers: readonly string[];
  handle(call: ManageCall): Promise<Response> | Response;
}

export interface ManageCall {
  request: Request;
  url: URL;
  /** Path parameters of the pattern. */
  parameter(name: string): string;
  /** Aborts when the server's own time limit is over. */
  signal: AbortSignal;
  services: Services;
}

/** Lets the type of the body flow from the schema into the handler; the table keeps routes of all schemas. */
export function pageRoute<Schema extends GenericSchema>(route: PageRoute<Schema>): PageRoute<Schema> {
  return route;
}

/** The same for routes with a browser of their own. */
export function browserRoute<Schema extends GenericSchema>(route: BrowserRoute<Schema>): BrowserRoute<Schema> {
  return route;
}
