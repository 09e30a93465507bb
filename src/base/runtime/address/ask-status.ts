/** Requests an HTTP status with `node:http` alone: `fetch` refuses some ports, and takes longer to load. */
import { get } from 'node:http';

/** @throws the network error; the abort reason of the signal */
export function askStatus(
  { host, port, path }: { host: string; port: number; path: string },
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path, signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', (error) => reject(signal.aborted ? signal.reason : error));
  });
}
