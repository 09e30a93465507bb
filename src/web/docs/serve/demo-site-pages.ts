/** Shows the demo site to readers, below the documentation: the pages that browsers open at playground.localhost. */
import { answerDemoSite } from '../../demo-site/answer.ts';
import { assetFolder } from '../site/site.ts';

const folder = `${assetFolder}/playground`;

/** The origin of these pages also holds the reader's token: the sandbox gives them another, without its storage. */
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

/** The path of a page within the demo site; undefined for other paths. */
export function demoSitePath(path: string): string | undefined {
  if (path === folder) return '/';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

/**
 * A page of the demo site under the policy of this origin.
 * @param base path of the public URL, in front of all links
 */
export async function demoSitePage(request: Request, path: string, base: string): Promise<Response> {
  const response = await answerDemoSite(request, path, base + folder);
  // Cookies are for playground.localhost: the documentation's origin has its own.
  response.headers.delete('Set-Cookie');
  response.headers.set('Content-Security-Policy', policy);
  response.headers.set('X-Content-Type-Options', 'nosniff');
  response.headers.set('X-Robots-Tag', 'noindex');
  response.headers.set('Cache-Control', 'no-cache');
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
}
