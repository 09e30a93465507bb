/**
 * Runs the steps of a document in the order in which they are written. graphql-js runs the root's fields in series, but
 * those of a nested `Mutation` (if, ifnot) in parallel. So each nested branch has its own queue, and the outer queue
 * waits for the branch's last step.
 */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { orAborted } from '../../base/runtime/deadline.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { PatternBudget } from '../../base/runtime/regexp/untrusted-regexp.ts';
import type { Operation, StepCall } from './run/operation.ts';
import { maskedError, requireNoSecretLeak, textsIn, withoutSecrets } from './secrecy.ts';
import { operations } from './operations/table.ts';
import { exportedValues, selectedFields, withExports } from './language/selection.ts';
import type { BqlSession } from './run/session.ts';
import { isTimeLimit, Step } from './run/step.ts';
import { badArgument, StepError, toStepError } from './run/step-error.ts';

/** Queue of the steps of one `Mutation` object: the root, or the result of `if` or `ifnot`. */
class Branch {
  /** Resolves when all steps of the branch are done. */
  readonly done: Promise<void>;
  #tail: Promise<unknown> = Promise.resolve();
  #left: number;
  readonly #finish: () => void;

  /** @param steps number of steps that graphql-js will resolve */
  constructor(steps: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finish = resolve;
    this.#left = steps;
    if (steps === 0) resolve();
  }

  /** Runs the step after all earlier ones. */
  next(step: () => Promise<unknown>): Promise<unknown> {
    const result = this.#tail.then(step);
    this.#tail = result
      .then((value) => (value instanceof Branch ? value.done : undefined))
      .catch(() => {})
      .finally(() => {
        this.#left--;
        if (this.#left === 0) this.#finish();
      });
    return result;
  }
}

/** The steps of one document on a session. */
export class DocumentRun {
  readonly session: BqlSession;
  /** The error of the first step that the request's time limit cut off or kept from running, if any. */
  cutOff: ServiceError | undefined;
  readonly #exports = new Map<string, string>();
  readonly #root = new Branch(Infinity);
  /** Characters of text in the response so far. */
  #characters = 0;

  readonly #signal: AbortSignal;
  readonly #patterns: PatternBudget;

  /**
   * @param signal aborts the document, between steps or during one
   * @param patterns time budget of its regular expressions
   */
  constructor(session: BqlSession, signal: AbortSignal, patterns: PatternBudget) {
    this.session = session;
    this.#patterns = patterns;
    this.#signal = signal;
  }

  /** Resolves the value of one step; called by graphql-js. */
  resolve(parent: unknown, args: Record<string, unknown>, info: GraphQLResolveInfo): Promise<unknown> {
    const operation = operations[info.fieldName];
    if (!operation) throw new StepError('INTERNAL', `${info.fieldName} is not implemented`);
    const branch = parent instanceof Branch ? parent : this.#root;
    return branch.next(() => this.#run(operation, args, info));
  }

  /** Records the first step that the request's time limit cut off. */
  #cut(failure: StepError): StepError {
    this.cutOff ??= new ServiceError('timeout', failure.message);
    return failure;
  }

  /** Limits the text of all results, which stay in memory until the response is complete. */
  #countText(result: unknown): void {
    const limit = this.session.environment.responseLimit;
    const size = textSize(result);
    if (limit > 0 && this.#characters + size > limit) throw responseTooLarge(limit);
    this.#characters += size;
  }

  /** @throws StepError `NOT_IN_PLAN` */
  #allowed(operation: Operation, call: StepCall<Record<string, unknown>>): Promise<unknown> {
    const missing = this.session.environment.notInPlan(call.info.fieldName, call.args);
    if (missing !== undefined) throw new StepError('NOT_IN_PLAN', missing);
    return operation.run(call);
  }

