/**
 * Turns a Request into a Response: checks the client, adds CORS headers, reads a body passed in the query of a GET
 * (ALLOW_GET), and hands the request to its route or to the documentation.
 */
import { Hono } from 'hono';
import { getPathNoStrict } from 'hono/utils/url';
import type { Ask } from '../web/docs/ask/ask.ts';
import { type Model, modelOf } from '../web/docs/ask/settings.ts';
import { isAsset } from '../web/docs/serve/asset.ts';
import type { Docs } from '../web/docs/serve/docs.ts';
import { docsOf } from '../web/docs/serve/load-docs.ts';
import type { Sender } from '../control/cluster/node-header.ts';
import { errorTable, ServiceError, toResponse, toServiceError } from '../base/errors.ts';
import { clusterRoutes } from './routes/cluster/questions.ts';
import { answerAtOwner } from './routes/cluster/owner.ts';
import { askLimits } from '../base/limits.ts';
import { readJsonBody } from './routes/http/body.ts';
import { announcedBody, brokenPath } from './routes/http/malformed-request.ts';
import { createCallerCheck } from './routes/http/caller/caller-check.ts';
import { corsHeaders } from './routes/http/caller/cors.ts';
import { withBodyFromQuery } from './routes/http/get-with-body.ts';
import { requireMatch } from './routes/http/match.ts';
import { streamHeaders } from './routes/http/response-headers.ts';
import { openPaths } from './routes/manage/open-paths.ts';
import { answerProbe } from './routes/manage/probes.ts';
import { readStatus } from './routes/manage/status.ts';
import { directEndpoint } from './routes/pipeline/direct-endpoint.ts';
import type { IncomingRequest } from './routes/pipeline/call.ts';
import { type Endpoint, handleCall } from './routes/pipeline/handle-call.ts';
import { jobEndpoint } from './routes/pipeline/job-endpoint.ts';
import { mounts } from './routes/pipeline/route.ts';
import type { Services } from './routes/pipeline/services.ts';
import { socketEndpoint, uiSocketEndpoint } from './routes/pipeline/socket-endpoint.ts';
import { uiFiles } from './routes/live/live-page.ts';
import { acceptsHtml } from './routes/sign-in/sign-in.ts';
import { signInPage } from './routes/sign-in/sign-in-page.ts';
import { docsPlace, mayRead, requireReader } from './routes/docs/readers.ts';
import { directRoutes, jobRoutes, socketRoutes, uiRoutes, uiSocketRoutes } from './routes/table.ts';
import { orAborted } from '../base/runtime/deadline.ts';
import type { Outlet } from '../base/runtime/http/outlets.ts';
import type { ClientUpgrade } from '../base/runtime/http/upgrade.ts';

export interface App {
  /**
   * @param address the client's IP address; undefined when unknown
   * @param outlet tracks how the response reaches the client
   */
  fetch(request: Request, address: string | undefined, outlet: Outlet): Promise<Response>;
  /** Handles a WebSocket upgrade. The response is sent only if the upgrade was not accepted. */
  upgrade(request: Request, upgrade: ClientUpgrade, address: string | undefined): Promise<Response>;
}

/** What is known about a request before it is routed. */
interface UnroutedRequest {
  address: string | undefined;
  outlet: Outlet;
  /** The cluster node that forwarded the request. */
  sender: Sender | undefined;
  preflight: boolean;
}

/** The context that a router receives besides the request. */
interface Env<Output> {
  Bindings: Pick<IncomingRequest<Output>, 'url' | 'address' | 'output' | 'sender'>;
}

