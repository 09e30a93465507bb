/** Handles requests that need no slot and no browser, within the server's time limit. */
import { orAborted } from '../../../base/runtime/deadline.ts';
import { parseQuery } from '../../../base/schema/parse.ts';
import { removeUnknownParameters } from '../../../base/schema/without-effect.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './handle-call.ts';
import type { DirectRoute } from './route.ts';

export function directEndpoint(route: DirectRoute): Endpoint<unknown> {
  return {
    route: route.path,
    counted: false,
    auth: route.auth ?? 'token',
    subject: route.subject,
    signIn: route.signIn,
    async answer(call) {
      const response = await orAborted(Promise.resolve(route.handle(call, queryOf(call, route))), call.signal);
      call.record(undefined, response.status);
      return call.tagged(response);
    },
  };
}

/** @throws ServiceError `invalid-query` */
function queryOf(call: Call, { query, ignoresUnknown = false }: DirectRoute): unknown {
  if (!query) return undefined;
  const params = new URLSearchParams(call.url.searchParams);
  if (ignoresUnknown) call.ignore(removeUnknownParameters(query, params));
  return parseQuery(query, params);
}
