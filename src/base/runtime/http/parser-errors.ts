/**
 * Sends a one-line error for requests that Node's HTTP parser rejects before they reach a route, and closes the
 * connection.
 */
import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Refusal = readonly [status: string, sentence: string];

const headers = `${maxHeaderSize / 1_024} KiB`;
/** Refusals by Node error code. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The request line and headers exceed ${headers}. Send large values in a POST body.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', `The chunk extensions exceed ${headers}.`],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive. Send it again, faster.'],
};

const text = (sentence: string) => `${sentence}\n`;

function answer(socket: Duplex, [status, sentence]: Refusal): void {
  // Node removes its error listener from a socket that it hands over.
  socket.on('error', () => socket.destroy());
  const body = text(sentence);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}

export function answerParserErrors(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    responses.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket: Duplex) => {
    const response = responses.get(socket);
    const isMidAnswer = response?.headersSent && !response.writableFinished;
    if (!socket.writable || isMidAnswer) {
      socket.destroy();
      return;
    }
    const why = error.reason === undefined ? '' : `: ${error.reason}`;
    answer(socket, refusals[error.code ?? ''] ?? ['400 Bad Request', `The request is not valid HTTP/1.1${why}.`]);
  });
  server.on('connect', (_: IncomingMessage, socket: Duplex) =>
    answer(socket, ['405 Method Not Allowed', 'This server is not a proxy. Send GET or POST.']),
  );
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, { 'Content-Type': 'text/plain; charset=UTF-8', Connection: 'close' });
    response.end(text('Only "Expect: 100-continue" is supported.'));
  });
}

/** Returns a 400 for a request without exactly one Host header (RFC 9112 section 3.2); HTTP/1.0 needs none. */
export function hostRefusal({ rawHeaders, httpVersionMinor }: IncomingMessage): Response | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined;
  const sentence = hosts === 0 ? 'The Host header is missing.' : 'The request has several Host headers. Send one.';
  return new Response(text(sentence), { status: 400, headers: { 'Content-Type': 'text/plain; charset=UTF-8' } });
}
