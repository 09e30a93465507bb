/** Elements of a page as handles: found in our world of their frame, and worked on by functions that run there. */
import { ProtocolError } from '../../cdp/connection.ts';
import { queryRoots } from '../../injected/find-elements.ts';
import { ContextLost, thrownBy } from '../evaluate.ts';
import { type PageFunction, toDeclaration } from '../page-function.ts';
import { forgetWorlds, type PageFrame, sendTo, worldOf } from '../frames.ts';
import type { Page } from '../page.ts';

/** An object of a frame: an element, or a list of elements. It lives until `releaseHandles`. */
export interface Handle {
  frame: PageFrame;
  objectId: string;
}

/** One name for all our handles, so that one command lets go of them. */
const objectGroup = 'browserd';

/**
 * Calls a function with the handle's object as its first argument and gives the result as JSON.
 * @throws ContextLost when the document is gone, PageScriptError when the function throws
 */
export async function callOn<Args extends readonly unknown[], Result>(
  page: Page,
  handle: Handle,
  // The element's type is the function's own: the DOM is unknown on this side.
  fn: PageFunction<[never, ...Args], Result>,
  ...args: Args
): Promise<Awaited<Result>> {
  const { result } = await call(page, handle, { declaration: toDeclaration(fn), args, byValue: true });
  return result.value;
}

/** As callOn, but for an object: undefined when the function gave null or undefined. */
export async function handleFrom<Args extends readonly unknown[]>(
  page: Page,
  handle: Handle,
  fn: PageFunction<[never, ...Args], unknown>,
  ...args: Args
): Promise<Handle | undefined> {
  const { result } = await call(page, handle, { declaration: toDeclaration(fn), args, byValue: false });
  return result.objectId === undefined ? undefined : { frame: handle.frame, objectId: result.objectId };
}

/** Runs an expression in our world of a frame and gives a handle of its object; undefined for null and undefined. */
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

/** A handle of a node that the DOM domain named by its backend id. */
export async function resolveNode(page: Page, frame: PageFrame, backendNodeId: number): Promise<Handle> {
  return guarded(page, async () => {
    const executionContextId = await worldOf(page, frame);
    const { object } = await sendTo(page, frame.session, 'DOM.resolveNode', {
      backendNodeId,
      executionContextId,
      objectGroup,
    });
    if (object.objectId === undefined) throw new ContextLost('the node is gone');
    return { frame, objectId: object.objectId };
  });
}

/** Elements below several roots of one frame, as a list. @throws as callOn, for text that is no CSS too */
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

/** Lets go of all handles of these frames; nobody waits for it. */
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
      ...(byValue ? {} : { objectGroup }),
    });
    if (answer.exceptionDetails) throw thrownBy(answer.exceptionDetails);
    return answer;
  });
}

async function guarded<T>(page: Page, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // -32000 is all that Chromium says of a document that is gone; of a frame that left its process also -32602.
    if (!(error instanceof ProtocolError) || (error.code !== -32000 && error.code !== -32602)) throw error;
    forgetWorlds(page);
    throw new ContextLost(error.message);
  }
}
