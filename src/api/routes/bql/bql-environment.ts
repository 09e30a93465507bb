/** Builds the environment in which a BrowserQL document runs, and the responses of the BrowserQL routes. */
import type { Payer } from '../../../base/account/payer.ts';
import { visitor } from '../../../control/accounts/account.ts';
import { featuresOfMutation } from '../../../base/account/requested-features.ts';
import type { DocumentResult } from '../../bql/execute.ts';
import type { ClientBrowser } from '../../../browser/processes/client-browser.ts';
import type { BqlEnvironment, Exposure } from '../../bql/run/environment.ts';
import type { ReadyDocument } from '../../bql/language/document.ts';
import type { SessionOptions } from '../../bql/run/session.ts';
import type { ErrorCode, ServiceError } from '../../../base/errors.ts';
import type { AllowedDomains } from '../../../browser/network/allowed-domains.ts';
import type { Outcomes } from '../../../browser/network/egress.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import { json, type RouteResponse } from '../../../base/schema/response/responses.ts';
import { bqlResponse, type BqlJson } from '../../../base/schema/response/bql.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import { ownProxy, residentialProxy } from '../../../browser/network/proxy.ts';
import type { BrowserQuery } from '../../../base/schema/request/query.ts';
import { serviceVersion } from '../../../base/version.ts';
import { addressOf, explainFailure } from '../../../browser/network/explain-failure.ts';
import type { Call } from '../pipeline/call.ts';
import type { RouteResult, Job } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import { type BqlBody, bqlBody } from './bql-body.ts';

export interface EnvironmentOptions {
  /** The proxy that carries the traffic of the page. */
  egress?: Outcomes | undefined;
  /** The account of the document, and the payer of its proxy traffic; undefined for a query that needs no browser. */
  call?: Pick<Call, 'account' | 'meters' | 'payer'> | undefined;
  insecure?: boolean | undefined;
  /** Who may read what the pages send. Default: only the sites. */
  exposure?: Exposure;
  /** The owner of the secrets that the document may load. Default: no secrets. */
  owner?: () => Promise<string>;
  /** The domains that the pages of the document may reach; undefined for all. */
  domains?: AllowedDomains | undefined;
  /** The browser of the document; undefined for one that needs none. */
  process?: Pick<ClientBrowser, 'stealth' | 'routes'>;
}

export function environmentFor(services: Services, log: Log, options: EnvironmentOptions = {}): BqlEnvironment {
  const { config } = services;
  const { policy, signer } = services.network;
  const { pool, captchas } = services.browsers;
  const {
    egress = services.network.egress,
    call,
    exposure = unexposed,
    insecure = false,
    process,
    owner,
    domains,
  } = options;
  const { account, payer } = call ?? { account: visitor, payer: nobody };
  return {
    checkUrl: (text, field) => policy.checkUrl(text, field),
    allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
    signed: (url, headers) => signer?.signedHeaders(url, headers) ?? headers,
    explain: (url) => explainFailure(url, egress),
    explainByDisk: (error) => pool.explainByDisk(error),
    addressOf: (url) => addressOf(url, egress),
    async openProxy({ server, ...place }) {
      const choice =
        server === undefined
          ? residentialProxy(place, services.network.residential, proxyFields)
          : ownProxy({ server }, ownProxyFields);
      // oxlint-disable-next-line browserd/raced-await -- the requesting step is raced
      const lease = await services.network.proxies.open({ choice, domains, payer }, log, services.signals.stopping);
      call?.meters.add(() => lease.meter());
      return { server: lease.server, insecure, [Symbol.dispose]: () => lease[Symbol.dispose]() };
    },
    notInPlan(name, args) {
      const missing = featuresOfMutation(name, args).find((feature) => !account.has(feature));
      return missing && account.missing(missing);
    },
    stealth: process?.stealth ? { routes: process.routes } : undefined,
    captchas: captchas.helpFor(payer, log),
    exposure,
    // oxlint-disable-next-line browserd/raced-await -- the requesting step is raced
    secret: async (name) => (owner ? services.sessions.secrets.find(await owner(), name) : undefined),
    // oxlint-disable-next-line browserd/raced-await -- the requesting query is raced
    browserVersion: async () => (await pool.version()).product,
    responseLimit: config.MAX_ANSWER_MB * 2 ** 20,
    version: serviceVersion,
    log,
    tracing: services.telemetry.tracing,
  };
}

const unexposed: Exposure = { ownProxy: false, insecure: false, refusal: undefined };

const nobody: Payer = { label: () => Promise.resolve('open'), requireLeft: () => {}, charge: () => {} };

/** How error messages refer to a proxy that the document specifies. */
const ownProxyFields = { server: 'proxy(server:)', username: 'proxy(server:)' };

/** How error messages refer to the location fields of the operator's proxy provider. */
const proxyFields = {
  source: { code: 'invalid-body', prefix: '', own: 'proxy(server:)' },
  kind: 'proxy',
  country: 'country',
  city: 'city',
  state: 'state',
  sticky: 'sticky',
} as const;

/** Operations that need a record of all requests from the start. */
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

/**
 * The features that a document needs, by the operations and fields that it contains: unused features cost its page
 * nothing.
 */
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
    consent: query.blockConsentModals ?? false,
    windows: steps.has('switchToWindow'),
  };
}

const answers: readonly RouteResponse[] = [
  json(bqlResponse),
  { type: 'application/graphql-response+json', onlyAccepted: true },
  // A document that cannot run, and one that reached its time limit.
  json(bqlResponse, 400),
  json(bqlResponse, 408),
];

/** Errors of BrowserQL besides those of every job: its browser may be kept by clients. */
const errors: readonly ErrorCode[] = ['session-not-found', 'session-ended', 'session-rate'];

/** The response to a document; 408 with the results so far if the time limit of the request ended it. */
export function toEndAnswer({ answer, late }: DocumentResult): RouteResult {
  return late === undefined ? toAnswer(answer) : { ...toAnswer(answer, late.status), failure: late };
}

/** Answers a request that reached its time limit before its document started. */
async function answerTimeout({ body }: Pick<Job<BqlBody>, 'body'>, failure: ServiceError): Promise<RouteResult> {
  const { timedOutDocument, readDocument } = await import('../../bql/execute.ts');
  return toEndAnswer(await timedOutDocument(await readDocument(body), failure));
}

/** What all routes for documents have in common. */
export const documentRoute = { body: bqlBody, answers, errors, answerTimeout };

export function toAnswer(answer: BqlJson, status = 200): RouteResult {
  return { status, body: JSON.stringify(answer), contentType: 'application/json; charset=UTF-8' };
}
