/** Handles requests that need no slot and no browser, within the server's time limit. */
import { orAborted } from '../../../base/runtime/deadline.ts';
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
      const response = await orAborted(Promise.resolve(route.handle(call)), call.signal);
      call.record(undefined, response.status);
      return call.tagged(response);
    },
  };
}
