// Parses proxy URLs as clients and operators write them.

const protocols = new Set(['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:']);

/** `[scheme://][user:password@]host[:port]`, http without a scheme; undefined for anything else. */
export function parseProxyUrl(text: string): URL | undefined {
  const source = text.includes('://') ? text.trim() : `http://${text.trim()}`;
  if (!URL.canParse(source)) return undefined;
  const url = new URL(source);
  const bare = ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
  // Refuse Chromium's proxy lists (`http=a:1;https=b:2`), which the URL parser accepts as a hostname.
  return bare && /^[\w.-]+$|^\[/.test(url.hostname) && protocols.has(url.protocol) && credentialsOf(url)
    ? url
    : undefined;
}

/** The port, or the default port of the protocol. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? 80 : url.protocol === 'https:' ? 443 : 1080;
}

/** Longest username and password in bytes of UTF-8: SOCKS5 sends each length in one byte (RFC 1929). */
const credentialBytes = { socks: 255, http: 4_096 } as const;

/**
 * Username and password, decoded; both empty when there are none. Undefined when they are malformed, too long or
 * contain a control character, or when the username of an HTTP proxy contains a colon.
 */
export function credentialsOf(url: URL): { username: string; password: string } | undefined {
  const isHttp = url.protocol.startsWith('http');
  try {
    const credentials = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
    // RFC 7617: the first colon ends the username.
    if (isHttp && credentials.username.includes(':')) return undefined;
    const longest = isHttp ? credentialBytes.http : credentialBytes.socks;
    // SOCKS4 ends the username with a zero byte, and a line-based service at that port would read lines.
    const isSent = (text: string) => !/\p{Cc}/u.test(text) && new TextEncoder().encode(text).length <= longest;
    return Object.values(credentials).every(isSent) ? credentials : undefined;
  } catch {
    return undefined;
  }
}

/** The URL without username and password. */
export function maskedProxy(url: URL): string {
  return `${url.protocol}//${url.host}`;
}
