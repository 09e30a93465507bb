/** Serves the metrics: /metrics as JSON or for Prometheus, and /metrics/total. */
import { total, totalOfServers } from '../../../base/telemetry/metrics.ts';
import { accepts, namedType, namedTypes } from '../../../base/runtime/http/accept.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { periodsResponse, totalResponse } from '../../../base/schema/response/manage.ts';
import { scrapeState } from '../../../control/services.ts';
import { ServiceError } from '../../../base/errors.ts';
import { scopeQuery } from '../../../base/schema/request/query.ts';
import { queryOtherNodes } from '../cluster/others/ask-others.ts';
import type { JsonResponse } from '../http/json-response.ts';
import { directRoute } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';

const compactJson = <Body>(value: Body, headers: Readonly<Record<string, string>>): JsonResponse<Body> =>
  new Response(`${JSON.stringify(value)}\n`, {
    headers: { ...headers, 'Content-Type': 'application/json; charset=UTF-8' },
  });

export const metrics = directRoute('manage', 'GET /metrics', {
  auth: 'operator',
  summary: 'Metrics by period',
  description:
    'The saved five-minute periods, oldest first. If Accept asks for text, as Prometheus does, the response contains the counters since startup in the Prometheus text format.',
  query: scopeQuery,
  ignoresUnknown: true,
  answers: [json(periodsResponse), 'text/plain'],
  handle: async (call, { scope }) => {
    const { request, services } = call;
    const accept = request.headers.get('accept');
    const asksText = namedType(accept, ['text/plain', 'application/openmetrics-text']) !== undefined;
    // Prometheus adds a wildcard of the lowest weight to Accept.
    const others = namedTypes(accept).filter((type) => type !== '*/*');
    if (asksText && !accepts(others.join(), ['application/json'])) {
      if (scope === 'cluster')
        throw new ServiceError(
          'invalid-query',
          'scope=cluster is not available as text for Prometheus: scrape each server instead.',
        );
      return new Response(
        // oxlint-disable-next-line browserd/raced-await -- arithmetic
        await services.telemetry.metrics.exposition(scrapeState(services.control)),
        { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } },
      );
    }
    const [own, { answers, headers }] = await Promise.all([
      services.control.history.periods(),
      queryOtherNodes(call, scope, periodsResponse),
    ]);
    return compactJson(
      [...own, ...answers.flat()].toSorted((a, b) => a.date - b.date),
      headers,
    );
  },
});

export const metricsTotal = directRoute('manage', 'GET /metrics/total', {
  auth: 'operator',
  summary: 'Metrics over all periods',
  description: 'Sums over the saved periods and the current one.',
  query: scopeQuery,
  ignoresUnknown: true,
  answers: [json(totalResponse)],
  async handle(call, { scope }) {
    // oxlint-disable-next-line browserd/raced-await -- the endpoint races it
    const [own, { answers, headers }] = await Promise.all([
      sumPeriods(call.services),
      queryOtherNodes(call, scope, totalResponse),
    ]);
    return compactJson(answers.length === 0 ? own : totalOfServers([own, ...answers]), headers);
  },
});

/** The sums over the saved periods and the current one. */
export async function sumPeriods({ control: { history, monitor }, telemetry: { metrics: counted } }: Services) {
  const saved = await history.periods();
  const current = counted.current(monitor.latest());
  const happened = current.successful + current.error + current.timedout + current.queued + current.rejected > 0;
  return total(happened ? [...saved, current] : saved);
}
