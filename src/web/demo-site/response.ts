/**
 * Serves the demo site: small pages for trying out browsers. The browsers on this server open them as
 * http://playground.localhost/, which the egress serves; readers of the documentation see them under
 * /_docs/playground/.
 */
import { parse } from 'hono/utils/cookie';
import { escapeHtml } from '../../base/assets/escape.ts';
import { demoSiteLimits } from '../../base/limits.ts';
import { pause } from '../../base/runtime/deadline.ts';
import { files } from './files.ts';
import { cookieName, formActions, formPages } from './forms.ts';
import { listPages } from './lists.ts';
import { type PageHandler, menuOf, page, seeOther, type Visit } from './page.ts';
import { shopPages } from './shop.ts';

const start: PageHandler = (visit) =>
  page(visit, {
    title: 'Playground',
    body: `<main><h1>Playground</h1><p class="lead">Small pages for trying out browsers. They need no internet connection.</p><ul class="pages">${menuOf(visit)}</ul></main>`,
  });

const download: PageHandler = (visit) =>
  page(visit, {
    title: 'Download',
    body: `<main><h1>Download</h1><ul><li><a id="csv" href="${visit.base}/planets.csv">planets.csv</a></li><li><a id="pdf" href="${visit.base}/report.pdf">report.pdf</a></li></ul></main>`,
  });

const frames: PageHandler = (visit) =>
  page(visit, {
    title: 'Frames',
    script: 'frames.js',
    body: `<main><h1>Frames</h1><iframe id="form" title="The form" src="${visit.base}/form"></iframe><div id="shadow"></div><p id="pressed" role="status">The button has not been pressed yet.</p></main>`,
  });

/** Waits for the number of milliseconds in the query. */
const slow: PageHandler = async (visit) => {
  const asked = Number(visit.query.get('ms') ?? demoSiteLimits.defaultWaitMs);
  const ms = asked >= 0 ? Math.min(asked, demoSiteLimits.maxWaitMs) : demoSiteLimits.defaultWaitMs;
  await pause(ms, visit.signal);
  return page(visit, { title: 'Slow page', body: `<main><h1>Slow page</h1><p>Waited ${ms} ms.</p></main>` });
};

const pages = new Map<string, PageHandler>(
  Object.entries({
    '/': start,
    ...shopPages,
    ...formPages,
    ...listPages,
    '/download': download,
    '/frames': frames,
    '/slow': slow,
    '/redirect': ({ root }: Visit) => seeOther(`${root}/`),
    ...files,
  }),
);
const actions = new Map(Object.entries(formActions));

/**
 * Responds to a request.
 * @param path path of the page, starting with `/`
 * @param root path prefix of the pages' URLs: empty, or the folder in the documentation
 */
export async function serveDemoSite(request: Request, path: string, root: string): Promise<Response> {
  const { method, headers, signal } = request;
  const known = method === 'POST' ? actions.get(path) : pages.get(path);
  const visit: Visit = {
    root,
    base: escapeHtml(root),
    query: new URL(request.url).searchParams,
    form: new URLSearchParams(),
    person: parse(headers.get('cookie') ?? '', cookieName)[cookieName] ?? '',
    signal,
  };
  if (known === undefined || !['GET', 'HEAD', 'POST'].includes(method)) {
    const isThere = pages.has(path) || actions.has(path);
    const [title, status] = isThere ? ['Method not allowed', 405] : ['Not found', 404];
    const body = `<main><h1>${title}</h1><p><a href="${visit.base}/">All pages</a></p></main>`;
    return page(visit, { title, body, status });
  }
  const form = method === 'POST' ? await readForm(request) : visit.form;
  if (form === undefined)
    return page(visit, { title: 'Too large', body: '<main><h1>Too large</h1></main>', status: 413 });
  const response = await known({ ...visit, form });
  return method === 'HEAD' ? new Response(null, response) : response;
}

/** Reads the values of a form, at most up to the size limit; undefined for a body that is too large. */
async function readForm({ body }: Request): Promise<URLSearchParams | undefined> {
  const text = new TextDecoder();
  let read = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > demoSiteLimits.formBytes) return undefined;
    read += text.decode(chunk, { stream: true });
  }
  return new URLSearchParams(read);
}