export function createApp(services: Services): App {
  const { config, log } = services;
  const { cluster } = services.control;
  const router = new Hono<Env<Outlet>>({ strict: false });
  const sockets = new Hono<Env<ClientUpgrade>>({ strict: false });
  const knownPaths = new Map<string, string[]>();

  for (const each of jobRoutes) {
    for (const mount of each.mounts ?? mounts) addEndpoint(router, ['POST'], jobEndpoint(each, mount));
  }
  for (const each of [...directRoutes, ...uiRoutes])
    addEndpoint(router, [each.method, ...(each.otherMethods ?? [])], directEndpoint(each));
  if (cluster) for (const each of clusterRoutes) addEndpoint(router, [each.method], directEndpoint(each));
  for (const each of socketRoutes) addEndpoint(sockets, ['GET'], socketEndpoint(each), ['WebSocket']);
  for (const each of uiSocketRoutes) addEndpoint(sockets, ['GET'], uiSocketEndpoint(each), ['WebSocket']);
  sockets.notFound(({ req }) => refusal(req.raw, notFound('WebSocket', req.path, knownPaths)));
  const pages = config.DOCS === 'off' ? undefined : docsOf(config, () => readStatus(services));
  const model = modelOf(config);
  if (pages && model) addEndpoint(router, ['POST'], askEndpoint(services, pages, model));
  const docs = pages && docsEndpoint(pages, knownPaths);
  router.notFound(({ req, env }) =>
    docs && ['GET', 'HEAD'].includes(req.method)
      ? handle(docs, { ...env, request: req.raw, parameter: () => '' })
      : refusal(req.raw, notFound(req.method, req.path, knownPaths)),
  );
  for (const each of [router, sockets]) {
    each.onError((cause, { req }) => {
      log.error('request.failed', { path: req.path, cause });
      return refusal(req.raw, cause);
    });
  }

  const callerRefusal = createCallerCheck(config, services.control.accounts);
  const open = openPaths(directRoutes);
  // Scripts and styles of UI pages: documents with an opaque origin request them as a page on another site would.
  const openFiles = uiFiles.path.slice(0, -1);
  const changing = directRoutes
    .filter(({ hasSideEffects }) => hasSideEffects)
    .map(({ path }) => path.slice(0, path.indexOf(':')));
  return {
    fetch: answer,
    async upgrade(request, upgrade, address) {
      const url = new URL(request.url);
      const sender = cluster?.passedBy(request, address);
      const client = sender ? sender.client : address;
      const error = announcedBody(request) ?? callerRefusal(request, client, true) ?? brokenPath(url.pathname);
      if (error) return refuse(request, error);
      return sockets.fetch(request, { url, address: client, output: upgrade, sender });
    },
  };

  /**
   * Registers a handler for the path of its route.
   * @param shown method names to list in the message of a 404
   */
  function addEndpoint<Output extends Outlet | ClientUpgrade>(
    to: Hono<Env<Output>>,
    methods: readonly string[],
    endpoint: Endpoint<NoInfer<Output>>,
    shown: readonly string[] = methods,
  ): void {
    knownPaths.set(endpoint.route, [...(knownPaths.get(endpoint.route) ?? []), ...shown]);
    to.on([...methods], endpoint.route, ({ req, env }) => {
      const parameter = (name: string) => req.param(name) ?? '';
      return handle(endpoint, { ...env, request: req.raw, parameter });
    });
  }

  /** Handles a request, on the node that has what it names if there is a cluster. */
  async function handle<Output extends Outlet | ClientUpgrade>(
    endpoint: Endpoint<Output>,
    arrival: IncomingRequest<Output>,
  ): Promise<Response> {
    if (!cluster) return handleCall(endpoint, arrival, services);
    const { request } = arrival;
    try {
      const passed = await answerAtOwner(endpoint, arrival, cluster, services);
      return passed ?? (await handleCall(endpoint, arrival, services));
    } catch (thrown) {
      return request.signal.aborted
        ? refusal(request, new ServiceError('client-gone', 'The client closed the connection'))
        : refuse(request, toServiceError(thrown));
    }
  }

  async function answer(request: Request, address: string | undefined, outlet: Outlet): Promise<Response> {
    const unread = announcedBody(request);
    if (unread) return closing(refuse(request, unread));
    const probed = answerProbe(request, getPathNoStrict(request), services);
    if (probed) return probed;
    const url = new URL(request.url);
    const sender = cluster?.passedBy(request, address);
    const client = sender ? sender.client : address;
    // A node that forwards a request adds the CORS headers itself.
    const cors = sender ? undefined : corsHeaders(config, request.headers.get('origin'));
    const response = await route(request, url, { address: client, outlet, sender, preflight: cors !== undefined });
    const { Vary: varies, ...others } = cors ?? {};
    for (const [name, value] of Object.entries(others)) response.headers.set(name, value);
    if (varies !== undefined) response.headers.append('Vary', varies);
    return response;
  }

  async function route(
    request: Request,
    url: URL,
    { address, outlet, sender, preflight }: UnroutedRequest,
  ): Promise<Response> {
    // Use the path as the router decodes it: `/%6Bill/all` is `/kill/all`.
    const path = getPathNoStrict(request);
    const hasBody = config.ALLOW_GET && url.searchParams.has('body');
    const error = callerRefusal(request, address, hasBody || changing.some((prefix) => path.startsWith(prefix)));
    const broken = brokenPath(url.pathname);
    if (broken) return refuse(request, error ?? broken);
    if (error) {
      return !hasBody && isOpenToAll(request.method, path)
        ? router.fetch(request, { url, address, output: outlet })
        : refuse(request, error);
    }
    if (preflight && request.method === 'OPTIONS') return new Response(null, { status: 204 });
    try {
      const read = config.ALLOW_GET ? withBodyFromQuery(request) : request;
      const readUrl = read === request ? url : new URL(read.url);
      return await router.fetch(read, { url: readUrl, address, output: outlet, sender });
    } catch (thrown) {
      return refusal(request, thrown);
    }
  }

  /** True for routes that every client may read regardless of address, Host, and Origin: probes and documentation. */
  function isOpenToAll(method: string, path: string): boolean {
    // The query contains no body here, so the GET cannot be a disguised POST to another route.
    const isOpen = open.has(path) || path.startsWith(openFiles);
    const isOfDocs = router.router.match('GET', path)[0].length === 0;
    return ['GET', 'HEAD'].includes(method) && (isOfDocs || isOpen);
  }

  /** Logs and answers a request that is refused before routing. */
  function refuse(request: Request, error: ServiceError): Response {
    const path = new URL(request.url).pathname;
    log.write(errorTable[error.code].log, 'request.refused', { path, code: error.code, reason: error.message });
    return refusal(request, error);
  }
}

