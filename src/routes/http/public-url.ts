/** The address of a call as others may see it, in /sessions: without token and without what opens a proxy. */
import type { LaunchOptions } from '../../schema/request/launch.ts';
import { parseProxyUrl, shownProxy } from '../../network/proxy-url.ts';

/**
 * @param base public base URL of the server
 * @param launch the call's launch options as the schema gave them, without credentials of a proxy
 */
export function publicUrl(base: string, url: URL, launch: LaunchOptions): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('token');
  for (const name of ['externalProxyServer', '--proxy-server']) {
    const proxy = parseProxyUrl(query.get(name) ?? '');
    if (query.has(name)) query.set(name, proxy ? shownProxy(proxy) : '');
  }
  // Encoded or not: options with a proxy are written anew, without its password.
  if (query.has('launch') && launch.proxy !== undefined) query.set('launch', JSON.stringify(launch));
  const search = query.toString();
  return `${base}${url.pathname}${search ? `?${search}` : ''}`;
}
