/** Serves the OpenAPI document at /openapi.json, and at the path where browserless clients look for it. */
import { preferredEncoding } from '../../../base/runtime/http/accept.ts';
import { encodeText } from '../../../base/runtime/http/compression.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { openApiResponse } from '../../../base/schema/response/manage.ts';
import { serviceVersion } from '../../../base/version.ts';
import type { Call } from '../pipeline/call.ts';
import { type ApiRoute, directRoute } from '../pipeline/route.ts';
import type { RouteTable } from './openapi-document.ts';

const swaggerPath = '/docs/swagger.json';

/** Maximum number of cached variants of the document: clients choose the URL in it with their Host header. */
const maxCached = 12;

/** Returns the routes of the OpenAPI document, which describes the routes of the table and itself. */
export function openApiRoutes(table: RouteTable): readonly ApiRoute[] {
  const cache = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const handle = async ({ request, base: url, route }: Call): Promise<Response> => {
    const encoding = preferredEncoding(request.headers.get('accept-encoding'));
    const key = `${encoding} ${url}`;
    const body = cache.get(key) ?? textFor(url).then((text) => encodeText(text, encoding));
    cache.delete(key);
    cache.set(key, body);
    if (cache.size > maxCached) cache.delete(cache.keys().next().value ?? '');
    const headers = {
      // Match browserless at its path: clients compare the whole header.
      'Content-Type': route === swaggerPath ? 'application/json' : 'application/json; charset=UTF-8',
      'Cache-Control': 'no-store',
      Vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    };
    // oxlint-disable-next-line browserd/raced-await -- the endpoint races it
    return new Response(await body, { headers });
  };
  let document: Record<string, unknown> | undefined;
  const textFor = async (url: string) => {
    const { openApiDocument } = await import('./openapi-document.ts');
    const all = { ...table, directRoutes: [...table.directRoutes, ...routes] };
    document ??= openApiDocument(all, { url, version: serviceVersion });
    return JSON.stringify({ ...document, servers: [{ url }] }, null, 2);
  };
  const routes = [
    directRoute('manage', 'GET /openapi.json', {
      summary: 'OpenAPI document',
      description: 'This API as an OpenAPI 3.1 document, generated from the route tables.',
      auth: 'open',
      answers: [json(openApiResponse)],
      handle,
    }),
    directRoute('manage', `GET ${swaggerPath}`, {
      summary: 'OpenAPI document at the browserless path',
      description: 'The same document as /openapi.json.',
      auth: 'open',
      answers: [json(openApiResponse)],
      handle,
    }),
  ];
  return routes;
}
