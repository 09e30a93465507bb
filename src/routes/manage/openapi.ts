/** The OpenAPI document at /openapi.json. */
import { serviceVersion } from '../../version.ts';
import { openApiDocument } from './openapi-document.ts';
import type { ManageRoute, JobRoute } from '../pipeline/route.ts';
import type { SocketRoute } from '../pipeline/socket-route.ts';
import { jsonResponse } from '../http/json-response.ts';

/** The route describes the tables that it stands in itself, so they are handed over when they are complete. */
export function openApiRoute(
  pageRoutes: readonly JobRoute[],
  manageRoutes: readonly ManageRoute[],
  socketRoutes: readonly SocketRoute[],
): ManageRoute {
  const route: ManageRoute = {
    method: 'GET',
    path: '/openapi.json',
    summary: 'OpenAPI document',
    description: 'This interface in OpenAPI 3.1, derived from the same tables that serve it.',
    protected: false,
    answers: ['application/json'],
    handle: ({ services }) => {
      const server = { url: services.externalUrl(), version: serviceVersion };
      return jsonResponse(openApiDocument(pageRoutes, [...manageRoutes, route], socketRoutes, server));
    },
  };
  return route;
}
