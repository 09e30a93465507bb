/** Executes a BrowserQL document and builds the GraphQL response `{data, errors}`; step errors have a code. */
import { execute, type ExecutionResult, GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { type ServiceError, truncate } from '../../base/errors.ts';
import { startDeadline } from '../../base/runtime/deadline.ts';
import { PatternBudget } from '../../base/runtime/regexp/untrusted-regexp.ts';
import {
  type BqlRequest,
  argumentsFor,
  DocumentError,
  prepareDocument,
  type ReadyDocument,
  toRequestErrors,
} from './language/document.ts';
import type { BqlEnvironment } from './run/environment.ts';
import { DocumentRun, notRunError, resolveField } from './run.ts';
import { loadLanguage } from './language/schema.ts';
import type { BqlSession } from './run/session.ts';
import { isTimeLimit } from './run/step.ts';
import { toStepError } from './run/step-error.ts';

/** The routes import this module, and with it graphql-js, with the first document, to keep the server's start fast. */
export { DocumentError, toRequestErrors };

export interface BqlResponse {
  data?: Record<string, unknown> | null;
  errors?: BqlError[];
}

/** How a document ended. */
export interface DocumentResult {
  answer: BqlResponse;
  /** The error of the step that the request's time limit cut off, if any. `answer` has the results so far. */
  late: ServiceError | undefined;
}

interface BqlError {
  message: string;
  locations?: readonly { line: number; column: number }[];
  path?: readonly (string | number)[];
  extensions?: { code: string };
}

/** @throws DocumentError for a document that cannot run */
export async function readDocument(request: BqlRequest): Promise<ReadyDocument> {
  return prepareDocument(await loadLanguage(), request);
}

/** Runs a query (`browser`, `version`, introspection), which needs no page. */
export async function answerQuery(ready: ReadyDocument, environment: BqlEnvironment): Promise<BqlResponse> {
  const rootValue = { browser: () => environment.browserVersion(), version: environment.version };
  const { schema } = await loadLanguage();
  const result = await execute({ ...argumentsFor(ready), schema, rootValue });
  return toBqlResponse(result, environment);
}

/** Builds the result of a mutation that the request's time limit kept from starting: all steps are null with errors. */
export async function timedOutDocument(ready: ReadyDocument, late: ServiceError): Promise<DocumentResult> {
  const { schema } = await loadLanguage();
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (_source, _args, _context, { fieldName }) => {
    throw notRunError(fieldName, late.message);
  };
  const { data, errors = [] } = await execute({ ...argumentsFor(ready), schema, fieldResolver });
  return { answer: { ...(data === undefined ? {} : { data }), errors: errors.map(toBqlError) }, late };
}

/**
 * Runs the steps of a mutation on a session. A failed step becomes an error in the response. When the request's time
 * limit ends the run, the current step and all later ones fail as well.
 * @param signal aborts the run, between steps or during one
 * @throws the abort reason of the signal, unless it is a time limit
 */
export async function runDocument(
  ready: ReadyDocument,
  session: BqlSession,
  signal: AbortSignal,
): Promise<DocumentResult> {
  const { schema } = await loadLanguage();
  using patterns = new PatternBudget();
  // When the regular expressions exceed their budget, the remaining steps fail with that reason.
  using end = startDeadline(0, () => undefined, [signal, patterns.signal]);
  const run = new DocumentRun(session, end.signal, patterns);
  const result = await execute({ ...argumentsFor(ready), schema, contextValue: run, fieldResolver: resolveField });
  if (!isTimeLimit(signal)) signal.throwIfAborted();
  return { answer: toBqlResponse(result, session.environment), late: run.cutOff };
}

/** Converts a result of graphql-js to our response. */
export function toBqlResponse({ data, errors }: ExecutionResult, environment: BqlEnvironment): BqlResponse {
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors && errors.length > 0 ? { errors: errors.map((error) => toReportedError(error, environment)) } : {}),
  };
}

/** Converts an error for the response, and logs the cause of internal errors. */
function toReportedError(error: GraphQLError, { log }: BqlEnvironment): BqlError {
  const told = toBqlError(error);
  if (told.extensions?.code === 'INTERNAL')
    log.error('bql.step-failed', { path: error.path?.join('.'), cause: error.originalError });
  return told;
}

function toBqlError(error: GraphQLError): BqlError {
  const { locations, path, originalError } = error;
  const failure = originalError === undefined ? undefined : toStepError(originalError);
  return {
    message: truncate(failure?.message ?? error.message),
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    ...(failure ? { extensions: { code: failure.code } } : {}),
  };
}
