/** Evaluates JavaScript text in a page (Runtime.evaluate), in an isolated world or the page's own; results are JSON. */
import { type Commands, ProtocolError } from '../cdp/connection.ts';
import type { DrivenPage } from './driven-page.ts';

/** A navigation replaced the document in which code ran or was about to run. */
export class ContextLost extends Error {}

/** The evaluated code threw or did not parse; the message is the first line of the error. */
export class PageScriptError extends Error {
  /** The message contains text from the client, which must stay out of the log. */
  readonly callersText = true;
  /** True when the text did not parse, so none of it ran. */
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

/** Returns the execution context of our isolated world in the main frame's current document. */
export async function isolatedWorld(page: DrivenPage): Promise<number> {
  const known = worlds.get(page);
  if (known?.documents === page.life.documents) return known.contextId;
  const { documents } = page.life;
  const { executionContextId } = await page.send('Page.createIsolatedWorld', { frameId: page.mainFrameId });
  worlds.set(page, { documents, contextId: executionContextId });
  return executionContextId;
}

/** Forgets the main frame's isolated world after it was lost; `isolatedWorld` then creates a new one. */
export function forgetWorld(page: DrivenPage): void {
  worlds.delete(page);
}

/**
 * Evaluates text and returns its awaited value, which must be JSON.
 * @param contextId an isolated world; omit it for the page's own world
 * @throws ContextLost, PageScriptError, and the errors documented for `Page.send`
 */
// Only the caller knows the result's type: the protocol declares it as `any`.
export async function evaluateText<Result>(
  page: DrivenPage,
  expression: string,
  contextId?: number,
): Promise<Awaited<Result>> {
  const { value } = await resultOf(
    page,
    page.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true, contextId }),
  );
  return value;
}

/**
 * Longest chunk of text sent to a page at a time, in characters: a longer one would hold up the server's other work.
 */
export const chunkCharacters = 2 ** 19;

/** Text stored in a page, in chunks, where the page's scripts cannot reach it. */
export interface TextInPage {
  objectId: string;
  pieces: number;
}

/** Sends text of any length to the page's own world. @throws ContextLost, and the errors documented for `Page.send` */
export async function sendText(page: DrivenPage, text: string): Promise<TextInPage> {
  // Has no prototype: the page may have defined setters on Object.prototype.
  const holder = await resultOf(page, page.send('Runtime.evaluate', { expression: '({ __proto__: null })' }));
  const { objectId } = holder;
  if (objectId === undefined) throw new ContextLost('The page returned no object');
  let pieces = 0;
  for (const piece of chunksOf(text)) {
    await callOn(page, objectId, 'function (at, piece) { this[at] = piece; }', [pieces++, piece]);
  }
  return { objectId, pieces };
}

/**
 * Evaluates an expression in the page's own world, where the `text` variable contains text sent with `sendText`.
 * Returns the awaited value, which must be JSON.
 * @throws ContextLost, PageScriptError, and the errors documented for `Page.send`
 */
export async function evaluateWith<Result>(
  page: DrivenPage,
  expression: string,
  { objectId, pieces }: TextInPage,
): Promise<Awaited<Result>> {
  // Uses no array methods: the page may have replaced them.
  const join = "let text = ''; for (let at = 0; at < pieces; at++) text += this[at];";
  const { value } = await callOn(page, objectId, `function (pieces) { ${join} return ${expression}; }`, [pieces]);
  return value;
}

function callOn(page: DrivenPage, objectId: string, functionDeclaration: string, values: readonly unknown[]) {
  return resultOf(
    page,
    page.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration,
      arguments: values.map((value) => ({ value })),
      returnByValue: true,
      awaitPromise: true,
    }),
  );
}

function* chunksOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = at + chunkCharacters;
    // Keep surrogate pairs together.
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
    yield text.slice(at, end);
    at = end;
  }
}

/**
 * Returns the result of code that ran in the page.
 * @throws ContextLost, PageScriptError, and any error that the promise rejects with
 */
async function resultOf(
  page: DrivenPage,
  answer: Promise<Commands['Runtime.evaluate']['returnType']>,
): Promise<Commands['Runtime.evaluate']['returnType']['result']> {
  try {
    const { result, exceptionDetails } = await answer;
    if (exceptionDetails) throw thrownBy(exceptionDetails);
    return result;
  } catch (error) {
    // Chromium reports a context that a navigation destroyed as -32000, with no more specific code.
    if (!(error instanceof ProtocolError) || error.code !== -32000) throw error;
    worlds.delete(page);
    throw new ContextLost(error.message);
  }
}

/** Converts Chromium's exceptionDetails to an error. */
export function thrownBy(details: {
  text: string;
  exception?: { className?: string; description?: string; value?: unknown };
  stackTrace?: unknown;
}): PageScriptError {
  const { exception, text, stackTrace } = details;
  // Text that does not parse has no stack frame, because none of it ran.
  const syntax = exception?.className === 'SyntaxError' && stackTrace === undefined;
  return new PageScriptError(exception?.description?.split('\n')[0] ?? String(exception?.value ?? text), syntax);
}

/**
 * Runs the work, and retries it in the new document when a navigation interrupts it.
 * @param attempts total number of tries; use Infinity only under a time limit
 */
export async function withRetry<T>(page: DrivenPage, work: () => Promise<T>, attempts = 3): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof ContextLost || (error instanceof ProtocolError && error.code === -32000);
      if (!lost || attempt >= attempts) throw error;
      // Chromium announces the new document a moment after the old one was removed.
      await page.sleep(Math.min(50 * attempt, 100));
    }
  }
}
