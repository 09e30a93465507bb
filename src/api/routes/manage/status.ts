/**
 * Serves liveness, readiness, versions and settings: /active, /pressure, /meta, /config (compatibility.mdx#management).
 */
import type { InferOutput } from 'valibot';
import { publicConfig } from '../../../base/config/config.ts';
import { accepts } from '../../../base/runtime/http/accept.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { configResponse, metaResponse, pressureResponse } from '../../../base/schema/response/manage.ts';
import { scopeQuery } from '../../../base/schema/request/query.ts';
import { queryOtherNodes } from '../cluster/others/ask-others.ts';
import { directRoute } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import { puppeteerVersion, serviceVersion } from '../../../base/version.ts';
import { jsonResponse } from '../http/json-response.ts';
import { obstacle } from './obstacle.ts';

export const active = directRoute('manage', 'GET /active', {
  summary: 'Liveness',
  description: 'Returns 204 as long as the service responds, 503 once it is shutting down. Does not start a browser.',
  answers: [noContent],
  handle: ({ services }) =>
    services.signals.leaving.aborted
      ? new Response('The server is shutting down.\n', { status: 503, headers: { 'Retry-After': '10' } })
      : new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain; charset=UTF-8' } }),
});

export const pressure = directRoute('manage', 'GET /pressure', {
  summary: 'Readiness and load',
  description:
    'Reports whether a request would be served now, and if not, why: `reason` is empty, or `full`, `slots`, `cpu`, `memory`, `disk`, `browser`, or `stopping`. The check opens a page if no request has succeeded in the last few seconds. With `Accept: text/plain` the response is only the message, 200 if available and 503 if not.',
  query: scopeQuery,
  ignoresUnknown: true,
  answers: [json(pressureResponse), 'text/plain'],
  handle: async (call, { scope }) => {
    const { request, services } = call;
    const { answers, headers } = await queryOtherNodes(call, scope, pressureResponse);
    // Read this server's state last, so that it is current when the response is sent.
    const own = await describePressure(services);
    const state = pressureOfAll([own, ...answers.map(({ pressure: each }) => each)]);
    const accept = request.headers.get('accept') ?? '*/*';
    if (accepts(accept, ['text/plain']) && !accepts(accept, ['application/json'])) {
      return new Response(`${state.message}\n`, {
        status: state.isAvailable ? 200 : 503,
        headers: { ...headers, 'Content-Type': 'text/plain; charset=UTF-8' },
      });
    }
    return jsonResponse({ pressure: state }, headers);
  },
});

type Pressure = InferOutput<typeof pressureResponse>['pressure'];

/**
 * Merges the pressure of several servers: available if one of them is; counts are sums, the load is the mean.
 * @param all the pressure of each server, that of this server first
 */
function pressureOfAll(all: readonly [Pressure, ...Pressure[]]): Pressure {
  const [own] = all;
  if (all.length === 1) return own;
  const { isAvailable, reason, message } = all.find((each) => each.isAvailable) ?? own;
  const sum = (of: (each: Pressure) => number) => all.reduce((total, each) => total + of(each), 0);
  const mean = (of: (each: Pressure) => number | null) => {
    const known = all.map(of).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0) / known.length;
  };
  return {
    cpu: mean(({ cpu }) => cpu),
    memory: mean(({ memory }) => memory),
    date: own.date,
    isAvailable,
    maxConcurrent: sum(({ maxConcurrent }) => maxConcurrent),
    maxQueued: sum(({ maxQueued }) => maxQueued),
    queued: sum(({ queued }) => queued),
    running: sum(({ running }) => running),
    recentlyRejected: sum(({ recentlyRejected }) => recentlyRejected),
    reason,
    message,
  };
}

/** The load, and whether a request would be served now; `message` includes the notice of an expiring software key. */
export async function describePressure(services: Services): Promise<Pressure> {
  const found = await readPressure(services);
  const notice = services.control.softwareKey?.notice;
  return notice === undefined ? found : { ...found, message: `${found.message} ${notice}` };
}

async function readPressure(services: Services): Promise<Pressure> {
  const { config } = services;
  const { limiter, monitor } = services.control;
  const { metrics } = services.telemetry;
  const { readiness } = services.browsers;
  const load = await monitor.current();
  // oxlint-disable-next-line browserd/raced-await -- callers race it
  const problem = obstacle(services) === undefined ? await readiness.problem() : undefined;
  // Check again for changes during the check, which /ready already reports.
  const found = obstacle(services) ?? problem;
  const { reason, message }: Pick<Pressure, 'reason' | 'message'> = found ?? {
    reason: '',
    message: 'Ready for requests.',
  };
  return {
    cpu: load.cpu,
    memory: load.memory,
    date: Date.now(),
    isAvailable: reason === '',
    maxConcurrent: limiter.options.concurrent,
    maxQueued: config.QUEUED,
    queued: limiter.queued + (services.control.clusterRegistry?.waiting ?? 0),
    running: limiter.running,
    recentlyRejected: metrics.recentlyRejected,
    reason,
    message,
  };
}

/** The data for the documentation's `/status` page: nothing about clients, and no secrets. */
export async function readStatus(services: Services) {
  const [state, versions] = await Promise.all([readPressure(services), versionsOf(services)]);
  const browsers = Object.entries({
    Chromium: versions.chromium,
    Chrome: versions.chrome,
    Edge: versions.edge,
    Firefox: versions.firefox,
    WebKit: versions.webkit,
  });
  return {
    available: state.isAvailable,
    message: state.message,
    version: versions.version,
    running: state.running,
    concurrent: state.maxConcurrent,
    waiting: state.queued,
    queued: state.maxQueued,
    tokenNeeded: services.control.accounts.requiresToken,
    browsers: browsers.flatMap(([name, version]) => (version === null ? [] : [{ name, version }])),
  };
}

export const meta = directRoute('manage', 'GET /meta', {
  summary: 'Versions',
  description:
    'The versions of the service and of each browser that it can start; null for browsers that are not installed. `chromeServedBy` says which executable serves the /chrome routes.',
  answers: [json(metaResponse)],
  handle: async ({ services }) => jsonResponse(await versionsOf(services)),
});

/** The versions of the service, of the browsers that it can start, and of the supported clients. */
export async function versionsOf({ browsers: { catalog }, sessions: { playwright } }: Services) {
  // oxlint-disable-next-line browserd/raced-await -- callers race it
  const [browsers, clients] = await Promise.all([
    catalog.describe(),
    playwright.launcher().then((each) => each.describe()),
  ]);
  return { version: serviceVersion, ...browsers, ...clients, puppeteer: [puppeteerVersion] };
}

export const config = directRoute('manage', 'GET /config', {
  auth: 'operator',
  summary: 'Configuration',
  description: 'The current configuration. Secrets are masked.',
  answers: [json(configResponse)],
  handle: ({ services }) =>
    jsonResponse({ ...publicConfig(services.config), concurrent: services.control.limiter.options.concurrent }),
});
