// Sends one request repeatedly over a keep-alive connection and prints the duration of each response. Runs as a
// separate process, with a higher priority where the system allows it, so that it measures the server and not the wait
// for a core.
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

interface ProbeOptions {
  url: string;
  headers: Record<string, string>;
  body: string;
  rounds: number;
}

/** A pause between requests: the probe measures rejections and must not flood the server. */
const pauseMs = 20;

const { url, headers, body, rounds }: ProbeOptions = JSON.parse(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true });
try {
  setPriority(-15);
} catch {
  // Without root, the results include the wait for a core.
}

function once(): Promise<{ status: number; ms: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; ms: number }>();
  const startedAt = performance.now();
  const length = { 'content-length': Buffer.byteLength(body) };
  const call = request(url, { agent, method: 'POST', headers: { ...headers, ...length } }, (response) => {
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt }));
    response.resume();
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}

// Warm up: the first requests get the client's code compiled.
for (let round = 0; round < 3; round++) await once();
const results: { status: number; ms: number }[] = [];
for (let round = 0; round < rounds; round++) {
  results.push(await once());
  await pause(pauseMs);
}
agent.destroy();
console.log(JSON.stringify(results));
