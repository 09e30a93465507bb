/**
 * Defines the embedder script, which the DevTools front-end loads before its own scripts. It completes the socket URL,
 * which the front-end reads from its own query string.
 */

/** The path where the front-end's pages look for it. */
export const embedderScriptPath = 'embedder-static/embedderScript.js';

/**
 * Adds the page's `token` to the socket URL, and uses `wss` if the page is secure: Chromium's `ws` is not, and browsers
 * do not open insecure sockets from https pages, while the server cannot see that TLS ends at a proxy in front of it.
 */
export const embedderScript = `'use strict';
{
  const url = new URL(location.href);
  const query = url.searchParams;
  const socket = query.get('ws') || query.get('wss');
  const token = query.get('token');
  if (socket) {
    const scheme = query.get('ws') && location.protocol !== 'https:' ? 'ws' : 'wss';
    const added = token ? (socket.includes('?') ? '&' : '?') + 'token=' + encodeURIComponent(token) : '';
    for (const name of ['ws', 'wss', 'token']) query.delete(name);
    query.set(scheme, socket + added);
    history.replaceState(null, '', url);
  }
}
`;
