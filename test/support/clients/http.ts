// Sends HTTP requests for tests: with exactly the test's headers, each on a new socket, and reads the whole response.
import { request as httpRequest } from 'node:http';
import { checkResponse } from '../checks/answers.ts';

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
  text: string;
  /** The body as JSON; throws an error that shows the body when it is not JSON. */
  json<T = unknown>(): T;
}

/** Sends one request. Rejects when the connection fails or ends early, and when the signal aborts. */
export async function send(url: string | URL, call: Call = {}): Promise<Reply> {
  const reply = await transfer(url, call);
  await checkResponse(new URL(url), call, reply);
  return reply;
}

function transfer(url: string | URL, call: Call): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const body = typeof call.body === 'string' ? new TextEncoder().encode(call.body) : call.body;
  const request = httpRequest(
    url,
    {
      method: call.method ?? 'GET',
      agent: false,
      headers: { ...(body === undefined ? {} : { 'content-length': String(body.byteLength) }), ...call.headers },
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    },
    (response) => {
      const chunks: Uint8Array[] = [];
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('the response ended early')));
      response.on('end', () => {
        const bytes = new Uint8Array(Buffer.concat(chunks));
        const text = new TextDecoder().decode(bytes);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          bytes,
          text,
          json() {
            try {
              return JSON.parse(text);
            } catch {
              throw new Error(`not JSON (status ${response.statusCode}): ${text.slice(0, 500)}`);
            }
          },
        });
      });
    },
  );
  request.on('error', reject);
  request.end(body);
  return promise;
}
