/** Adds the elements of addStyleTag and addScriptTag to the loaded document and waits for each. */
import { ServiceError } from '../../../base/errors.ts';
import type { ScriptTag, StyleTag } from '../../../base/schema/request/fields.ts';
import {
  ContextLost,
  evaluateText,
  evaluateWith,
  PageScriptError,
  chunkCharacters,
  withRetry,
  sendText,
} from '../evaluate.ts';
import { toCall, toExpression } from '../page-function.ts';
import { addTag } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** @throws ServiceError `bad-request` that names the entry that cannot be loaded */
export async function addStyleTags(page: Page, tags: readonly StyleTag[]): Promise<void> {
  for (const [index, { url, content }] of tags.entries()) {
    const added =
      url === undefined
        ? add(page, 'style', {}, content)
        : add(page, 'link', { rel: 'stylesheet', href: url }, undefined);
    await check(`addStyleTag[${index}]`, url, page.waiting.for(`addStyleTag[${index}]`, added));
  }
}

/** @throws ServiceError `bad-request` that names the entry that cannot be loaded */
export async function addScriptTags(page: Page, tags: readonly ScriptTag[]): Promise<void> {
  for (const [index, { url, content, type, id }] of tags.entries()) {
    const attributes = {
      ...(type === undefined ? {} : { type }),
      ...(id === undefined ? {} : { id }),
      ...(url === undefined ? {} : { src: url }),
    };
    const added = add(page, 'script', attributes, url === undefined ? content : undefined);
    await check(`addScriptTag[${index}]`, url, page.waiting.for(`addScriptTag[${index}]`, added));
  }
}

/** Adds the element in the page's own world: a script added from an isolated world would escape the page's own CSP. */
async function add(
  page: Page,
  name: 'script' | 'style' | 'link',
  attributes: Record<string, string>,
  content: string | undefined,
): Promise<boolean> {
  // A script may itself navigate the page: it must not run again in the next document.
  const attempts = name === 'script' ? 1 : 3;
  if (content === undefined || content.length <= chunkCharacters) {
    const expression = toExpression(addTag, [name, attributes, content]);
    return withRetry(page, () => evaluateText<boolean>(page, expression), attempts);
  }
  const call = toCall(addTag, JSON.stringify(name), JSON.stringify(attributes), 'text');
  const adding = async () => {
    const text = await withRetry(page, () => sendText(page, content));
    return evaluateWith<boolean>(page, call, text);
  };
  return withRetry(page, adding, attempts);
}

async function check(field: string, url: string | undefined, added: Promise<boolean>): Promise<void> {
  try {
    if (await added) return;
  } catch (error) {
    // A script that navigates the page has done its work.
    if (error instanceof ContextLost) return;
    if (!(error instanceof PageScriptError)) throw error;
    throw new ServiceError('bad-request', `${field} could not be added: ${error.message}.`, {
      cause: error,
      callersText: true,
    });
  }
  throw new ServiceError(
    'bad-request',
    `${field} could not be loaded from ${String(url).slice(0, 200)}: check the URL and the page's Content-Security-Policy.`,
  );
}
