// Lists requests that attack the server's time, memory or log. Each lists the statuses that the server may respond
// with.
import { request as httpRequest } from 'node:http';
import { connect as connectTo } from 'node:net';
import { WebSocket } from 'ws';
import { socketUrl } from './clients.ts';
import type { Service } from '../service.ts';
import type { Site } from '../site/site.ts';

export interface Hostile {
  name: string;
  /** Allowed HTTP statuses or close codes. */
  expected: readonly number[];
  run(service: Service, site: Site): Promise<{ status: number; bytes: number }>;
}

/**
 * Time limits in milliseconds: for requests that are allowed to run into the limit, and for requests that must finish
 * before it.
 */
const shortLimit = 2_000;
const timeLimit = 5_000;
/** For sending megabytes through a page while attacks use up a slow CPU. */
const longLimit = 20_000;

/** A path, with or without parameters. */
type Target = string | { path: string; query: Record<string, string | number> };

function post(name: string, target: Target, body: () => unknown, expected: readonly number[] = [400]): Hostile {
  const { path, query } = typeof target === 'string' ? { path: target, query: {} } : target;
  return {
    name,
    expected,
    async run(service) {
      const { status, bytes } = await service.post(path, body(), { query: { timeout: timeLimit, ...query } });
      return { status, bytes: bytes.length };
    },
  };
}

/** A request for a page with hostile markup, which must not affect other requests. */
const page = (name: string, html: string, expected: readonly number[], path = '/content'): Hostile =>
  post(
    name,
    { path, query: { timeout: 1_500 } },
    () => ({ html, waitForSelector: { selector: '#never', timeout: 800 } }),
    expected,
  );

function functionCode(name: string, text: string, expected: readonly number[]): Hostile {
  return {
    name,
    expected,
    async run(service) {
      const timeout = expected.includes(408) ? shortLimit : longLimit;
      const options = { query: { timeout }, headers: { 'content-type': 'application/javascript' } };
      const { status, bytes } = await service.post('/function', text, options);
      return { status, bytes: bytes.length };
    },
  };
}

const document = (name: string, query: string, expected: readonly number[], variables?: () => object): Hostile =>
  post(name, '/chromium/bql', () => ({ query, ...(variables ? { variables: variables() } : {}) }), expected);

