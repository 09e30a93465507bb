/** Accepts the sockets of live view viewers: `/live/<id>` (compatibility.mdx#live-view). */
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { Call } from '../pipeline/call.ts';
import type { Connection, UiSocketRoute } from '../pipeline/route.ts';
import { findView } from './find-view.ts';

/** Longest message: pasted text, where each character may take three bytes or an escape sequence. */
const messageBytes = 4 * 2 ** 20;
/**
 * Number of unread bytes above which a viewer is considered too slow if it is sent more; frames wait for its
 * acknowledgments.
 */
const unreadBytes = 8 * 2 ** 20;

export const liveSockets: readonly UiSocketRoute[] = ['/live/:id', '/chrome/live/:id', '/chromium/live/:id'].map(
  (path) => ({ path, subject: 'link', open: watch }),
);

function watch(call: Call, upgrade: ClientUpgrade): Connection {
  const view = findView(call, call.parameter('id'));
  view.requireCapacity();
  const socket = upgrade.accept([], {
    messageBytes,
    unreadBytes,
  });
  const { promise: ended, resolve } = Promise.withResolvers<undefined>();
  socket.closed.addEventListener('abort', () => resolve(undefined), { once: true });
  view.join(socket, call.address);
  return { session: view.session, ended };
}
