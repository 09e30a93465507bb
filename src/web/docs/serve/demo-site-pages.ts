/** Serves the demo site, which browsers open at playground.localhost, to readers under a documentation path. */
import { serveDemoSite } from '../../demo-site/response.ts';
import { assetFolder } from './asset.ts';

const folder = `${assetFolder}/playground`;

/** This origin also stores the reader's token: the sandbox gives the pages an opaque origin without that storage. */
const policy = [
  'sandbox allow-scripts allow-forms allow-downloads',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ');

/** Returns the path of a page within the demo site; undefined for other paths. */
export function demoSitePath(path: string): string | undefined {
  if (path === folder) return '/';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

/**
 * Returns a page of the demo site with the Content-Security-Policy of this origin.
 * @param base path of the public URL, prepended to all links
 */
export async function demoSitePage(request: Request, path: string, base: string): Promise<Response> {
  const response = await serveDemoSite(request, path, base + folder);
  // These cookies are for playground.localhost: the documentation's origin has its own.
  response.headers.delete('Set-Cookie');
  response.headers.set('Content-Security-Policy', policy);
  response.headers.set('X-Content-Type-Options', 'nosniff');
  response.headers.set('X-Robots-Tag', 'noindex');
  response.headers.set('Cache-Control', 'no-cache');
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
}
