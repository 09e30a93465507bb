/** What a document gets of the server, and the answers of its route. */
import type { BqlAnswer } from '../../bql/execute.ts';
import { toRequestErrors } from '../../bql/execute.ts';
import type { BqlHost } from '../../bql/host.ts';
import { DocumentError, type ReadyDocument } from '../../bql/document.ts';
import type { SessionOptions } from '../../bql/session.ts';
import type { Outcomes } from '../../browsers/egress.ts';
import type { Log } from '../../log.ts';
import type { LaunchOptions } from '../../schema/launch.ts';
import type { BrowserQuery } from '../../schema/query.ts';
import { serviceVersion } from '../../version.ts';
import { addressOf, explainFailure } from '../explain-failure.ts';
import type { Answer } from '../route.ts';
import type { Services } from '../services.ts';

/** @param wayOut what connections of the page leave through */
export function hostFor(services: Services, log: Log, wayOut: Outcomes = services.egress): BqlHost {
  const { policy, pool } = services;
  return {
    checkUrl: (text, field) => policy.checkUrl(text, field),
    allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
    explain: (url) => explainFailure(url, wayOut),
    addressOf: (url) => addressOf(url, wayOut),
    browserVersion: async () => (await pool.version()).product,
    version: serviceVersion,
    log,
  };
}

/** Mutations after which requests must have been recorded from the start. */
const recordUsers = [
  'request',
  'response',
  'waitForRequest',
  'waitForResponse',
  'waitForNavigation',
  'if',
  'ifnot',
  'back',
  'forward',
  'reload',
];

/** What a document needs, by the names that it uses: what it does not use costs its page nothing. */
export function optionsFor(
  { steps, fields }: ReadyDocument,
  query: BrowserQuery,
  launch: LaunchOptions,
): SessionOptions {
  return {
    humanlike: query.humanlike ?? false,
    slowMoMs: Math.max(0, launch.slowMo ?? 0),
    records: recordUsers.some((name) => steps.has(name)),
    bodies: steps.has('response') && (fields.has('body') || fields.has('bodyEncoding')),
    windows: steps.has('switchToWindow'),
  };
}

export const bqlAnswers = ['application/json', 'application/graphql-response+json'] as const;

export function toAnswer(answer: BqlAnswer, status = 200): Answer {
  return { status, body: JSON.stringify(answer), contentType: 'application/json; charset=UTF-8' };
}

/** The 400 of a document that cannot run. Rethrows everything else. */
export function refusal(error: unknown): Answer {
  if (!(error instanceof DocumentError)) throw error;
  return toAnswer({ errors: toRequestErrors(error.errors) }, 400);
}

/** The answer to a subscription that is posted. */
export const subscriptionOverHttp: BqlAnswer = {
  errors: [
    {
      message:
        'Subscriptions need a WebSocket: connect to the same address with ws:// or wss:// and the subprotocol graphql-transport-ws.',
      extensions: { code: 'BAD_DOCUMENT' },
    },
  ],
};
