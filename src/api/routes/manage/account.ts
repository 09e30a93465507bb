/** Serves /account: the permissions, limits, and usage of a token. */
import { featureNames } from '../../../base/account/features.ts';
import { monthEnd } from '../../../control/accounts/units.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { accountResponse } from '../../../base/schema/response/manage.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { jsonResponse } from '../http/json-response.ts';
import { stricterLimit } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';

export const account = directRoute('manage', 'GET /account', {
  summary: 'The account of a token',
  description:
    "The token's plan, its features and limits, its running and waiting requests, and the units it has used this month. There are no limits for the operator, or for anyone on a server without TOKENS_FILE.",
  query: tokenQuery,
  answers: [json(accountResponse)],
  handle(call) {
    return jsonResponse(describeAccount(call));
  },
});

/** The permissions, limits, and usage of a request's account. */
export function describeAccount({ account: own, services }: Pick<Call, 'account' | 'services'>) {
  const { isOperator, name, terms, units } = own;
  const { config } = services;
  const { accounts, limiter } = services.control;
  const expires = isOperator ? undefined : accounts.expiryOf(own);
  // For the operator, count all requests, not only those without an account.
  const { running, queued } = isOperator ? limiter : limiter.usageOf(own);
  return {
    name: isOperator ? null : name,
    plan: terms.plan,
    features: featureNames.filter((feature) => terms.features.has(feature)),
    routes: terms.routes ?? null,
    allowedDomains: terms.allowedDomains ?? null,
    concurrent: Math.min(limiter.options.concurrent, terms.concurrent ?? Infinity),
    queued: Math.min(config.QUEUED, terms.queued ?? Infinity),
    perMinute: terms.perMinute ?? null,
    maxTimeoutMs: stricterLimit(config.MAX_TIMEOUT, terms.maxTimeoutMs) || null,
    maxReconnectMs: stricterLimit(config.MAX_RECONNECT_TIME, terms.maxReconnectMs) || null,
    weight: terms.weight,
    running,
    waiting: queued,
    units: {
      used: isOperator ? null : units.used,
      budget: terms.unitsPerMonth ?? null,
      resetsAt: new Date(monthEnd(Date.now())).toISOString(),
    },
    expires: expires === undefined ? null : new Date(expires).toISOString(),
  };
}
