/** Serves the OpenAPI document at /openapi.json. */
import { serviceVersion } from '../../version.ts';
import { openApiDocument, type RouteTable } from './openapi-document.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { jsonResponse } from '../http/json-response.ts';

/** Takes the tables of all other routes and adds the route itself, which the document describes as well. */
export function openApiRoute(table: RouteTable): DirectRoute {
  const route: DirectRoute = {
    kind: 'direct',
    method: 'GET',
    path: '/openapi.json',
    summary: 'OpenAPI document',
    description: 'This interface in OpenAPI 3.1, derived from the same tables that serve it.',
    auth: 'open',
    answers: ['application/json'],
    handle: ({ base }) => {
      const server = { url: base, version: serviceVersion };
      return jsonResponse(openApiDocument({ ...table, directRoutes: [...table.directRoutes, route] }, server));
    },
  };
  return route;
}
