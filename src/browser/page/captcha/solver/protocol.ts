/**
 * Talks to a captcha solver with the createTask and getTaskResult protocol that 2Captcha, Anti-Captcha, CapSolver and
 * others share. The operator chooses the URL, which may be in a private network; redirects are not followed, so the
 * solver cannot send the server elsewhere.
 */
import { type CaptchaTask, SolverFailure } from '../help.ts';
import { pause, startDeadline } from '../../../../base/runtime/deadline.ts';
import { readLimitedText } from '../../../../base/runtime/bytes.ts';

export interface SolverAddress {
  /** Base URL, without a trailing slash. */
  url: string;
  key: string;
}

/** Time limit of one request, in milliseconds. */
const callLimitMs = 30_000;
/** Maximum size of a response: it contains a token of a few kilobytes. */
const maxResponseBytes = 256 * 1024;
const maxTokenCharacters = 32_768;
/** Pauses before polling for the result, in milliseconds: an image takes seconds, a widget up to a minute. */
const resultPausesMs = [500, 1_000, 2_000];
const longestResultPauseMs = 3_000;

/**
 * Has a solver solve a task.
 * @param signal aborts the work; nothing keeps running afterward
 * @throws SolverFailure; the signal's abort reason as soon as it aborts
 */
export async function solveTask(address: SolverAddress, task: CaptchaTask, signal: AbortSignal): Promise<string> {
  const type = taskType(address.url, task);
  if (type === '')
    throw new SolverFailure('ERROR_TASK_NOT_SUPPORTED', 'CapSolver does not support this type of captcha.');
  const made = await ask(address, 'createTask', { task: { type, ...task.members } }, signal);
  // CapSolver returns the solution of an image task immediately.
  const early = solutionIn(made);
  if (early !== undefined) return early;
  const { taskId } = made;
  if (typeof taskId !== 'string' && typeof taskId !== 'number') throw unreadable('has no task id');
  for (let turn = 0; ; turn++) {
    await pause(resultPausesMs[turn] ?? longestResultPauseMs, signal);
    const solution = solutionIn(await ask(address, 'getTaskResult', { taskId }, signal));
    if (solution !== undefined) return solution;
  }
}

/** The task's name at the solver with this URL; '' for a task that it does not solve. */
export function taskType(url: string, { names }: CaptchaTask): string {
  return /(?:^|\.)capsolver\.com$/.test(new URL(url).hostname) ? names.capsolver : names.standard;
}

type SolverResponse = Readonly<Record<string, unknown>>;

async function ask(
  { url, key }: SolverAddress,
  method: string,
  members: object,
  signal: AbortSignal,
): Promise<SolverResponse> {
  using deadline = startDeadline(callLimitMs, timeoutError, [signal]);
  let text: string;
  try {
    const response = await fetch(`${url}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientKey: key, ...members }),
      redirect: 'error',
      signal: deadline.signal,
    });
    text = await readLimitedText(response.body, maxResponseBytes, () => unreadable('is too long'));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SolverFailure) throw cause;
    if (deadline.signal.aborted) throw timeoutError();
    throw new SolverFailure('SOLVER_UNREACHABLE', 'The captcha solver cannot be reached (SOLVER_UNREACHABLE).');
  }
  const answer = toResponse(text);
  if (answer['errorId'] === 0 || answer['errorId'] === undefined) return answer;
  const code = codeIn(answer);
  throw new SolverFailure(code, `The captcha solver returned ${code}.`);
}

const timeoutError = () =>
  new SolverFailure('SOLVER_TIMEOUT', 'The captcha solver did not respond in time (SOLVER_TIMEOUT).');

const unreadable = (what: string) =>
  new SolverFailure('SOLVER_UNREADABLE', `The captcha solver's response ${what} (SOLVER_UNREADABLE).`);

function toResponse(text: string): SolverResponse {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Not JSON: reported below.
  }
  throw unreadable('is not a JSON object');
}

/** The solver's error code. Its error description may contain the operator's key and is not passed on. */
function codeIn({ errorCode }: SolverResponse): string {
  return typeof errorCode === 'string' && /^[\w-]{1,80}$/.test(errorCode) ? errorCode : 'ERROR_WITHOUT_CODE';
}

/** Returns the token or the letters in a response; undefined while the task is not done. */
function solutionIn({ status, solution }: SolverResponse): string | undefined {
  if (status !== 'ready') return undefined;
  const members: SolverResponse = typeof solution === 'object' && solution !== null ? { ...solution } : {};
  const text = ['gRecaptchaResponse', 'token', 'text'].map((name) => members[name]).find((one) => one !== undefined);
  if (typeof text !== 'string' || text === '' || text.length > maxTokenCharacters)
    throw unreadable('contains no token');
  return text;
}