const list = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${at}`, at]));
const withLaunch = (options: object): Target => ({ path: '/content', query: { launch: JSON.stringify(options) } });

/** Sends raw bytes of an HTTP request; resolves with the response's status, or 0 if the connection ends without one. */
function raw(name: string, text: (service: Service) => string, expected: readonly number[]): Hostile {
  return {
    name,
    expected,
    run: (service) =>
      new Promise((resolve) => {
        const socket = connectTo(service.port, '127.0.0.1');
        let answer = '';
        socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
        // The server does not read the rest of a request that is too long.
        socket.on('error', () => {});
        socket.on('close', () =>
          resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), bytes: answer.length }),
        );
        socket.end(text(service));
      }),
  };
}

/** Sends frames on a BrowserQL socket; resolves with the server's close code. */
function frames(
  name: string,
  protocol: string[],
  sent: (send: (data: string | Uint8Array) => void) => void,
  expected: readonly number[],
): Hostile {
  return {
    name,
    expected,
    run: (service) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(socketUrl(service, '/chromium/bql', { timeout: timeLimit }), protocol);
        let bytes = 0;
        socket.on('open', () => sent((data) => socket.send(data)));
        socket.on('message', (data: Uint8Array) => (bytes += data.length));
        socket.on('error', reject);
        socket.on('close', (status) => resolve({ status, bytes }));
      }),
  };
}

/** A chunked request body that never ends. */
const endless: Hostile = {
  name: 'an endless chunked body',
  expected: [400, 0],
  run: (service) =>
    new Promise((resolve) => {
      const request = httpRequest(`${service.url}/content`, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      });
      const chunk = ' '.repeat(65_536);
      const write = () => {
        while (!request.destroyed && request.write(chunk));
      };
      let status = 0;
      request.on('drain', write);
      request.on('error', () => resolve({ status, bytes: 0 }));
      request.on('close', () => resolve({ status, bytes: 0 }));
      request.on('response', (response) => {
        status = response.statusCode ?? 0;
        response.resume();
        request.destroy();
      });
      write();
    }),
};

const slowPattern = `${'a'.repeat(40)}`;
const patterns = (name: string, pattern: string, expected: readonly number[]): Hostile => ({
  name,
  expected,
  async run(service, site) {
    const body = { url: `${site.url}/small?${slowPattern}`, rejectRequestPattern: [pattern] };
    const { status, bytes } = await service.post('/content', body, { query: { timeout: timeLimit } });
    return { status, bytes: bytes.length };
  },
});

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

export const hostileRequests: readonly Hostile[] = [
  post('a million zeros as resource types', '/content', () => ({
    html: 'x',
    rejectResourceTypes: list(1_000_000, 0),
  })),
  post('300,000 empty cookies', '/content', () => ({ html: 'x', cookies: list(300_000, {}) })),
  post('600,000 unknown fields', '/content', () => ({ html: 'x', ...names(600_000) })),
  post('150,000 unknown fields without a session', '/chromium/bql/nobody', () => names(150_000), [400, 404]),
  post('200,000 invalid scripts', '/content', () => ({ html: 'x', addScriptTag: list(200_000, { content: 5 }) })),
  post('100,000 headers', '/content', () => ({ html: 'x', setExtraHTTPHeaders: names(100_000) })),
  post('100,000 patterns', '/content', () => ({ html: 'x', rejectRequestPattern: list(100_000, 'x') })),
  post('100,000 elements', '/scrape', () => ({ html: 'x', elements: list(100_000, { selector: 'a' }) })),
  post(
    '100,000 audits',
    '/performance',
    () => ({ url: 'http://127.0.0.1/', config: { settings: { onlyAudits: list(100_000, 'x') } } }),
    [400, 403],
  ),
  post('nested arrays', '/content', () => `{"html":"x","cookies":${deep('[', ']', 200_000)}}`),
  post('nested objects', '/content', () => `{"html":"x","viewport":${deep('{"a":', '}', 100_000).replace('}', '1}')}}`),
  post('ten megabytes of spaces', '/content', () => `{"html":"x"${' '.repeat(10_000_000)}}`, [200]),
  post('a body above the limit', '/content', () => ({ html: 'x'.repeat(11_000_000) })),
  post(
    'a legitimate large body',
    { path: '/content', query: { timeout: longLimit } },
    () => ({ html: `<p>${'x'.repeat(40_000)}</p>`, addStyleTag: [{ content: `/*${'y'.repeat(8_000_000)}*/` }] }),
    [200],
  ),
  post('an absurdly large viewport', '/screenshot', () => ({ html: 'x', viewport: { width: 1e9, height: 1e9 } })),
  post('a field that is not a number', '/pdf', () => ({ html: 'x', options: { scale: 'x'.repeat(1_000_000) } })),
  endless,
  patterns('alternatives that double the work each time', '(a|a){25}$b', [200, 400]),
  patterns('nested quantifiers', '(a{1,30}){1,30}!', [200, 400]),
  patterns('an endless lookahead', '^(?!.*(a|a){30}$b)', [400]),
  patterns('an endless backreference', '(a*)*\\1b', [400]),
  post('a profile in a system directory', withLaunch({ userDataDir: '/proc/x' }), () => ({ html: 'x' })),
  post('a profile that is a file', withLaunch({ userDataDir: '/etc/passwd' }), () => ({ html: 'x' })),
  post('five hundred switches', withLaunch({ args: list(500, '--lang=de') }), () => ({ html: 'x' })),
  post('a switch that starts a program', withLaunch({ args: ['--gpu-launcher=x'] }), () => ({ html: 'x' })),
  page('an endless loop', '<script>for (;;);</script>', [408]),
  page('an endless loop of dialogs', '<script>for (;;) alert(1)</script>', [408]),
  page(
    'endless memory allocation',
    '<script>const all = []; setInterval(() => all.push(new Uint8Array(5e7).fill(1)), 1)</script>',
    [408, 500],
  ),
  page('endless windows', '<script>setInterval(() => open("about:blank"), 1)</script>', [408]),
  page(
    'endless frames',
    '<script>setInterval(() => document.body.append(document.createElement("iframe")), 1)</script><body>',
    [408],
  ),
  page('endless workers', '<script>setInterval(() => new Worker("data:text/javascript,for(;;);"), 10)</script>', [408]),
  post(
    'huge markup',
    '/content',
    () => ({ html: '<body><script>document.body.textContent = "x".repeat(2 ** 28)</script>' }),
    [400, 408, 500],
  ),
  functionCode('a function with an endless loop', 'export default async () => { for (;;); }', [408]),
  functionCode(
    'a result of 300 MB',
    'export default async () => ({ data: "x".repeat(3e8), type: "text/plain" })',
    [400, 408, 500],
  ),
  functionCode(
    'a type of 200 kB',
    'export default async () => ({ data: new Uint8Array(9), type: "x/" + "y".repeat(2e5) })',
    [400],
  ),
  functionCode(
    'a ten-megabyte error message',
    'export default async () => { throw new Error("x".repeat(1e7)) }',
    [400],
  ),
  document('nested selections', `mutation ${deep('{ a ', '}', 50_000)}`, [400]),
  document(
    '100,000 aliases',
    `mutation { ${Array.from({ length: 100_000 }, (_, at) => `a${at}: title { title }`).join(' ')} }`,
    [400],
  ),
  document('a megabyte of punctuation', `mutation { ${'!'.repeat(1_000_000)} }`, [400]),
  document('a fragment that spreads itself', 'mutation { ...a } fragment a on Mutation { ...a }', [400]),
  document('300,000 variables', 'mutation ($u: String!) { goto(url: $u) { status } }', [400], () => names(300_000)),
  raw(
    'a malformed escape',
    () => 'POST /chromium/bql/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    [400, 404],
  ),
  raw(
    'a one-megabyte request line',
    () => `GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    [431, 400, 0],
  ),
  raw(
    '1,500 parameters',
    () =>
      `GET /sessions?${Array.from({ length: 1_500 }, (_, at) => `p${at}=1`).join('&')} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    [400, 431],
  ),
  raw(
    'two Content-Length headers',
    () =>
      'POST /content HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    [400],
  ),
  // The server responds with an error and keeps the connection until its time limit.
  frames(
    'a ten-megabyte document',
    ['graphql-transport-ws'],
    (send) => {
      send('{"type":"connection_init"}');
      send(`{"type":"subscribe","id":"1","payload":{"query":"${'x'.repeat(10_000_000)}"}}`);
    },
    [4408],
  ),
  frames(
    '200,000 fields over a socket',
    ['graphql-transport-ws'],
    (send) => {
      send('{"type":"connection_init"}');
      send(JSON.stringify({ type: 'subscribe', id: '1', payload: names(200_000) }));
    },
    [1008, 1009, 4400],
  ),
  frames('a message that is not JSON', ['graphql-transport-ws'], (send) => send(deep('[', ']', 100_000)), [4400, 1009]),
];
