/** Finds elements as handles (remote objects in our isolated world of their frame) and calls functions on them. */
import { ProtocolError } from '../../cdp/connection.ts';
import { queryRoots } from '../../injected/find-elements.ts';
import { ContextLost, thrownBy } from '../evaluate.ts';
import { type PageFunction, toDeclaration } from '../page-function.ts';
import { forgetWorlds, type PageFrame, sendTo, worldOf } from '../frames.ts';
import type { Page } from '../page.ts';

/** An object in a frame: an element or a list of elements. It lives until `releaseHandles`. */
export interface Handle {
  frame: PageFrame;
  objectId: string;
}

/** Object group of all our handles, so that one command releases them. */
const objectGroup = 'browserd';

/**
 * Calls a function with the handle's object as its first argument and returns the result as JSON.
 * @throws ContextLost when the document no longer exists, PageScriptError when the function throws
 */
export async function callOn<Args extends readonly unknown[], Result>(
  page: Page,
  handle: Handle,
  // Only the function knows the element's type: the server has no DOM types.
  fn: PageFunction<[never, ...Args], Result>,
  ...args: Args
): Promise<Awaited<Result>> {
  const { result } = await call(page, handle, { declaration: toDeclaration(fn), args, byValue: true });
  return result.value;
}

/** Like callOn, but returns a handle to the result; undefined when the function returned null or undefined. */
export async function handleFrom<Args extends readonly unknown[]>(
  page: Page,
  handle: Handle,
  fn: PageFunction<[never, ...Args], unknown>,
  ...args: Args
): Promise<Handle | undefined> {
  const { result } = await call(page, handle, { declaration: toDeclaration(fn), args, byValue: false });
  return result.objectId === undefined ? undefined : { frame: handle.frame, objectId: result.objectId };
}

/** Evaluates an expression in our isolated world of a frame and returns a handle; undefined for null and undefined. */
export async function evaluateHandle(page: Page, frame: PageFrame, expression: string): Promise<Handle | undefined> {
  return guarded(page, async () => {
    const contextId = await worldOf(page, frame);
    const { result, exceptionDetails } = await sendTo(page, frame.session, 'Runtime.evaluate', {
      expression,
      contextId,
      objectGroup,
      awaitPromise: true,
    });
    if (exceptionDetails) throw thrownBy(exceptionDetails);
    return result.objectId === undefined ? undefined : { frame, objectId: result.objectId };
  });
}

/** Returns a handle to a DOM node, given its backend id. */
export async function resolveNode(page: Page, frame: PageFrame, backendNodeId: number): Promise<Handle> {
  return resolve(page, frame, backendNodeId, await guarded(page, () => worldOf(page, frame)));
}

/** Like `resolveNode`, but in the page's own world: functions called on the handle run alongside the page's scripts. */
export function resolveInPage(page: Page, frame: PageFrame, backendNodeId: number): Promise<Handle> {
  return resolve(page, frame, backendNodeId, undefined);
}

function resolve(
  page: Page,
  frame: PageFrame,
  backendNodeId: number,
  executionContextId: number | undefined,
): Promise<Handle> {
  return guarded(page, async () => {
    const { object } = await sendTo(page, frame.session, 'DOM.resolveNode', {
      backendNodeId,
      objectGroup,
      executionContextId,
    });
    if (object.objectId === undefined) throw new ContextLost('the node is gone');
    return { frame, objectId: object.objectId };
  });
}

/**
 * Returns a list of the elements below several roots of one frame.
 * @throws the errors documented for `callOn`, also for invalid CSS
 */
export async function queryWithin(
  page: Page,
  root: Handle,
  others: readonly Handle[],
  css: string,
): Promise<Handle | undefined> {
  return guarded(page, async () => {
    const { result, exceptionDetails } = await sendTo(page, root.frame.session, 'Runtime.callFunctionOn', {
      functionDeclaration: toDeclaration(queryRoots),
      objectId: root.objectId,
      arguments: [{ value: css }, ...others.map(({ objectId }) => ({ objectId }))],
      objectGroup,
    });
    if (exceptionDetails) throw thrownBy(exceptionDetails);
    return result.objectId === undefined ? undefined : { frame: root.frame, objectId: result.objectId };
  });
}

/** Releases all handles in these frames, without waiting for the browser. */
export function releaseHandles(frames: Iterable<PageFrame>): void {
  for (const session of new Set([...frames].map((frame) => frame.session))) {
    session.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => {});
  }
}

interface ElementCall {
  declaration: string;
  args: readonly unknown[];
  byValue: boolean;
}

function call(page: Page, handle: Handle, { declaration, args, byValue }: ElementCall) {
  return guarded(page, async () => {
    const answer = await sendTo(page, handle.frame.session, 'Runtime.callFunctionOn', {
      functionDeclaration: declaration,
      objectId: handle.objectId,
      arguments: args.map((value) => (value === undefined ? {} : { value })),
      returnByValue: byValue,
      awaitPromise: true,
      objectGroup: byValue ? undefined : objectGroup,
    });
    if (answer.exceptionDetails) throw thrownBy(answer.exceptionDetails);
    return answer;
  });
}

async function guarded<T>(page: Page, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Chromium reports a document that no longer exists as -32000, and a frame that moved to another process also as
    // -32602.
    if (!(error instanceof ProtocolError) || (error.code !== -32000 && error.code !== -32602)) throw error;
    forgetWorlds(page);
    throw new ContextLost(error.message);
  }
}
