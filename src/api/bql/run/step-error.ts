/** Converts failures of steps to the `errors` of the response: a message for people and a code for programs. */
import { ProtocolError } from '../../../browser/cdp/connection.ts';
import { type ErrorCode, isOutOfSpace, ServiceError, toServiceError } from '../../../base/errors.ts';
import { PatternOverrun } from '../../../base/runtime/regexp/untrusted-regexp.ts';
import { ContextLost, PageScriptError } from '../../../browser/page/evaluate.ts';

/** Every code and its meaning. */
const stepCodes = {
  BAD_DOCUMENT: 'The document could not be parsed or does not match the schema; the response has status 400.',
  BAD_ARGUMENT: 'An argument is invalid, or arguments cannot be combined.',
  INVALID_SELECTOR: 'The selector is not valid CSS, JavaScript or a valid deep selector.',
  SELECTOR_NOT_FOUND: 'No element, or no visible element, matches the selector.',
  ELEMENT_COVERED: 'Something else covers the element; the message names it.',
  ELEMENT_NOT_READY:
    'The element exists but cannot be used this way: it has no size, keeps moving, or is of the wrong kind.',
  TIMEOUT: 'The step did not finish within its own time limit or that of the request.',
  NOT_RUN: 'The time limit of the request expired before the step could run.',
  NAVIGATION_FAILED: 'The page could not be loaded.',
  NOT_IN_PLAN: "The token's plan does not include the mutation.",
  FORBIDDEN_DESTINATION: 'The browser is not allowed to visit this address.',
  PROXY_FAILED: 'The proxy of the step cannot be reached or refused the connection.',
  SCRIPT_ERROR: 'The script threw an error or could not be parsed.',
  ANSWER_TOO_LARGE: 'The response would be larger than MAX_ANSWER_MB.',
  DOCUMENT_CHANGED: 'The page navigated away during the step.',
  PAGE_CRASHED: 'The page crashed or was closed.',
  BROWSER_CRASHED: 'The browser exited unexpectedly.',
  STORAGE_FULL: 'A server disk is full.',
  INTERNAL: 'A server error; see the server log for details.',
} as const;

export type StepCode = keyof typeof stepCodes;

export class StepError extends Error {
  override readonly name = 'StepError';
  readonly code: StepCode;

  constructor(code: StepCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const badArgument = (message: string, options?: ErrorOptions): StepError =>
  new StepError('BAD_ARGUMENT', message, options);

/** Step codes of ServiceErrors; any other ServiceError in a step is a defect (INTERNAL). */
const serviceCodes: Partial<Record<ErrorCode, StepCode>> = {
  'bad-request': 'BAD_ARGUMENT',
  'invalid-body': 'BAD_ARGUMENT',
  'invalid-query': 'BAD_ARGUMENT',
  'invalid-launch': 'BAD_ARGUMENT',
  'proxy-failed': 'PROXY_FAILED',
  'element-not-found': 'SELECTOR_NOT_FOUND',
  'forbidden-destination': 'FORBIDDEN_DESTINATION',
  'storage-full': 'STORAGE_FULL',
  timeout: 'TIMEOUT',
  'wait-timeout': 'TIMEOUT',
  'navigation-failed': 'NAVIGATION_FAILED',
  'page-crashed': 'PAGE_CRASHED',
  'browser-crashed': 'BROWSER_CRASHED',
};

/** Converts anything that a step threw to an error that the client may see; the original is its `cause`. */
export function toStepError(error: unknown): StepError {
  if (error instanceof StepError) return error;
  const options = { cause: error };
  if (isOutOfSpace(error)) return new StepError('STORAGE_FULL', toServiceError(error).message, options);
  if (error instanceof ServiceError) {
    const code = serviceCodes[error.code];
    if (code) return new StepError(code, error.message, options);
  }
  if (error instanceof PatternOverrun) return badArgument(`"regex": ${error.message}.`, options);
  if (error instanceof PageScriptError) return new StepError('SCRIPT_ERROR', error.message, options);
  if (error instanceof ContextLost) {
    return new StepError('DOCUMENT_CHANGED', 'The page navigated away during the step.', options);
  }
  if (error instanceof ProtocolError) {
    return badArgument(`The browser rejected the step: ${error.message}.`, options);
  }
  return new StepError('INTERNAL', 'Internal Server Error', options);
}
