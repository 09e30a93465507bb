/** Builds addresses of the server and of its calls that clients may see. */
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import { parseProxyUrl, shownProxy } from '../../../base/config/proxy-url.ts';

/** The ws or wss address of a server. @param base its http or https address */
export function toSocketUrl(base: string): string {
  return base.replace(/^http/, 'ws');
}

/** The address of a file of a session. @param base the server's http or https address */
export function sessionFileUrl(base: string, id: string, name: string): string {
  return `${base}/session-files/${id}/${encodeURIComponent(name)}`;
}

/** The address of a live view. @param base the server's http or https address */
export function liveUrl(base: string, id: string): string {
  return `${base}/live/?i=${id}`;
}

/** The address of a recording. @param base the server's http or https address */
export function recordingUrl(base: string, id: string): string {
  return `${base}/recordings/${id}`;
}

/** The address on which a person plays a recording. @param base the server's http or https address */
export function playerUrl(base: string, id: string): string {
  return `${base}/player/?i=${id}`;
}

/**
 * The address of a call for /sessions, without its token and without the credentials of a proxy.
 * @param base public base URL of the server
 * @param launch the call's launch options as the schema gave them, without credentials of a proxy
 */
export function publicUrl(base: string, url: URL, launch: LaunchOptions): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('token');
  // Callers with other tokens see the address, and must not learn the names of profiles.
  query.delete('profile');
  for (const name of ['externalProxyServer', '--proxy-server']) {
    const proxy = parseProxyUrl(query.get(name) ?? '');
    if (query.has(name)) query.set(name, proxy ? shownProxy(proxy) : '');
  }
  // Options with a proxy are written anew, encoded or not, because the original holds its password.
  if (query.has('launch') && launch.proxy !== undefined) query.set('launch', JSON.stringify(launch));
  const search = query.toString();
  return `${base}${url.pathname}${search ? `?${search}` : ''}`;
}