/** Serves the documentation. Needs no slot and no browser, so it works even while other requests are refused. */
function docsEndpoint(docs: Docs, known: ReadonlyMap<string, readonly string[]>): Endpoint<unknown> {
  return {
    route: 'docs',
    counted: false,
    auth: 'open',
    signIn: docsPlace,
    async answer(call) {
      const { request } = call;
      if (!mayRead(call) && !isAsset(call.url.pathname)) {
        if (!acceptsHtml(call)) requireReader(call);
        call.record(undefined, 401);
        return signInPage(call, docsPlace, { next: call.url.pathname });
      }
      const found = await docs.answer(call);
      const error = notFound(request.method, getPathNoStrict(request), known);
      const response = found ?? (await docs.missing(request, error.message)) ?? refusal(request, error);
      call.record(undefined, response.status);
      return response;
    },
  };
}

/**
 * Answers questions about the documentation with the operator's model, for clients that may read the documentation. The
 * required modules are loaded with the first question.
 */
function askEndpoint({ config, log, signals: { draining } }: Services, docs: Docs, model: Model): Endpoint<unknown> {
  let ask: Ask | undefined;
  return {
    route: '/docs-ask',
    counted: false,
    auth: requireReader,
    async answer(call) {
      requireMatch({ name: 'docs-ask', answers: ['application/x-ndjson'] }, call.request);
      const limitBytes = Math.min(askLimits.bodyBytes, config.MAX_PAYLOAD_SIZE);
      const asking = await import('../web/docs/ask/ask.ts');
      const question = asking.questionIn(await orAborted(readJsonBody(call.request, limitBytes), call.signal));
      const passages = await docs.passages(question, askLimits.passages, askLimits.passageCharacters);
      ask ??= new asking.Ask(model, log);
      const body = ask.answer(question, passages, call.address ?? '', [call.request.signal, draining]);
      call.record(undefined, 200);
      return call.tagged(new Response(body, { headers: streamHeaders('application/x-ndjson') }));
    },
  };
}

/** Closes the connection after this response, because the body of its request is never read. */
function closing(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

function notFound(method: string, path: string, known: ReadonlyMap<string, readonly string[]>): ServiceError {
  const methods = known.get(path.length > 1 ? path.replace(/\/$/, '') : path);
  if (methods?.every((each) => each === 'WebSocket') && method !== 'WebSocket') {
    return new ServiceError(
      'not-found',
      `Not Found: ${path} is a WebSocket. Connect with ws:// or wss://, for example with puppeteer.connect({ browserWSEndpoint }).`,
    );
  }
  if (methods && !methods.includes(method)) {
    return new ServiceError('not-found', `Not Found: ${path} accepts ${methods.join(', ')}, not ${method}.`);
  }
  return new ServiceError(
    'not-found',
    `Not Found: no route or file for ${method} ${path}. /openapi.json lists the routes.`,
  );
}

function refusal(request: Request, thrown: unknown): Response {
  return toResponse(thrown, {
    contentType: request.headers.get('content-type'),
    accept: request.headers.get('accept'),
  });
}
