/**
 * Handles every request: authorizes it, runs the handler of its route, and converts everything that is thrown into a
 * uniform error response.
 */
import { type IncomingRequest, type RequestRecord, Call } from './call.ts';
import type { Auth, SignInTarget, Subject } from './route.ts';
import type { Services } from './services.ts';

/** A handler for the requests of a route; `Output` is how their responses are sent: an outlet, or a socket upgrade. */
export interface Endpoint<Output> extends RequestRecord {
  auth: Auth;
  /** What its path or its query names. */
  subject?: Subject | undefined;
  /** True if the query may name a stored profile. */
  usesProfile?: boolean;
  /** Where people sign in to it. */
  signIn?: SignInTarget | undefined;
  /** @throws ServiceError `not-found` for requests whose headers do not match, before the token is checked */
  requireFit?(request: Request): void;
  answer(call: Call, output: Output): Promise<Response>;
}

/** Handles a request and always returns a response, even when it fails. */
export async function handleCall<Output>(
  endpoint: Endpoint<Output>,
  arrival: IncomingRequest<Output>,
  services: Services,
): Promise<Response> {
  using call = new Call(endpoint, arrival, services);
  return await call.span.within(() => answerCall(endpoint, call, arrival.output));
}

async function answerCall<Output>(endpoint: Endpoint<Output>, call: Call, output: Output): Promise<Response> {
  try {
    endpoint.requireFit?.(call.request);
    authorize(call, endpoint.auth);
    return await endpoint.answer(call, output);
  } catch (thrown) {
    return call.refuse(thrown);
  }
}

/** @throws ServiceError `unauthorized`, `not-in-plan`, `quota`; any error that the route's custom check throws */
function authorize(call: Call, auth: Auth): void {
  if (auth === 'open') return;
  if (typeof auth === 'function') return auth(call);
  call.authenticate();
  if (auth === 'operator') call.account.requireOperator();
}
