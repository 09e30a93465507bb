/** Builds the public URLs that clients may see. */
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import { parseProxyUrl, maskedProxy } from '../../../base/config/proxy-url.ts';

/** The ws or wss URL of a server. @param base its http or https URL */
export function toSocketUrl(base: string): string {
  return base.replace(/^http/, 'ws');
}

/** The URL of a session file. @param base the server's http or https URL */
export function sessionFileUrl(base: string, id: string, name: string): string {
  return `${base}/session-files/${id}/${encodeURIComponent(name)}`;
}

/** The URL of a live view. @param base the server's http or https URL */
export function liveUrl(base: string, id: string): string {
  return `${base}/live/?i=${id}`;
}

/** The URL of a recording. @param base the server's http or https URL */
export function recordingUrl(base: string, id: string): string {
  return `${base}/recordings/${id}`;
}

/** The URL where a person plays a recording. @param base the server's http or https URL */
export function playerUrl(base: string, id: string): string {
  return `${base}/player/?i=${id}`;
}

/**
 * The URL of a request as shown by /sessions, without its token and proxy credentials.
 * @param base public base URL of the server
 * @param launch the launch options of the request as parsed by the schema, without proxy credentials
 */
export function publicUrl(base: string, url: URL, launch: LaunchOptions): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('token');
  // Clients with other tokens see this URL, and must not learn the names of profiles.
  query.delete('profile');
  for (const name of ['externalProxyServer', '--proxy-server']) {
    const proxy = parseProxyUrl(query.get(name) ?? '');
    if (query.has(name)) query.set(name, proxy ? maskedProxy(proxy) : '');
  }
  // Launch options with a proxy are serialized again, encoded or not, because the original contains the password.
  if (query.has('launch') && launch.proxy !== undefined) query.set('launch', JSON.stringify(launch));
  const search = query.toString();
  return `${base}${url.pathname}${search ? `?${search}` : ''}`;
}
