/** Sockets of viewers of a live view: `/live/<id>` (compatibility.mdx#live-view). */
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { Call } from '../pipeline/call.ts';
import type { Connection, UiSocketRoute } from '../pipeline/route.ts';
import { findView } from './find-view.ts';

/** Longest message: what a person pastes, each character of which may have three bytes or an escape. */
const messageBytes = 4 * 2 ** 20;
/** A viewer that leaves this many bytes unread is too slow when more come; pictures wait for its acknowledgements. */
const unreadBytes = 8 * 2 ** 20;

export const liveSockets: readonly UiSocketRoute[] = ['/live/:id', '/chrome/live/:id', '/chromium/live/:id'].map(
  (path) => ({ path, open: watch }),
);

function watch(call: Call, upgrade: ClientUpgrade): Connection {
  const { config } = call.services;
  const { unread } = call.services.web;
  const view = findView(call, call.parameter('id'));
  view.checkRoom();
  const socket = upgrade.accept([], {
    messageBytes,
    unreadBytes,
    standstillMs: config.SEND_TIMEOUT_MS,
    unread,
    pingEveryMs: config.PING_INTERVAL_MS,
  });
  const { promise: ended, resolve } = Promise.withResolvers<undefined>();
  socket.closed.addEventListener('abort', () => resolve(undefined), { once: true });
  view.join(socket, call.address);
  return { session: view.session, ended };
}
