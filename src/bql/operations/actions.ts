/** Implements the mutations that act like a user: click, checkbox, hover, scroll, select, type. */
import { callOn, type Handle, releaseHandles } from '../../page/act/elements.ts';
import { ContextLost, retried } from '../../page/evaluate.ts';
import { between, mistakeFor, moveLikeHuman } from '../../page/act/human.ts';
import { clickMouse, moveMouse, type Point, pressKey, turnWheel } from '../../page/act/input.ts';
import { findElement } from '../find/find-elements.ts';
import { scrollPageTo } from '../../injected/document.ts';
import { chooseOptions, isChecked, takeFocus } from '../../injected/element.ts';
import { bringIntoView, scrollOffset, scrollToElement } from '../../injected/element.ts';
import { type ElementArgs, type Maybe, operation, type StepCall } from '../run/operation.ts';
import { clickPointOf, onPage } from '../find/click-point.ts';
import { quoted } from '../find/selector.ts';
import { StepError } from '../run/step-error.ts';

/** How long a humanlike click holds the button, in milliseconds. */
const holdMs = { least: 30, most: 110 } as const;

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
  if (session.options.humanlike) await moveLikeHuman(page, tab.mouse, point, () => step.check());
  else await moveMouse(page, point);
  tab.mouse = point;
}

function reach<Args extends ElementArgs>(call: StepCall<Args>, element: Handle, hitTest: boolean): Promise<Point> {
  const { args, step } = call;
  return clickPointOf(step, element, args.selector, { scroll: args.scroll ?? true, wait: args.wait ?? true, hitTest });
}

async function clickAt(call: StepCall<unknown>, point: Point): Promise<void> {
  const { page, session, tab } = call;
  await moveTo(call, point);
  tab.documentsBefore = page.life.documents;
  await clickMouse(page, point, session.options.humanlike ? between(holdMs.least, holdMs.most) : 0);
}

/** Reads the step's result position; called before a click that may navigate the page. */
async function reported<Args extends ElementArgs>(call: StepCall<Args>, point: Point) {
  return { selector: call.args.selector, ...(await retried(call.page, () => onPage(call.page, point))) };
}

export const click = operation<ElementArgs>({
  acts: true,
  run: (call) =>
    withElement(call, async (element) => {
      const point = await reach(call, element, true);
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
          `The element of ${quoted(args.selector)} is no checkbox or radio button.`,
        );
      }
      const point = await reach(call, element, true);
      const answer = await reported(call, point);
      if (state === args.checked) return answer;
      await clickAt(call, point);
      const took = async () => ((await callOn(page, element, isChecked)) === args.checked ? true : undefined);
      step.waitsFor(
        'ELEMENT_NOT_READY',
        `the click did not make the checkbox ${args.checked ? 'checked' : 'unchecked'}.`,
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

/** Narrows the call to one on an element; undefined when it names a point instead. */
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
        const point = await reach(target, element, true);
        await moveTo(target, point);
        return reported(target, point);
      });
    }
    const { x, y } = call.args;
    if (typeof x !== 'number' || typeof y !== 'number') {
      throw new StepError('BAD_ARGUMENT', '"hover" needs a "selector", or both "x" and "y".');
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
        await callOn(page, element, scrollToElement);
        return { selector: args.selector, ...(await page.evaluate(scrollOffset)) };
      });
    }
    if (typeof args.x !== 'number' && typeof args.y !== 'number') {
      throw new StepError('BAD_ARGUMENT', '"scroll" needs a "selector", or "x" or "y".');
    }
    if (call.session.options.humanlike) await wheelTowards(call, args.x ?? undefined, args.y ?? undefined);
    const place = await page.evaluate(scrollPageTo, args.x ?? null, args.y ?? null);
    return { selector: null, ...place };
  },
});

/** One notch of the wheel in pixels, and the most notches per scroll; a jump covers the rest. */
const notchPixels = 100;
const notchesMost = 60;

async function wheelTowards(call: StepCall<unknown>, x: number | undefined, y: number | undefined): Promise<void> {
  const { page, step, tab } = call;
  for (let notch = 0; notch < notchesMost; notch++) {
    const at = await page.evaluate(scrollOffset);
    const left = { x: (x ?? at.x) - at.x, y: (y ?? at.y) - at.y };
    if (Math.abs(left.x) < notchPixels && Math.abs(left.y) < notchPixels) return;
    await turnWheel(page, tab.mouse, notchOf(left.x), notchOf(left.y));
    await step.pause(between(15, 60));
  }
}

function notchOf(left: number): number {
  return Math.abs(left) < notchPixels ? 0 : Math.sign(left) * notchPixels;
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
        const message = `the select element of ${quoted(args.selector)} ${outcome.problem}.`;
        if (outcome.final || args.wait === false) {
          throw new StepError('ELEMENT_NOT_READY', `${message[0]?.toUpperCase()}${message.slice(1)}`);
        }
        step.waitsFor('ELEMENT_NOT_READY', message);
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
      const point = await reach(call, element, args.interactable ?? true);
      await clickAt(call, point);
      // A click that hits something over the field (with interactable: false) does not focus the field.
      await callOn(call.page, element, takeFocus);
      await typeText(call, args.text, delay);
      return { ...(await reported(call, point)), text: args.text };
    }),
});

function delayOf(given: TypeArgs['delay']): { least: number; most: number } {
  const numbers = (given ?? [50, 200]).filter((one) => one !== null);
  const [least = 0, most = least] = numbers;
  if (least < 0 || most < least || numbers.length > 2) {
    throw new StepError(
      'BAD_ARGUMENT',
      '"delay" must be a least and a greatest pause in milliseconds, such as [50, 200].',
    );
  }
  return { least, most };
}

async function typeText(call: StepCall<unknown>, text: string, delay: { least: number; most: number }): Promise<void> {
  const { page, session, step } = call;
  const pause = async () => {
    const ms = between(delay.least, delay.most);
    if (ms > 0) await step.pause(ms);
  };
  // Every kind of line end is one press of Enter. The loop runs over code points, not UTF-16 units.
  for (const character of text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')) {
    step.check();
    const mistake = session.options.humanlike ? mistakeFor(character) : undefined;
    if (mistake !== undefined) {
      await pressKey(page, mistake);
      await pause();
      await pressKey(page, '\b');
      await pause();
    }
    await pressKey(page, character);
    await pause();
  }
}
