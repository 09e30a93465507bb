// Serves modules to import and files to download, for tests of code that runs in browsers.
import type { ServerResponse } from 'node:http';
import type { SiteHandler } from './site.ts';

function script(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }).end(text);
}

/** Responses of `/files/held.txt`, which end when a client requests `/files/free.csv`. */
const held = new Set<ServerResponse>();

export const codePages: Record<string, SiteHandler> = {
  '/lib.js': (_request, response) =>
    script(response, "export { shout } from '/shout.js';\nexport default { name: 'lib' };"),
  '/shout.js': (_request, response) => script(response, "export const shout = (text) => text.toUpperCase() + '!';"),
  '/answering-worker.js': (_request, response) =>
    script(
      response,
      "const answer = (port) => port.postMessage('runs'); addEventListener('connect', ({ ports: [port] }) => answer(port)); addEventListener('message', ({ source, ports: [port] }) => answer(port ?? source ?? self)); addEventListener('install', () => skipWaiting());",
    ),
  '/broken.js': (_request, response) => script(response, 'export const = 1;'),
  '/downloads': () =>
    `<!doctype html><title>Downloads</title><h1>Downloads</h1>
<a id="note" href="/files/note.txt">note</a> <a id="large" href="/files/large.bin">large</a>
<a id="held" href="/files/held.txt" download>held</a> <a id="free" href="/files/free.csv" download>free</a> <a id="cut" href="/files/cut.bin">cut</a>`,
  '/files/note.txt': (_request, response) =>
    void attach(response, 'Grüße.txt', 'text/plain').end('a note of the site\n'),
  '/files/free.csv': (_request, response) => {
    attach(response, 'free.csv', 'text/csv').end('a,b\n1,2\n');
    for (const waiting of held) waiting.end(' back\n');
    held.clear();
  },
  '/files/held.txt': (_request, response) => {
    attach(response, '../../held.txt', 'text/plain').write('held');
    held.add(response);
    response.on('close', () => held.delete(response));
  },
  /** Streams `?mb=` MiB, never all in memory at once. */
  '/files/large.bin': (request, response) => {
    const chunk = Buffer.alloc(2 ** 20, 7);
    let left = Number(request.query.get('mb') ?? 8);
    attach(response, 'large.bin', 'application/octet-stream', left * chunk.length);
    const more = () => {
      while (left > 0) {
        left--;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  },
  '/files/cut.bin': (_request, response) => {
    attach(response, 'cut.bin', 'application/octet-stream', 1_000_000);
    response.write(Buffer.alloc(100_000), () => response.destroy());
  },
};

function attach(response: ServerResponse, name: string, type: string, length?: number): ServerResponse {
  return response.writeHead(200, {
    'content-type': type,
    // Otherwise the browser waits for bytes to sniff before it treats the response as a download.
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    ...(length === undefined ? {} : { 'content-length': length }),
  });
}