  async #run(operation: Operation, given: Record<string, unknown>, info: GraphQLResolveInfo): Promise<unknown> {
    const { session } = this;
    const { tab } = session;
    if (isTimeLimit(this.#signal)) throw this.#cut(notRunError(info.fieldName));
    const args = withExports(given, this.#exports);
    const step = new Step(tab.page, info.fieldName, timeoutOf(operation, args, session.stepLimitMs), this.#signal);
    const call = { args, step, session, tab, page: tab.page, info, patterns: this.#patterns };
    requireNoSecretLeak(session, info.fieldName, args);
    if (operation.acts) tab.documentsBefore = tab.page.life.documents;
    step.tab = tab;
    // Leave out the arguments: they may contain secrets.
    const attributes = { 'browserd.operation': info.fieldName };
    const stepValue = await session.environment.tracing
      .span(operation.navigates === true ? 'navigate' : 'act', attributes, () =>
        step.run(() => this.#allowed(operation, call)),
      )
      .catch(async (thrown: unknown) => {
        const error = await session.environment.explainByDisk(thrown);
        const failure = toStepError(error);
        if (operation.navigates) tab.navigated(whyNotLoaded(info.fieldName, failure));
        const shown = session.secrets.size > 0 ? maskedError(failure, session.secrets, textsIn(args)) : failure;
        if (isTimeLimit(this.#signal)) throw this.#cut(shown);
        throw session.secrets.size > 0 ? shown : error;
      });
    if (operation.navigates || operation.acts) tab.navigated(undefined);
    const result = withoutSecrets(stepValue, session.secrets, textsIn(args));
    if (result === true && (info.fieldName === 'if' || info.fieldName === 'ifnot')) {
      return new Branch(selectedFields(info, info.fieldNodes).filter(({ name }) => name !== '__typename').length);
    }
    this.#countText(result);
    for (const [name, value] of exportedValues(info, result)) this.#exports.set(name, value);
    if (operation.acts && session.options.slowMoMs > 0) {
      const pause = orAborted(tab.page.sleep(session.options.slowMoMs), this.#signal);
      await pause.catch((error: unknown) => {
        // The step itself is done; the steps after it report that the time is up.
        if (!isTimeLimit(this.#signal)) throw error;
      });
    }
    return isPlainObject(result) ? { time: step.time, ...result } : result;
  }
}

/** Returns the error for a step that the request's time limit kept from running. */
export function notRunError(name: string, reason = 'Request has timed out.'): StepError {
  return new StepError('NOT_RUN', `${name} did not run: ${reason}`);
}

/** Why a page did not load; undefined when only the wait timed out, because the page may still load. */
function whyNotLoaded(name: string, { code, message }: StepError): string | undefined {
  return code === 'TIMEOUT' ? undefined : `${name} failed: ${message}`;
}

/** @param limit in characters */
function responseTooLarge(limit: number): StepError {
  return new StepError(
    'ANSWER_TOO_LARGE',
    `The response would exceed ${limit / 2 ** 20} MB (MAX_ANSWER_MB). Request less per document: use a selector or fewer steps.`,
  );
}

function timeoutOf(operation: Operation, { timeout }: Record<string, unknown>, defaultMs: number): number {
  if (operation.ownTimeout) return 0;
  if (typeof timeout !== 'number') return defaultMs;
  if (timeout < 0) {
    throw badArgument(`"timeout" must be 0 (no limit) or a number of milliseconds, got ${timeout}.`);
  }
  return timeout;
}

/** Runs fields of `Mutation` as steps; reads all nested fields from the step's result. */
export const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
  if (context instanceof DocumentRun && info.parentType.name === 'Mutation') return context.resolve(source, args, info);
  if (typeof source !== 'object' || source === null) return undefined;
  // mapSelector builds its rows itself, with the keys of the response.
  const key = info.parentType.name === 'MapSelectorResponse' ? info.path.key : info.fieldName;
  return Reflect.get(source, key);
};

/** Sums the characters of all strings within a value. */
export function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) size += textSize(member);
  return size;
}
