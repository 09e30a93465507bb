/** The application: request id, CORS, GET-with-body, routes, 404. A function from Request to Response. */
import { Hono } from 'hono';
import { getPathNoStrict } from 'hono/utils/url';
import { errorTable, ServiceError, toResponse } from './errors.ts';
import { createDocs, docsOptionsOf } from './docs/serve/serve.ts';
import { checkToken, credentialOf } from './routes/http/auth.ts';
import { brokenPath } from './routes/http/broken-path.ts';
import { createCallerCheck } from './routes/http/caller-check.ts';
import { corsHeaders } from './routes/http/cors.ts';
import { active } from './routes/manage/status.ts';
import { withBodyFromQuery } from './routes/http/get-with-body.ts';
import { callPageRoute } from './routes/pipeline/pipeline.ts';
import { callSocketRoute } from './routes/pipeline/call-socket.ts';
import { requestIdOf, withRequestId } from './routes/http/request-id.ts';
import { mounts, type ManageRoute } from './routes/pipeline/route.ts';
import type { Services } from './routes/pipeline/services.ts';
import { manageRoutes, pageRoutes, socketRoutes } from './routes/table.ts';
import { orAborted, startDeadline } from './runtime/deadline.ts';
import { now } from './runtime/machine.ts';
import type { Outlet } from './runtime/http/outlets.ts';
import type { ClientUpgrade } from './runtime/http/upgrade.ts';

export interface App {
  /**
   * @param address the other end of the connection; undefined for what has none
   * @param outlet the way of the answer
   */
  fetch(request: Request, address: string | undefined, outlet: Outlet): Promise<Response>;
  /** For clients that ask for a WebSocket: the answer to those that were not accepted. */
  upgrade(request: Request, upgrade: ClientUpgrade, address: string | undefined): Promise<Response>;
}

export function createApp(services: Services): App {
  const { config, log } = services;
  const docs = createDocs(docsOptionsOf(config, services.externalUrl));
  const router = new Hono<{ Bindings: { outlet: Outlet } }>({ strict: false });
  const knownPaths = new Map<string, string[]>();
  const know = (path: string, method: string) => knownPaths.set(path, [...(knownPaths.get(path) ?? []), method]);

  for (const route of pageRoutes) {
    for (const { prefix, browser } of route.mounts ?? mounts) {
      const path = `${prefix}/${route.name}`;
      know(path, 'POST');
      router.post(path, ({ req, env }) => callPageRoute(route, browser, path, req.raw, env.outlet, services));
    }
  }
  for (const route of manageRoutes) {
    const methods = [route.method, ...(route.alsoBy ?? [])];
    for (const method of methods) know(route.path, method);
    router.on(methods, route.path, (context) =>
      callManageRoute(route, context.req.raw, (name) => context.req.param(name) ?? '', services),
    );
  }
  const sockets = new Hono<{ Bindings: { upgrade: ClientUpgrade } }>({ strict: false });
  for (const route of socketRoutes) {
    know(route.path, 'WebSocket');
    sockets.get(route.path, ({ req, env }) =>
      callSocketRoute(route, req.raw, (name) => req.param(name) ?? '', env.upgrade, services),
    );
  }
  sockets.notFound(({ req }) => toResponse(notFound('WebSocket', req.path, knownPaths), errorForm(req.raw)));
  router.notFound(async (context) => {
    const request = context.req.raw;
    const error = notFound(request.method, context.req.path, knownPaths);
    return (await answerFromDocs(request, error)) ?? toResponse(error, errorForm(request));
  });
  router.onError((error, context) => {
    log.error('request.failed', { path: context.req.path, cause: error });
    return toResponse(error, errorForm(context.req.raw));
  });

  const callers = createCallerCheck(config);
  const readable = manageRoutes.filter((route) => !route.protected && !route.path.includes(':'));
  const open = new Set([active.path, ...readable.map(({ path }) => path)]);
  const changing = manageRoutes.filter(({ changes }) => changes).map(({ path }) => path.slice(0, path.indexOf(':')));
  return {
    fetch: answer,
    async upgrade(request, upgrade, address) {
      const refusal = callers.refusal(request, address, true) ?? brokenPath(new URL(request.url).pathname);
      return refusal ? refuse(request, refusal) : sockets.fetch(request, { upgrade });
    },
  };

  async function answer(request: Request, address: string | undefined, outlet: Outlet): Promise<Response> {
    const cors = corsHeaders(config, request.headers.get('origin'));
    const { pathname, searchParams } = new URL(request.url);
    // As the router reads it: `/%6Bill/all` is `/kill/all`.
    const path = getPathNoStrict(request);
    const hasBody = config.ALLOW_GET && searchParams.has('body');
    const changes = hasBody || changing.some((prefix) => path.startsWith(prefix));
    const refusal = callers.refusal(request, address, changes);
    const broken = brokenPath(pathname);
    const response = broken
      ? refuse(request, refusal ?? broken)
      : refusal
        ? ((hasBody ? undefined : await openToAll(request, path, outlet)) ?? refuse(request, refusal))
        : cors && request.method === 'OPTIONS'
          ? new Response(null, { status: 204 })
          : await dispatch(request, outlet);
    for (const [name, value] of Object.entries(cors ?? {})) response.headers.set(name, value);
    return response;
  }

  /** What everybody may read, whoever he is and whatever he calls the server: probes and documentation. */
  async function openToAll(request: Request, path: string, outlet: Outlet): Promise<Response | undefined> {
    if (!['GET', 'HEAD'].includes(request.method)) return undefined;
    // The router itself: a body in the query is not looked for, so that no route can be meant but these.
    return open.has(path) || !isRoute(request.method, path) ? router.fetch(request, { outlet }) : undefined;
  }

  function isRoute(method: string, path: string): boolean {
    return router.router.match(method === 'HEAD' ? 'GET' : method, path)[0].length > 0;
  }

  function refuse(request: Request, error: ServiceError): Response {
    const { pathname } = new URL(request.url);
    log.write(errorTable[error.code].log, 'request.refused', {
      path: pathname,
      code: error.code,
      reason: error.message,
    });
    return toResponse(error, errorForm(request));
  }

  /** Documentation takes no slot and no browser, so it is there while calls are refused. */
  async function answerFromDocs(request: Request, error: ServiceError): Promise<Response | undefined> {
    if (config.DOCS === 'off' || !['GET', 'HEAD'].includes(request.method)) return undefined;
    if (config.DOCS === 'token') {
      checkToken(credentialOf(request.headers.get('authorization'), new URL(request.url).searchParams), config.TOKEN);
    }
    return (await docs.answer(request)) ?? docs.missing(request, error.message);
  }

  async function dispatch(request: Request, outlet: Outlet): Promise<Response> {
    try {
      return await router.fetch(config.ALLOW_GET ? withBodyFromQuery(request) : request, { outlet });
    } catch (error) {
      return toResponse(error, errorForm(request));
    }
  }
}

