/** Executes a BrowserQL document and builds the GraphQL response `{data, errors}`; errors of steps have a code. */
import { execute, type ExecutionResult, GraphQLError } from 'graphql';
import { shortened } from '../errors.ts';
import { documentLimits, tellingLimits } from '../limits.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { PatternBudget } from '../runtime/regexp/untrusted-regexp.ts';
import { type BqlRequest, prepareDocument, type ReadyDocument } from './language/document.ts';
import type { BqlEnvironment } from './run/environment.ts';
import { DocumentRun, resolveField } from './run.ts';
import { loadLanguage } from './language/schema.ts';
import type { BqlSession } from './run/session.ts';
import { toStepError } from './run/step-error.ts';

export interface BqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: BqlError[];
}

export interface BqlError {
  message: string;
  locations?: readonly { line: number; column: number }[];
  path?: readonly (string | number)[];
  extensions?: { code: string };
}

/** @throws DocumentError for a document that cannot run */
export async function readDocument(request: BqlRequest): Promise<ReadyDocument> {
  return prepareDocument(await loadLanguage(), request);
}

/** Answers a query (`browser`, `version`, introspection), which needs no page. */
export async function answerQuery(ready: ReadyDocument, environment: BqlEnvironment): Promise<BqlAnswer> {
  const rootValue = { browser: () => environment.browserVersion(), version: environment.version };
  const { schema } = await loadLanguage();
  const result = await execute({ ...argumentsFor(ready), schema, rootValue });
  return toAnswer(result, environment);
}

/**
 * Runs the steps of a mutation on a session. A failed step becomes an error in the response.
 * @param signal ends the run, between steps and within them
 * @throws the signal's reason once it has aborted
 */
export async function runDocument(ready: ReadyDocument, session: BqlSession, signal: AbortSignal): Promise<BqlAnswer> {
  const { schema } = await loadLanguage();
  using patterns = new PatternBudget();
  // When the regular expressions exceed their budget, the remaining steps fail with that reason.
  using end = startDeadline(0, () => undefined, [signal, patterns.signal]);
  const result = await execute({
    ...argumentsFor(ready),
    schema,
    contextValue: new DocumentRun(session, end.signal, patterns),
    fieldResolver: resolveField,
  });
  signal.throwIfAborted();
  return toAnswer(result, session.environment);
}

function argumentsFor({ document, operation, variables }: ReadyDocument) {
  return { document, variableValues: variables, operationName: operation.name?.value };
}

/** Converts a result of graphql-js to our response. */
export function toAnswer({ data, errors }: ExecutionResult, environment: BqlEnvironment): BqlAnswer {
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors && errors.length > 0 ? { errors: errors.map((error) => toBqlError(error, environment)) } : {}),
  };
}

function toBqlError(error: GraphQLError, environment: BqlEnvironment): BqlError {
  const { locations, path, originalError } = error;
  const failure = originalError === undefined ? undefined : toStepError(originalError);
  if (failure?.code === 'INTERNAL')
    environment.log.error('bql.step-failed', { path: path?.join('.'), cause: originalError });
  return {
    message: shortened(failure?.message ?? error.message),
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    ...(failure ? { extensions: { code: failure.code } } : {}),
  };
}

/** Builds the `errors` of a document that cannot run. */
export function toRequestErrors(errors: readonly GraphQLError[]): BqlError[] {
  return errors.slice(0, documentLimits.errors).map(({ message, locations }) => ({
    // The message may quote a part of the document that is megabytes long.
    message: shortened(message, tellingLimits.issueCharacters),
    ...(locations ? { locations: locations.slice(0, tellingLimits.issues) } : {}),
    extensions: { code: 'BAD_DOCUMENT' },
  }));
}
