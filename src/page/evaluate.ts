/** Evaluating text inside a page, in a world of our own or in the page's; results come as JSON. */
import { ProtocolError } from '../cdp/connection.ts';
import type { DrivenPage } from './driven-page.ts';

/** A navigation ended the document in which code ran, or was about to. */
export class ContextLost extends Error {}

/** The code itself threw. The message is what it threw. */
export class PageScriptError extends Error {
  /** It is not for the log. */
  readonly callersText = true;
  /** True when the text could not even be parsed. */
  readonly syntax: boolean;

  constructor(message: string, syntax: boolean) {
    super(message);
    this.syntax = syntax;
  }
}

interface World {
  documents: number;
  contextId: number;
}

const worlds = new WeakMap<DrivenPage, World>();

/** The execution context of our world in the main frame's present document. */
export async function isolatedWorld(page: DrivenPage): Promise<number> {
  const known = worlds.get(page);
  if (known?.documents === page.life.documents) return known.contextId;
  const { documents } = page.life;
  const { executionContextId } = await page.send('Page.createIsolatedWorld', { frameId: page.mainFrameId });
  worlds.set(page, { documents, contextId: executionContextId });
  return executionContextId;
}

/** Has the world of the main frame made again: it was lost. */
export function forgetWorld(page: DrivenPage): void {
  worlds.delete(page);
}

/**
 * Evaluates text and gives its value, awaited, as JSON.
 * @param contextId a world of ours; left out for the page's own world
 * @throws ContextLost, PageScriptError, and what Page.send throws
 */
// The result's type is the caller's knowledge of the text: the protocol has it as `any`.
export async function evaluateText<Result>(
  page: DrivenPage,
  expression: string,
  contextId?: number,
): Promise<Awaited<Result>> {
  try {
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
      ...(contextId === undefined ? {} : { contextId }),
    });
    if (exceptionDetails) throw thrownBy(exceptionDetails);
    return result.value;
  } catch (error) {
    // -32000 is all that Chromium says of a context that a navigation took away.
    if (!(error instanceof ProtocolError) || error.code !== -32000) throw error;
    worlds.delete(page);
    throw new ContextLost(error.message);
  }
}

/** What code of a page threw, as Chromium describes it. */
export function thrownBy(details: {
  text: string;
  exception?: { className?: string; description?: string; value?: unknown };
  stackTrace?: unknown;
}): PageScriptError {
  const { exception, text, stackTrace } = details;
  // Text that does not parse has no stack frame: nothing of it ran.
  const syntax = exception?.className === 'SyntaxError' && stackTrace === undefined;
  return new PageScriptError(exception?.description?.split('\n')[0] ?? String(exception?.value ?? text), syntax);
}

/**
 * Repeats work that a navigation interrupted, in the new document.
 * @param attempts tries altogether; Infinity only below a time limit
 */
export async function retried<T>(page: DrivenPage, work: () => Promise<T>, attempts = 3): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof ContextLost || (error instanceof ProtocolError && error.code === -32000);
      if (!lost || attempt >= attempts) throw error;
      // The new document is announced a moment after the old one is gone.
      await page.sleep(Math.min(50 * attempt, 100));
    }
  }
}
