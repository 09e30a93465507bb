/**
 * Handles every call: authorises it, lets its door answer it, and turns everything that is thrown into one form of
 * answer.
 */
import { type Arrival, type Books, Call } from './call.ts';
import type { Auth } from './route.ts';
import type { Services } from './services.ts';

/** Where calls come in; `Way` is how their answers go out. */
export interface Door<Way> extends Books {
  auth: Auth;
  /** @throws ServiceError `not-found` for requests whose headers do not fit, before the token is checked */
  requireFit?(request: Request): void;
  answer(call: Call, way: Way): Promise<Response>;
}

/** Answers a call, also one that fails. */
export async function handleCall<Way>(door: Door<Way>, arrival: Arrival<Way>, services: Services): Promise<Response> {
  using call = new Call(door, arrival, services);
  return await call.span.within(() => answerCall(door, call, arrival.way));
}

async function answerCall<Way>(door: Door<Way>, call: Call, way: Way): Promise<Response> {
  try {
    door.requireFit?.(call.request);
    authorize(call, door.auth);
    return await door.answer(call, way);
  } catch (thrown) {
    return call.refuse(thrown);
  }
}

/** @throws ServiceError `unauthorized`, `not-in-plan`, `quota`; what the check of a route throws */
function authorize(call: Call, auth: Auth): void {
  if (auth === 'open') return;
  if (typeof auth === 'function') return auth(call);
  call.authenticate();
  if (auth === 'operator') call.account.requireOperator();
}
