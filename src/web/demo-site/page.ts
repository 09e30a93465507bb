/** Declares the input and output of the demo site's pages, and renders their shared frame. */
/** One request for a page of the demo site. */
export interface Visit {
  /** Path prefix of all URLs: empty at http://playground.localhost/, otherwise the folder in the documentation. */
  root: string;
  /** The same as HTML. */
  base: string;
  query: URLSearchParams;
  /** Values of a form submitted by POST; empty otherwise. */
  form: URLSearchParams;
  /** Name of the signed-in person; empty when nobody is signed in. */
  person: string;
  signal: AbortSignal;
}

export type PageHandler = (visit: Visit) => Response | Promise<Response>;

const menu = [
  ['/shop', 'Shop'],
  ['/form', 'Form'],
  ['/list', 'List'],
  ['/table', 'Table'],
  ['/login', 'Login'],
  ['/scroll', 'Infinite scroll'],
  ['/download', 'Download'],
  ['/frames', 'Frames'],
  ['/slow', 'Slow page'],
] as const;

/** Returns the links to all pages. */
export const menuOf = ({ base }: Visit): string =>
  menu.map(([path, name]) => `<li><a href="${base + path}">${name}</a></li>`).join('');

interface Page {
  title: string;
  body: string;
  /** Name of a script of the demo site, which runs after the page is parsed. */
  script?: string;
  status?: number;
}

/** Renders a page in the shared frame. `title` and `body` are HTML. */
export function page({ base }: Visit, { title, body, script, status = 200 }: Page): Response {
  const later = script === undefined ? '' : `<script src="${base}/${script}" defer></script>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A page for trying out browsers.">
<title>${title}</title>
<link rel="stylesheet" href="${base}/style.css">
<link rel="icon" href="data:,">${later}
</head>
<body>
${body}
</body>
</html>
`;
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** Returns a handler that serves a file of the demo site. */
export const file =
  (type: string, text: string | Uint8Array<ArrayBuffer>, headers?: Readonly<Record<string, string>>): PageHandler =>
  () =>
    new Response(text, { headers: { ...headers, 'Content-Type': type } });

/** Redirects to another page with GET (RFC 9110 section 15.4.4). */
export const seeOther = (Location: string, headers?: Readonly<Record<string, string>>): Response =>
  new Response(null, { status: 303, headers: { ...headers, Location } });
