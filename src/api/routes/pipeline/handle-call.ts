/**
 * Handles every request: authorizes it, runs the handler of its route, and converts everything that is thrown into a
 * uniform error response.
 */
import { type IncomingRequest, type RequestRecord, Call } from './call.ts';
import type { Auth } from './route.ts';
import type { Services } from './services.ts';

/** A handler for the requests of a route; `Way` is how their responses are sent: an outlet, or a socket upgrade. */
export interface Endpoint<Way> extends RequestRecord {
  auth: Auth;
  /** @throws ServiceError `not-found` for requests whose headers do not match, before the token is checked */
  requireFit?(request: Request): void;
  answer(call: Call, way: Way): Promise<Response>;
}

/** Handles a request and always returns a response, also when it fails. */
export async function handleCall<Way>(
  door: Endpoint<Way>,
  arrival: IncomingRequest<Way>,
  services: Services,
): Promise<Response> {
  using call = new Call(door, arrival, services);
  return await call.span.within(() => answerCall(door, call, arrival.output));
}

async function answerCall<Way>(door: Endpoint<Way>, call: Call, way: Way): Promise<Response> {
  try {
    door.requireFit?.(call.request);
    authorize(call, door.auth);
    return await door.answer(call, way);
  } catch (thrown) {
    return call.refuse(thrown);
  }
}

/** @throws ServiceError `unauthorized`, `not-in-plan`, `quota`; whatever the custom check of a route throws */
function authorize(call: Call, auth: Auth): void {
  if (auth === 'open') return;
  if (typeof auth === 'function') return auth(call);
  call.authenticate();
  if (auth === 'operator') call.account.requireOperator();
}
