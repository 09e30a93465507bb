/** The application: request id, CORS, GET-with-body, routes, 404. A function from Request to Response. */
import { Hono } from 'hono';
import { ServiceError, toResponse } from './errors.ts';
import { createDocs, docsOptionsOf } from './docs/serve.ts';
import { checkToken, credentialOf } from './routes/auth.ts';
import { corsHeaders } from './routes/cors.ts';
import { withBodyFromQuery } from './routes/get-with-body.ts';
import { callPageRoute } from './routes/pipeline.ts';
import { callSocketRoute } from './routes/sockets/call-socket.ts';
import { requestIdOf, withRequestId } from './routes/request-id.ts';
import { mounts, type ManageRoute } from './routes/route.ts';
import type { Services } from './routes/services.ts';
import { manageRoutes, pageRoutes, socketRoutes } from './routes/table.ts';
import { now } from './runtime/host.ts';
import type { ClientUpgrade } from './runtime/upgrade.ts';

export interface App {
  fetch(request: Request): Promise<Response>;
  /** For clients that ask for a WebSocket: the answer to those that were not accepted. */
  upgrade(request: Request, upgrade: ClientUpgrade): Promise<Response>;
}

export function createApp(services: Services): App {
  const { config, log } = services;
  const docs = createDocs(docsOptionsOf(config, services.externalUrl));
  const router = new Hono({ strict: false });
  const knownPaths = new Map<string, string[]>();
  const know = (path: string, method: string) => knownPaths.set(path, [...(knownPaths.get(path) ?? []), method]);

  for (const route of pageRoutes) {
    for (const { prefix, browser } of route.mounts ?? mounts) {
      const path = `${prefix}/${route.name}`;
      know(path, 'POST');
      router.post(path, (context) => callPageRoute(route, browser, path, context.req.raw, services));
    }
  }
  for (const route of manageRoutes) {
    know(route.path, route.method);
    router.on(route.method, route.path, (context) =>
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

  return { fetch: answer, upgrade: async (request, upgrade) => sockets.fetch(request, { upgrade }) };

  async function answer(request: Request): Promise<Response> {
    const cors = corsHeaders(config, request.headers.get('origin'));
    const response =
      cors && request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await dispatch(request);
    for (const [name, value] of Object.entries(cors ?? {})) response.headers.set(name, value);
    return response;
  }

  /** Documentation takes no slot and no browser, so it is there while calls are refused. */
  async function answerFromDocs(request: Request, error: ServiceError): Promise<Response | undefined> {
    if (config.DOCS === 'off' || !['GET', 'HEAD'].includes(request.method)) return undefined;
    if (config.DOCS === 'token') {
      checkToken(credentialOf(request.headers.get('authorization'), new URL(request.url).searchParams), config.TOKEN);
    }
    return (await docs.answer(request)) ?? docs.missing(request, error.message);
  }

  async function dispatch(request: Request): Promise<Response> {
    try {
      return await router.fetch(config.ALLOW_GET ? withBodyFromQuery(request) : request);
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
    return await route.handle({ request, url, parameter, services });
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
