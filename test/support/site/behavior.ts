// Serves routes that misbehave or show the request: statuses, redirects, delays, endless responses, headers.
import type { ServerResponse } from 'node:http';
import type { SiteHandler, SiteRequest } from './site.ts';

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function number(request: SiteRequest, name: string, fallback: number): number {
  return Number(request.query.get(name) ?? request.params[name] ?? fallback);
}

/** Calls back after the delay, unless the client disconnects first. */
function later(response: ServerResponse, ms: number, act: () => void): void {
  const timer = setTimeout(act, ms);
  response.on('close', () => clearTimeout(timer));
}

function redirect(response: ServerResponse, code: number, to: string): void {
  response.writeHead(code, { location: to }).end();
}

export const behavior: Record<string, SiteHandler> = {
  '/status/:code': (request, response) => {
    response.statusCode = number(request, 'code', 200);
    return `<!doctype html><title>status</title><h1>status ${request.params['code']}</h1>`;
  },
  '/redirect': (request, response) => redirect(response, number(request, 'code', 302), request.query.get('to') ?? '/'),
  '/redirect-chain/:n': (request, response) => {
    const left = number(request, 'n', 0);
    redirect(response, 302, left > 1 ? `/redirect-chain/${left - 1}` : '/');
  },
  '/redirect-loop': (_request, response) => redirect(response, 302, '/redirect-loop'),
  '/refresh': (request) => {
    const to = escapeHtml(request.query.get('to') ?? '/');
    return request.query.has('script')
      ? `<!doctype html><title>leaving</title><script>location.href = ${JSON.stringify(request.query.get('to') ?? '/')}</script>`
      : `<!doctype html><title>leaving</title><meta http-equiv="refresh" content="0;url=${to}">`;
  },
  '/slow': (request, response) => {
    const ms = number(request, 'ms', 1_000);
    later(response, ms, () => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><title>slow</title><h1>slow ${ms}</h1>`);
    });
  },
  /**
   * Any response: `?body=`, with `?type=` (text/html), headers such as `?header=Content-Security-Policy: sandbox`, and
   * `?ms=` of delay.
   */
  '/answer': (request, response) => {
    const type = request.query.get('type') ?? 'text/html; charset=utf-8';
    const headers = request.query.getAll('header').map((line) => line.split(/: (.*)/).slice(0, 2));
    const send = () => {
      response.writeHead(Number(request.query.get('status') ?? 200), {
        'content-type': type,
        ...Object.fromEntries(headers),
      });
      response.end(request.query.get('body') ?? '');
    };
    const ms = number(request, 'ms', 0);
    if (ms > 0) later(response, ms, send);
    else send();
  },
  '/hang': () => undefined,
  '/reset': (_request, response) => void response.socket?.destroy(),
  '/drip': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write('<!doctype html><title>drip</title><h1>drip</h1>');
    const timer = setInterval(() => response.write('<p>another drop</p>'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/never-load': () => '<!doctype html><title>never</title><h1>never loads</h1><img src="/hang">',
  /** Waits for an image, with the route's name in its URL, that the site never responds to. */
  '/waiting/:name': (request) =>
    `<!doctype html><title>waiting</title><h1>waiting</h1><img src="/hang?${escapeHtml(request.params['name'] ?? '')}">`,
  /** Requests the site again every 100 ms, so that the network is never idle. */
  '/busy': () =>
    `<!doctype html><title>busy</title><h1>busy</h1>
<script>for (let i = 0; i < 3; i++) fetch('/hang').catch(() => {});</script>`,
  '/echo-headers': (request) =>
    `<!doctype html><title>headers</title><pre id="headers">${escapeHtml(JSON.stringify(request.headers))}</pre>`,
  '/bytes': (request) => `<!doctype html><title>bytes</title><p>${'x'.repeat(number(request, 'count', 1_000))}</p>`,
  '/json': (_request, response) => {
    response.setHeader('content-type', 'application/json');
    return '{"answer":42}';
  },
  '/auth': (request, response) => {
    if (request.headers['authorization'] !== `Basic ${btoa('user:pass')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"', 'content-type': 'text/html' });
      response.end('<!doctype html><title>refused</title><h1>refused</h1>');
      return undefined;
    }
    return '<!doctype html><title>let in</title><h1>let in</h1>';
  },
  '/cookies': (request) =>
    `<!doctype html><title>cookies</title><pre id="header">${escapeHtml(request.headers['cookie'] ?? '')}</pre>
<pre id="script"></pre><script>document.querySelector('#script').textContent = document.cookie</script>`,
  /** Sets cookies with every attribute and with unusual names and values; needs HTTPS and a host below app.localhost. */
  '/every-cookie': (_request, response) => {
    response.setHeader('set-cookie', [
      'host=1; Path=/',
      'kept=1; Path=/; Max-Age=50000',
      'domain=1; Path=/; Domain=app.localhost',
      'same=host; Path=/',
      'same=domain; Path=/; Domain=app.localhost',
      'hidden=1; Path=/; HttpOnly',
      'path=1; Path=/cookies',
      'strict=1; Path=/; SameSite=Strict',
      'lax=1; Path=/; SameSite=Lax',
      'none=1; Path=/; Secure; SameSite=None',
      'high=1; Path=/; Priority=High',
      'low=1; Path=/; Priority=Low',
      '__Host-one=1; Path=/; Secure',
      '__Secure-one=1; Path=/; Secure',
      'partitioned=1; Path=/; Secure; SameSite=None; Partitioned',
      'quoted="a, b"; Path=/',
      'equals=a=b==; Path=/',
      'empty=; Path=/',
      'without a name; Path=/',
    ]);
    return '<!doctype html><title>cookies set</title><script>document.cookie = "letters=grün 東京; path=/"</script>';
  },
  '/set-cookie': (_request, response) => {
    response.setHeader('set-cookie', ['visited=yes; Path=/', 'hidden=yes; Path=/; HttpOnly']);
    return '<!doctype html><title>cookie set</title><h1>cookie set</h1>';
  },
  '/download': (_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="file.bin"',
    });
    response.end('downloaded');
  },
  /** Fills V8's heap until the page crashes (not array buffers, which only the machine's memory limits). */
  '/oom': () =>
    '<!doctype html><title>oom</title><script>const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5))</script>',
  '/loop': () => '<!doctype html><title>loop</title><h1>loop</h1><script>for (;;);</script>',
  '/late-loop': () =>
    '<!doctype html><title>loop</title><h1>loop</h1><script>onload = () => setTimeout(() => { for (;;); })</script>',
  /** Loads subresources from a forbidden URL, `?target=file:///etc/passwd`, and reports the outcome to /report. */
  '/forbidden': (request) => {
    const target = request.query.get('target') ?? 'file:///etc/passwd';
    const html = escapeHtml(target);
    return `<!doctype html><title>forbidden</title><h1>forbidden</h1>
<iframe src="${html}"></iframe><img id="img" src="${html}"><link rel="stylesheet" href="${html}">
<script>
const seen = { fetch: 'pending', frame: 'pending' };
fetch(${JSON.stringify(target)}).then((r) => r.text(), (e) => 'failed: ' + e.message)
  .then((text) => { seen.fetch = text; })
  .then(() => new Promise((resolve) => (document.readyState === 'complete' ? resolve() : (onload = resolve))))
  .then(() => {
    try { seen.frame = document.querySelector('iframe').contentDocument?.body.innerText ?? 'closed'; }
    catch (e) { seen.frame = 'failed: ' + e.message; }
    const out = document.body.appendChild(document.createElement('pre'));
    out.id = 'report'; out.textContent = JSON.stringify(seen);
  });
</script>`;
  },
};
