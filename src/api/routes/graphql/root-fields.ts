/**
 * Lists the root fields of a GraphQL document. Each field returns the data of a REST route, to clients that may call
 * that route.
 */
import { type GraphQLFieldConfigArgumentMap, GraphQLInt, GraphQLString } from 'graphql';
import { ServiceError } from '../../../base/errors.ts';
import { graphqlLimits } from '../../../base/limits.ts';
import { descriptionOf } from '../../../base/schema/introspect.ts';
import { sessionsQuery } from '../../../base/schema/request/query.ts';
import { account, describeAccount } from '../manage/account.ts';
import { metrics, metricsTotal, sumPeriods } from '../manage/metrics.ts';
import { describePressure, meta, pressure, versionsOf } from '../manage/status.ts';
import type { Call } from '../pipeline/call.ts';
import type { ApiRoute } from '../pipeline/route.ts';
import { describeSessions, sessions } from '../sessions/list.ts';

export interface RootField {
  /** The REST route that returns the same data. The field uses its schema, its summary, and its access rules. */
  route: ApiRoute;
  /** Name of the type; for a list, of the type of its entries. */
  type: string;
  /** The field of the route's response that the field returns. Default: the whole response. */
  member?: string;
  args?: GraphQLFieldConfigArgumentMap;
  /** @param args validated by graphql-js */
  read(call: Call, args: Readonly<Record<string, unknown>>): unknown;
  /** Narrows the result of `read` to the field's arguments, so that large data is read once per document. */
  pick?(whole: unknown, args: Readonly<Record<string, unknown>>): unknown;
}

const { defaultPeriods, periods } = graphqlLimits;

export const rootFields: Readonly<Record<string, RootField>> = {
  pressure: {
    route: pressure,
    type: 'Pressure',
    member: 'pressure',
    read: ({ services }) => describePressure(services),
  },
  metrics: {
    route: metrics,
    type: 'MetricsPeriod',
    args: {
      last: {
        type: GraphQLInt,
        default: { value: defaultPeriods },
        description: `How many of the newest periods to return; 1 to ${periods}.`,
      },
    },
    read: ({ services }) => services.control.history.periods(),
    pick(whole, { last }) {
      const count = Number(last ?? defaultPeriods);
      if (count < 1 || count > periods) {
        throw new ServiceError('bad-request', `"last" must be 1 to ${periods}, got ${count}.`);
      }
      return Array.isArray(whole) ? whole.slice(-count) : [];
    },
  },
  metricsTotal: { route: metricsTotal, type: 'MetricsTotal', read: ({ services }) => sumPeriods(services) },
  sessions: {
    route: sessions,
    type: 'Session',
    args: { trackingId: { type: GraphQLString, description: descriptionOf(sessionsQuery.entries.trackingId) } },
    read: (call, { trackingId }) => describeSessions(call, typeof trackingId === 'string' ? trackingId : undefined),
  },
  account: { route: account, type: 'Account', read: (call) => describeAccount(call) },
  version: { route: meta, type: 'Versions', read: ({ services }) => versionsOf(services) },
};
