/**
 * Opens WebSockets: responds to a client over plain HTTP until its browser is ready, then connects the client to it.
 */
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { ignoredHeader } from '../http/response-headers.ts';
import { startsBrowser } from '../../../base/schema/request/effects.ts';
import { refuseWhileDraining } from './admission.ts';
import { forwardSocket } from './elsewhere.ts';
import type { Endpoint } from './handle-call.ts';
import { graceMs, readBrowserOptions, readBrowserRequest } from './read-request.ts';
import type { Call } from './call.ts';
import type { SocketRoute, UiSocketRoute } from './route.ts';
import { isOwnOrigin } from '../http/caller/caller-check.ts';

export function socketEndpoint(route: SocketRoute): Endpoint<ClientUpgrade> {
  const { auth = 'token' } = route;
  const ownCheck = typeof auth === 'function' ? auth : undefined;
  return {
    route: route.path,
    counted: true,
    // A custom check looks up the session that the path identifies. `answer` runs it, after reporting errors in the
    // query.
    auth: ownCheck ? 'open' : auth,
    subject: route.subject,
    usesProfile: true,
    /** The returned response is sent only to clients whose socket was not accepted. */
    async answer(call, upgrade) {
      const kind = route.callKindOf?.(call) ?? route.callKind;
      if (ownCheck) {
        try {
          readBrowserOptions(call, kind, route);
        } catch (error) {
          rethrowQueryError(error);
        }
        ownCheck(call);
      }
      // The plan and the profile of an account are known only after authentication.
      const request = await readBrowserRequest(call, kind, route);
      upgrade.headers = () => ignoredHeader(call.ignored);
      refuseWhileDraining(call.services);
      call.limit(request.limitMs);
      if (startsBrowser(kind)) {
        const needsThisServer = request.profile !== undefined || request.launch.userDataDir !== undefined;
        const joined = await forwardSocket(call, upgrade, needsThisServer);
        if (joined) return joined;
      }
      const connection = await orAborted(route.open({ ...request, upgrade }), call.signal, graceMs);
      call.session = connection.session;
      // Every socket counts as a running call, even if it does not take a slot.
      call.begin();
      void connection.ended.then((error) => call.record(error, 101));
      return new Response(null);
    },
  };
}

/** Throws errors in the query; all others are reported after authentication. */
function rethrowQueryError(error: unknown): void {
  const { code } = toServiceError(error);
  if (['invalid-query', 'invalid-launch', 'invalid-tracking-id'].includes(code)) throw error;
}

export function uiSocketEndpoint(route: UiSocketRoute): Endpoint<ClientUpgrade> {
  return {
    route: route.path,
    counted: false,
    auth: 'open',
    subject: route.subject,
    answer(call, upgrade) {
      requireOwnOrigin(call);
      refuseWhileDraining(call.services);
      const connection = route.open(call, upgrade);
      call.session = connection.session;
      void connection.ended.then((error) => call.record(error, 101));
      return Promise.resolve(new Response(null));
    },
  };
}

/**
 * Refuses pages on other sites: the id in the path is a key, which only pages of the server itself should use.
 * @throws ServiceError `forbidden-caller`
 */
export function requireOwnOrigin(call: Call): void {
  if (isFromOwnPage(call)) return;
  throw new ServiceError(
    'forbidden-caller',
    'Only pages from this server may request this. Show the page in a frame instead.',
  );
}

/**
 * False for a request from a page on another site. The host that a trusted proxy received the request for is also
 * treated as the server's own.
 */
export function isFromOwnPage({ request, services, base }: Call): boolean {
  const origin = request.headers.get('origin');
  if (origin === null) return true;
  const { EXTERNAL } = services.config;
  return [request.headers.get('host'), new URL(base).host].some((host) => isOwnOrigin(origin, host, EXTERNAL));
}