async function callManageRoute(
  route: ManageRoute,
  request: Request,
  parameter: (name: string) => string,
  services: Services,
): Promise<Response> {
  const id = requestIdOf(request);
  const startedAt = now();
  const response = await answerManageRoute(route, request, parameter, services, id);
  // Probes come every few seconds: they are told of at the lowest level only.
  services.log.debug('request', { id, route: route.path, status: response.status, ms: Math.round(now() - startedAt) });
  return withRequestId(response, id);
}

async function answerManageRoute(
  route: ManageRoute,
  request: Request,
  parameter: (name: string) => string,
  services: Services,
  id: string,
): Promise<Response> {
  const url = new URL(request.url);
  try {
    if (route.protected) {
      checkToken(credentialOf(request.headers.get('authorization'), url.searchParams), services.config.TOKEN);
    }
    const late = () => new ServiceError('timeout', 'Request has timed out');
    using deadline = startDeadline(services.config.TIMEOUT, late, []);
    const { signal } = deadline;
    return await orAborted(Promise.resolve(route.handle({ request, url, parameter, signal, services })), signal);
  } catch (error) {
    if (error instanceof ServiceError) {
      if (error.code === 'unauthorized') services.metrics.unauthorized();
    } else {
      services.log.error('request.failed', { id, route: route.path, cause: error });
    }
    return toResponse(error, errorForm(request));
  }
}

function notFound(method: string, path: string, known: ReadonlyMap<string, readonly string[]>): ServiceError {
  const methods = known.get(path.length > 1 ? path.replace(/\/$/, '') : path);
  if (methods?.every((known) => known === 'WebSocket') && method !== 'WebSocket') {
    return new ServiceError(
      'not-found',
      `Not Found: ${path} is a WebSocket. Connect to it with ws:// or wss://, for example with puppeteer.connect({ browserWSEndpoint }).`,
    );
  }
  if (methods && !methods.includes(method)) {
    return new ServiceError('not-found', `Not Found: ${path} answers ${methods.join(', ')}, not ${method}.`);
  }
  return new ServiceError(
    'not-found',
    `Not Found: no route or file for ${method} ${path}. /openapi.json lists the routes.`,
  );
}

function errorForm(request: Request): { contentType: string | null; accept: string | null } {
  return { contentType: request.headers.get('content-type'), accept: request.headers.get('accept') };
}
