/** Implements the mutations that act like a user: click, checkbox, hover, scroll, select, type. */
import { capitalize } from '../../../base/text.ts';
import { callOn, type Handle, releaseHandles } from '../../../browser/page/act/elements.ts';
import { ContextLost, withRetry } from '../../../browser/page/evaluate.ts';
import {
  between,
  clickHoldMs,
  moveLikeHuman,
  pointAtMiddle,
  pointBehindMiddle,
  pointWithin,
} from '../../../browser/page/act/human.ts';
import { typeLikeHuman } from '../../../browser/page/act/human-keys.ts';
import { wheelToward } from '../../../browser/page/act/human-wheel.ts';
import { clickMouse, moveMouse, type Point, pressKey } from '../../../browser/page/act/input.ts';
import { findElement } from '../find/find-elements.ts';
import { scrollPageTo } from '../../../browser/injected/document.ts';
import { chooseOptions, isChecked, takeFocus } from '../../../browser/injected/element.ts';
import {
  bringIntoView,
  scrollOffset,
  centeredScrollPosition,
  scrollToElement,
} from '../../../browser/injected/element.ts';
import { type ElementArgs, type Maybe, operation, type StepCall } from '../run/operation.ts';
import { clickPointOf, onPage } from '../find/click-point.ts';
import { quoted } from '../find/selector.ts';
import { badArgument, StepError } from '../run/step-error.ts';

async function withElement<Args extends ElementArgs, T>(
  call: StepCall<Args>,
  work: (element: Handle) => Promise<T>,
): Promise<T> {
  const { step, args } = call;
  for (let attempt = 1; ; attempt++) {
    const element = await findElement(step, args.selector, args);
    try {
      return await work(element);
    } catch (error) {
      // A page that re-renders replaces its elements: find the new one by the selector.
      const lost = error instanceof ContextLost || (error instanceof StepError && error.code === 'DOCUMENT_CHANGED');
      if (!lost || args.wait === false || attempt === replacedAttempts) throw error;
      step.check();
    } finally {
      releaseHandles([element.frame]);
    }
  }
}

const replacedAttempts = 5;

async function moveTo({ page, session, step, tab }: StepCall<unknown>, point: Point): Promise<void> {
  if (session.options.humanlike) {
    await moveLikeHuman(page, tab.mouse, point, (place) => {
      tab.mouse = place;
      step.check();
    });
  } else {
    await moveMouse(page, point);
    tab.mouse = point;
  }
}

/** People rarely hit the exact middle of an element. The later aims are for points that something else covers. */
const besideMiddle = [pointWithin, pointWithin, pointAtMiddle];
const behindMiddle = [pointBehindMiddle, pointAtMiddle];

function reach<Args extends ElementArgs>(
  call: StepCall<Args>,
  element: Handle,
  { hitTest = true, aims = besideMiddle } = {},
): Promise<Point> {
  const { args, step, session } = call;
  return clickPointOf(step, element, args.selector, {
    scroll: args.scroll ?? true,
    wait: args.wait ?? true,
    hitTest,
    aims: session.options.humanlike ? aims : [],
  });
}

async function clickAt(call: StepCall<unknown>, point: Point): Promise<void> {
  const { page, session, tab } = call;
  await moveTo(call, point);
  tab.documentsBefore = page.life.documents;
  await clickMouse(page, point, session.options.humanlike ? between(clickHoldMs.least, clickHoldMs.most) : 0);
}

/** Builds the step's result with the position; called before a click that may navigate the page. */
async function reported<Args extends ElementArgs>(call: StepCall<Args>, point: Point) {
  return { selector: call.args.selector, ...(await withRetry(call.page, () => onPage(call.page, point))) };
}

export const click = operation<ElementArgs>({
  acts: true,
  run: (call) =>
    withElement(call, async (element) => {
      const point = await reach(call, element);
      const answer = await reported(call, point);
      await clickAt(call, point);
      return answer;
    }),
});

export const checkbox = operation<ElementArgs & { checked: boolean }>({
  acts: true,
  run: (call) =>
    withElement(call, async (element) => {
      const { args, page, step } = call;
      const state = await callOn(page, element, isChecked);
      if (state === null) {
        throw new StepError(
          'ELEMENT_NOT_READY',
          `The element ${quoted(args.selector)} is not a checkbox or radio button.`,
        );
      }
      const point = await reach(call, element);
      const answer = await reported(call, point);
      if (state === args.checked) return answer;
      await clickAt(call, point);
      const took = async () => ((await callOn(page, element, isChecked)) === args.checked ? true : undefined);
      step.setTimeoutReason(
        'ELEMENT_NOT_READY',
        `the checkbox is not ${args.checked ? 'checked' : 'unchecked'} after the click.`,
      );
      // If the page navigates after the click, the click has taken effect.
      await step.until(took).catch((error: unknown) => {
        if (!(error instanceof ContextLost)) throw error;
      });
      return answer;
    }),
});

