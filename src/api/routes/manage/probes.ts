/**
 * Serves the probes for orchestrators, /healthz and /ready. They are answered before the client is checked and are not
 * logged: kubelets and load balancers send them every few seconds, without a token, under any hostname. So that
 * untrusted clients learn nothing and cause no work, the response is one word, and a probe does not start a browser
 * unless the last check failed.
 */
import { type ApiRoute, directRoute } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import { obstacle } from './obstacle.ts';

const headers = { 'Content-Type': 'text/plain; charset=UTF-8', 'Cache-Control': 'no-store' };

function notReady(word: string, retryAfterSeconds: number): Response {
  return new Response(`${word}\n`, {
    status: 503,
    headers: { ...headers, 'Retry-After': String(retryAfterSeconds) },
  });
}

function probe(
  path: string,
  route: Pick<ApiRoute, 'summary' | 'description' | 'answers'> & { probe: NonNullable<ApiRoute['probe']> },
): ApiRoute {
  return directRoute('manage', `GET ${path}`, {
    ...route,
    subject: undefined,
    auth: 'open',
    handle: ({ services }) => route.probe(services),
  });
}

export const healthz = probe('/healthz', {
  summary: 'Liveness probe',
  description:
    'Returns 200 as long as the process responds, even while it shuts down. Needs no token and accepts any hostname. Restart the server when it fails.',
  answers: ['text/plain'],
  probe: () => new Response('ok\n', { headers }),
});

export const ready = probe('/ready', {
  summary: 'Readiness probe',
  description:
    'Returns 200 if the server would accept a request now, otherwise 503 with Retry-After: `starting`, `stopping`, or `unavailable`. With a token, /pressure gives the reason. Needs no token and accepts any hostname. Send requests to another server while it fails.',
  answers: ['text/plain', { status: 503, type: 'text/plain' }],
  async probe(services) {
    const { config } = services;
    const { monitor } = services.control;
    const { readiness } = services.browsers;
    const { leaving } = services.signals;
    if (leaving.aborted) return notReady('stopping', 10);
    if (!readiness.hasStarted) return notReady('starting', 1);
    // Wait for the first sample and for the disk check, as /pressure does: both then report the same state.
    if (config.HEALTH) await monitor.current();
    // oxlint-disable-next-line browserd/raced-await -- the disk check has a time limit
    const problem = await readiness.known();
    if (services.signals.leaving.aborted) return notReady('stopping', 10);
    const found = obstacle(services) ?? problem;
    return found === undefined ? new Response('ready\n', { headers }) : notReady('unavailable', 5);
  },
});

const probes = new Map([healthz, ready].map((route) => [route.path, route.probe]));

/**
 * Answers a probe; undefined for requests to other paths.
 * @param path the path as the router decodes it
 */
export function answerProbe(request: Request, path: string, services: Services): Promise<Response> | undefined {
  const found = probes.get(path);
  return found && answerMethod(request, path, () => found(services));
}

async function answerMethod(
  { method }: Request,
  path: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  if (method !== 'GET' && method !== 'HEAD') {
    return new Response(`${path} answers GET and HEAD only.\n`, {
      status: 405,
      headers: { ...headers, Allow: 'GET, HEAD' },
    });
  }
  // oxlint-disable-next-line browserd/raced-await -- a probe ends soon
  const response = await answer();
  return method === 'HEAD' ? new Response(null, response) : response;
}
