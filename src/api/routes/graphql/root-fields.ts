/** Lists what a document may ask for. Each field tells what a REST route tells, and to whom that route tells it. */
import { type GraphQLFieldConfigArgumentMap, GraphQLInt, GraphQLString } from 'graphql';
import { ServiceError } from '../../../base/errors.ts';
import { graphqlLimits } from '../../../base/limits.ts';
import { descriptionOf } from '../../../base/schema/introspect.ts';
import { sessionsQuery } from '../../../base/schema/request/query.ts';
import { account, describeAccount } from '../manage/account.ts';
import { metrics, metricsTotal, sumPeriods } from '../manage/metrics.ts';
import { describePressure, meta, pressure, versionsOf } from '../manage/status.ts';
import type { Call } from '../pipeline/call.ts';
import type { DirectRoute } from '../pipeline/route.ts';
import { describeSessions, sessions } from '../sessions/list.ts';

export interface RootField {
  /** Tells the same over REST. The field has its schema, its summary and its callers. */
  route: DirectRoute;
  /** Name of the type, or of that of each entry of a list. */
  type: string;
  /** The member of the route's answer that the field is. Default: the whole answer. */
  member?: string;
  args?: GraphQLFieldConfigArgumentMap;
  /** @param args validated by graphql-js */
  read(call: Call, args: Readonly<Record<string, unknown>>): unknown;
  /** What `read` returned without arguments, cut to those of the field: for what is too large to be read for each. */
  pick?(whole: unknown, args: Readonly<Record<string, unknown>>): unknown;
}

const { usualPeriods, periods } = graphqlLimits;

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
        default: { value: usualPeriods },
        description: `How many periods, the newest; 1 to ${periods}.`,
      },
    },
    read: ({ services }) => services.control.history.periods(),
    pick(whole, { last }) {
      const count = Number(last ?? usualPeriods);
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