interface PointArgs {
  selector?: Maybe<string>;
  x?: Maybe<number>;
  y?: Maybe<number>;
  scroll?: Maybe<boolean>;
  visible?: Maybe<boolean>;
  wait?: Maybe<boolean>;
}

/** Narrows the call to an element; undefined when it specifies a point instead. */
function onElement({ args, ...rest }: StepCall<PointArgs>): StepCall<ElementArgs> | undefined {
  const { selector } = args;
  return typeof selector === 'string' ? { ...rest, args: { ...args, selector } } : undefined;
}

export const hover = operation<PointArgs>({
  acts: true,
  async run(call) {
    const target = onElement(call);
    if (target) {
      return withElement(target, async (element) => {
        const point = await reach(target, element);
        await moveTo(target, point);
        return reported(target, point);
      });
    }
    const { x, y } = call.args;
    if (typeof x !== 'number' || typeof y !== 'number') {
      throw badArgument('"hover" needs a "selector", or both "x" and "y".');
    }
    await moveTo(call, { x, y });
    return { selector: null, x, y };
  },
});

export const scroll = operation<PointArgs>({
  acts: true,
  async run(call) {
    const { args, page } = call;
    const target = onElement(call);
    if (target) {
      return withElement(target, async (element) => {
        if (call.session.options.humanlike && element.frame.frameId === page.mainFrameId) {
          await turnWheel(call, await callOn(page, element, centeredScrollPosition));
        }
        await callOn(page, element, scrollToElement);
        return { selector: args.selector, ...(await page.evaluate(scrollOffset)) };
      });
    }
    if (typeof args.x !== 'number' && typeof args.y !== 'number') {
      throw badArgument('"scroll" needs a "selector", or "x" or "y".');
    }
    if (call.session.options.humanlike) await turnWheel(call, { x: args.x ?? undefined, y: args.y ?? undefined });
    const place = await page.evaluate(scrollPageTo, args.x ?? null, args.y ?? null);
    return { selector: null, ...place };
  },
});

function turnWheel({ page, step, tab }: StepCall<unknown>, to: Parameters<typeof wheelToward>[2]): Promise<void> {
  return wheelToward(page, tab.mouse, to, () => step.check());
}

export const select = operation<ElementArgs & { value: string | string[] }>({
  acts: true,
  run: (call) =>
    withElement(call, async (element) => {
      const { args, page, step } = call;
      const wanted = typeof args.value === 'string' ? [args.value] : args.value;
      if (args.scroll ?? true) await callOn(page, element, bringIntoView, false);
      const choose = async () => {
        const outcome = await callOn(page, element, chooseOptions, wanted);
        if ('chosen' in outcome) return outcome.chosen;
        const message = `the select element ${quoted(args.selector)} ${outcome.problem}.`;
        if (outcome.final || args.wait === false) {
          throw new StepError('ELEMENT_NOT_READY', capitalize(message));
        }
        step.setTimeoutReason('ELEMENT_NOT_READY', message);
        return undefined;
      };
      const chosen = await step.until(choose);
      return { selector: args.selector, value: typeof args.value === 'string' ? (chosen[0] ?? null) : chosen };
    }),
});

interface TypeArgs extends ElementArgs {
  text: string;
  delay?: Maybe<(number | null)[]>;
  interactable?: Maybe<boolean>;
}

export const type = operation<TypeArgs>({
  acts: true,
  run: (call) =>
    withElement(call, async (element) => {
      const { args } = call;
      const delay = delayOf(args.delay);
      const point = await reach(call, element, { hitTest: args.interactable ?? true, aims: behindMiddle });
      await clickAt(call, point);
      // With interactable: false, a click may hit something over the field, which then does not get the focus.
      await callOn(call.page, element, takeFocus);
      await typeText(call, args.text, delay);
      return { ...(await reported(call, point)), text: args.text };
    }),
});

function delayOf(given: TypeArgs['delay']): { least: number; most: number } {
  const numbers = (given ?? [50, 200]).filter((one) => one !== null);
  const [least = 0, most = least] = numbers;
  if (least < 0 || most < least || numbers.length > 2) {
    throw badArgument('"delay" must be a minimum and a maximum pause in milliseconds, such as [50, 200].');
  }
  return { least, most };
}

async function typeText(call: StepCall<unknown>, text: string, delay: { least: number; most: number }): Promise<void> {
  const { page, session, step } = call;
  // Each line ending is one press of Enter. The loop runs over code points, not UTF-16 units.
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  if (session.options.humanlike) return typeLikeHuman(page, lines, delay, () => step.check());
  for (const character of lines) {
    step.check();
    await pressKey(page, character);
    const ms = between(delay.least, delay.most);
    if (ms > 0) await step.pause(ms);
  }
}
