/** Distinguishes pages of the server itself from pages on other sites. */

/**
 * True if the host and port of the origin are those of the request or of the server's public URL. Ignores the scheme,
 * because TLS may end at a proxy.
 * @param host the Host header of the request
 * @param external EXTERNAL; undefined when it is not set
 */
export function isOwnOrigin(origin: string, host: string | null, external: string | undefined): boolean {
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!page || !/^https?:$/.test(page.protocol)) return false;
  if (external !== undefined && page.host === new URL(external).host) return true;
  const port = page.port || (page.protocol === 'https:' ? '443' : '80');
  const own = host?.toLowerCase();
  return own === page.host || own === `${page.hostname}:${port}`;
}
