/** Finds elements by CSS, JavaScript or deep selectors; deep ones search every frame and shadow tree. */
import { capitalize } from '../../../base/text.ts';
import type { Commands } from '../../../browser/cdp/connection.ts';
import {
  callOn,
  evaluateHandle,
  type Handle,
  handleFrom,
  queryWithin,
  resolveNode,
} from '../../../browser/page/act/elements.ts';
import { ContextLost, PageScriptError } from '../../../browser/page/evaluate.ts';
import { toCall, toExpression } from '../../../browser/page/page-function.ts';
import { listFrames, mainFrame, type PageFrame, sendTo } from '../../../browser/page/frames.ts';
import type { Page } from '../../../browser/page/page.ts';
import { matchesGlob } from '../../../browser/page/requests/request-match.ts';
import { countOf, elementsOf, firstOf, queryCss } from '../../../browser/injected/find-elements.ts';
import { parseSelector, quoted, type Selector } from './selector.ts';
import type { Step } from '../run/step.ts';
import { StepError } from '../run/step-error.ts';

export interface FindOptions {
  visible?: boolean | null | undefined;
  wait?: boolean | null | undefined;
}

/** Returns the first element that a selector matches. @throws StepError `SELECTOR_NOT_FOUND`, `INVALID_SELECTOR` */
export async function findElement(step: Step, text: string, options: FindOptions = {}): Promise<Handle> {
  const selector = parseSelector(text);
  const visible = options.visible ?? false;
  const look = () => unlessReplaced(() => firstElement(step.page, selector, text, visible));
  return waitFor(step, text, options, look);
}

/** Returns one list of matches for each frame that has any. @throws the errors documented for `findElement` */
export async function findLists(step: Step, text: string, options: FindOptions = {}): Promise<Handle[]> {
  const selector = parseSelector(text);
  const visible = options.visible ?? false;
  const look = () =>
    unlessReplaced(async () => {
      const lists = await listsOf(step.page, selector, text);
      const full: Handle[] = [];
      for (const list of lists) {
        if ((await callOn(step.page, list, countOf, visible)) > 0) full.push(list);
      }
      return full.length > 0 ? full : undefined;
    });
  return waitFor(step, text, options, look);
}

/** Whether the selector matches an element now. */
export async function matchesNow(page: Page, text: string, visible: boolean): Promise<boolean> {
  const selector = parseSelector(text);
  return (await unlessReplaced(() => firstElement(page, selector, text, visible))) !== undefined;
}

async function waitFor<T>(
  step: Step,
  text: string,
  { visible, wait }: FindOptions,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const message = `no ${visible ? 'visible ' : ''}element matches the selector ${quoted(text)}.`;
  step.setTimeoutReason('SELECTOR_NOT_FOUND', message);
  const found = (wait ?? true) ? await step.untilOnPage(look) : await look();
  if (found === undefined) throw new StepError('SELECTOR_NOT_FOUND', capitalize(message));
  step.setTimeoutReason(
    'TIMEOUT',
    `the element ${quoted(text)} was found, but the action took too long. Raise "timeout".`,
  );
  return found;
}

/** Treats a document that is replaced during the search as no match: the next poll searches the new one. */
async function unlessReplaced<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ContextLost) return undefined;
    throw error;
  }
}

async function firstElement(
  page: Page,
  selector: Selector,
  text: string,
  visible: boolean,
): Promise<Handle | undefined> {
  for (const list of await listsOf(page, selector, text)) {
    const first = await handleFrom(page, list, firstOf, visible);
    if (first) return first;
  }
  return undefined;
}

/** Returns one list handle per searched frame; lists may be empty. */
async function listsOf(page: Page, selector: Selector, text: string): Promise<Handle[]> {
  if (selector.kind === 'deep') return deepLists(page, selector, text);
  const frame = mainFrame(page);
  if (selector.kind === 'script') return [await runScript(page, frame, selector.code, text)];
  const list = await evaluateHandle(page, frame, toExpression(queryCss, [selector.css]));
  // Invalid CSS may still be JavaScript that starts in an unusual way.
  return [list ?? (await runScript(page, frame, selector.css, text))];
}

async function runScript(page: Page, frame: PageFrame, code: string, text: string): Promise<Handle> {
  const expression = toCall(elementsOf, `async () => (${code}\n)`);
  try {
    const list = await evaluateHandle(page, frame, expression);
    if (list) return list;
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    // A TypeError is treated as no match: a snippet may read what does not exist yet, for example
    // `document.querySelector('a').shadowRoot`.
    if (!error.syntax && error.message.startsWith('TypeError')) {
      const none = await evaluateHandle(page, frame, '[]');
      if (none) return none;
    }
    throw new StepError(
      'INVALID_SELECTOR',
      `The selector ${quoted(text)} is not valid CSS and fails as JavaScript: ${error.message}.`,
      { cause: error },
    );
  }
  throw new ContextLost('the document was replaced');
}

async function deepLists(page: Page, selector: Extract<Selector, { kind: 'deep' }>, text: string): Promise<Handle[]> {
  const frames = await listFrames(page);
  const wanted = selector.frames;
  const searched = wanted === undefined ? frames : frames.filter(({ url }) => matchesGlob(wanted, url));
  const lists = await Promise.all(
    searched.map((frame) => unlessReplaced(() => deepList(page, frame, selector.css, text))),
  );
  return lists.filter((list) => list !== undefined);
}

async function deepList(page: Page, frame: PageFrame, css: string, text: string): Promise<Handle | undefined> {
  const root = await evaluateHandle(page, frame, 'document');
  if (!root) return undefined;
  const shadows = await shadowRoots(page, root);
  try {
    return await queryWithin(page, root, shadows, css);
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    throw new StepError('INVALID_SELECTOR', `The deep selector ${quoted(text)} contains invalid CSS.`, {
      cause: error,
    });
  }
}

type Node = Commands['DOM.describeNode']['returnType']['node'];

/** Returns the open and closed shadow roots of a document; only the DOM domain sees the closed ones. */
async function shadowRoots(page: Page, root: Handle): Promise<Handle[]> {
  const { objectId, frame } = root;
  const { node } = await sendTo(page, frame.session, 'DOM.describeNode', { objectId, depth: -1, pierce: true });
  const ids: number[] = [];
  // Documents of frames are searched as separate frames; user-agent shadow trees are not searched at all.
  const walk = ({ children = [], shadowRoots: shadows = [] }: Node): void => {
    for (const shadow of shadows) {
      if (shadow.shadowRootType === 'user-agent') continue;
      ids.push(shadow.backendNodeId);
      walk(shadow);
    }
    for (const child of children) walk(child);
  };
  walk(node);
  return Promise.all(ids.map((id) => resolveNode(page, frame, id)));
}
