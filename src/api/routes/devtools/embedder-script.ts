/**
 * The script that the DevTools front-end loads before its own, from the program that embeds it. It completes the address
 * of the socket, which the front-end reads from the query of its own address.
 */

/** Where the pages of the front-end look for it. */
export const embedderScriptPath = 'embedder-static/embedderScript.js';

/**
 * Adds the page's `token` to the address of the socket. Makes it a secure one when the page is: Chromium's `ws` is not,
 * and browsers open no such socket from an https page, while the server cannot see that TLS ends at a proxy before it.
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
