/** Implements solve, verify (solve for one kind) and solveImageCaptcha. */
import { maxTimerMs, startDeadline } from '../../../base/runtime/deadline.ts';
import type { CaptchaOutcome } from '../../../browser/page/captcha/attempt.ts';
import { type CaptchaType, captchaTypes } from '../../../browser/page/captcha/kinds.ts';
import { readImage } from '../../../browser/page/captcha/picture.ts';
import { solveCaptcha } from '../../../browser/page/captcha/solve.ts';
import { releaseHandles } from '../../../browser/page/act/elements.ts';
import { findElement } from '../find/find-elements.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { badArgument } from '../run/step-error.ts';
import { type as typeInto } from './actions.ts';

interface SolveArgs {
  /** A name in CaptchaTypes or VerifyTypes. */
  type?: Maybe<string>;
  timeout?: Maybe<number>;
  wait?: Maybe<boolean>;
}

/** Default time for a captcha to appear, in milliseconds. */
const defaultAppearMs = 10_000;

async function solveAny(call: StepCall<SolveArgs>) {
  const { args, page, session, step, tab, info } = call;
  const { type, timeout } = args;
  const appearMs = timeout ?? defaultAppearMs;
  if (!(appearMs >= 0 && appearMs <= maxTimerMs)) {
    throw badArgument(`"timeout" must be 0 to ${maxTimerMs} milliseconds, got ${appearMs}.`);
  }
  const wanted = typeof type === 'string' ? typeNamed(type) : undefined;
  // Do not wait for kinds that are never found.
  if (typeof type === 'string' && wanted === undefined)
    return { found: false, solved: false, token: null, error: null };
  step.setTimeoutReason('TIMEOUT', `the captcha was not solved by "${info.fieldName}".`);
  const mouse = {
    get mouse() {
      return tab.mouse;
    },
    set mouse(point) {
      tab.mouse = point;
    },
    check: () => step.check(),
  };
  const outcome = await solveCaptcha(page, {
    wanted: { type: wanted },
    appearMs: (args.wait ?? true) ? appearMs : 0,
    mouse,
    help: session.environment.captchas,
    signal: step.signal,
  });
  return toResponse(outcome);
}

function typeNamed(name: string): CaptchaType | undefined {
  const own = name === 'dataDome' ? 'datadome' : name;
  return captchaTypes.find((one) => one === own);
}

function toResponse({ type, solved, token, error }: CaptchaOutcome) {
  return { found: type !== undefined, solved, token, error };
}

/** `timeout` is how long the captcha may take to appear, not the limit of the step. */
export const solve = operation<SolveArgs>({ acts: true, ownTimeout: true, run: solveAny });

export const verify = operation<SolveArgs>({ acts: true, ownTimeout: true, run: solveAny });

interface ImageArgs {
  captchaSelector: string;
  inputSelector: string;
}

export const solveImageCaptcha = operation<ImageArgs>({
  acts: true,
  async run(call) {
    const { args, page, session, step } = call;
    const picture = await findElement(step, args.captchaSelector, { visible: true });
    try {
      step.setTimeoutReason('TIMEOUT', 'the solver has not read the image.');
      // The solver must not continue after the step.
      using deadline = startDeadline(step.limitMs, () => step.failure(), [step.signal]);
      const read = await readImage(page, picture, session.environment.captchas, deadline.signal);
      step.check();
      if (read.token !== null) {
        await typeInto.run({ ...call, args: { selector: args.inputSelector, text: read.token, delay: [40, 120] } });
      }
      return toResponse(read);
    } finally {
      releaseHandles([picture.frame]);
    }
  },
});
